import { expect } from 'chai';
import type { InformerChange } from '../../../lib/cache/informer/changes/changes-options.ts';
import { untilWithSync } from '../../../lib/cache/wait/until-with-sync.ts';
import { Harness } from '../support/informer-harness.ts';
import { pod, rejection, type Pod } from '../support/objects.ts';

const isAdd = ({ type }: InformerChange<Pod>): boolean => type === 'add';
const never = (): never => {
  throw new Error('no call is expected');
};

describe('untilWithSync', () => {
  it('asks no precondition when there is none, and waits for the first change of an informer that cannot sync', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.source.hangNext('watch-list', 100);
    harness.source.hangNext('list', 100);
    harness.launch();
    const error = await rejection(
      harness.runtime.run(
        untilWithSync(harness.informer, { conditions: () => true, timeoutMs: 5000 }),
      ),
    );
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message).to.include('waiting for the first list of pods');
    await harness.stop();
  });

  it('does not call the precondition before the first list, even if that takes long', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.source.hangNext('watch-list', 100);
    harness.source.hangNext('list', 100);
    harness.launch();
    const error = await rejection(
      harness.runtime.run(
        untilWithSync(harness.informer, {
          precondition: never,
          conditions: never,
          timeoutMs: 5000,
        }),
      ),
    );
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message).to.include('the first list of pods');
    await harness.stop();
  });

  it('fails at once when the informer has not been started, with a precondition and without', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    for (const precondition of [never, undefined]) {
      const wait = untilWithSync(harness.informer, { precondition, conditions: isAdd });
      const error = await harness.runtime.run(rejection(wait));
      expect(error.code).to.equal('NOT_STARTED');
    }
    expect(harness.informer.inspect().handlers).to.deep.equal([]);
    await harness.stop();
  });

  it('resolves with nothing when the precondition is true, and asks no condition', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.launch();
    const precondition = (cache: { has(key: string): boolean }): boolean => cache.has('shop/a');
    const result = await harness.runtime.run(
      untilWithSync(harness.informer, { precondition, conditions: never }),
    );
    expect(result).to.equal(undefined);
    await harness.stop();
  });

  it('continues with the conditions when it is false, beginning with the present objects', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.launch();
    const asked: number[] = [];
    const change = await harness.runtime.run(
      untilWithSync(harness.informer, {
        precondition: ({ size }) => {
          asked.push(size);
          return false;
        },
        conditions: isAdd,
      }),
    );
    expect(asked).to.deep.equal([1]);
    expect(change).to.include({ type: 'add', key: 'shop/a', initial: true });
    expect(harness.informer.inspect().handlers).to.deep.equal([]);
    await harness.stop();
  });

  it('takes conditions one after the other, on later changes too', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.launch();
    const wait = untilWithSync(harness.informer, {
      conditions: [isAdd, ({ type, key }) => type === 'delete' && key === 'shop/a'],
    });
    await harness.settle();
    harness.source.add(pod('b'));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    harness.source.delete({ namespace: 'shop', name: 'a' });
    const change = await harness.runtime.run(wait);
    expect(change).to.include({ type: 'delete', key: 'shop/a' });
    await harness.stop();
  });

  it('rejects with what the precondition or a condition throws', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.launch();
    for (const options of [{ precondition: never, conditions: isAdd }, { conditions: never }]) {
      const error = await rejection(harness.runtime.run(untilWithSync(harness.informer, options)));
      expect(error.message).to.equal('no call is expected');
    }
    await harness.stop();
  });

  it('has one deadline for the first list and the conditions together', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    harness.source.latencyMs = 3000;
    harness.launch();
    const error = await rejection(
      harness.runtime.run(
        untilWithSync(harness.informer, {
          precondition: () => false,
          conditions: () => false,
          timeoutMs: 5000,
        }),
      ),
    );
    expect(error.code).to.equal('TIMEOUT');
    expect(harness.runtime.monotonicMs()).to.equal(5000);
    expect(error.message).to.match(
      /^gave up after 5000 ms waiting for the stream of changes of pods: condition .*; it has seen 1 event$/,
    );
    await harness.stop();
  });

  it('rejects when the informer stops, and for options that make no sense', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    await harness.start();
    const wait = rejection(untilWithSync(harness.informer, { conditions: () => false }));
    await harness.settle();
    await harness.stop();
    expect((await wait).code).to.equal('WATCH_CLOSED');
    for (const wrong of [{}, { conditions: [] }, { conditions: isAdd, condition: isAdd }]) {
      const error = await rejection(untilWithSync(harness.informer, wrong as never));
      expect(error.code).to.equal('INVALID_OPTION');
    }
  });
});
