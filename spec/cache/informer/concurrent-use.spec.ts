import { expect } from 'chai';
import type { HandlerRegistration } from '../../../lib/cache/informer/handlers/handler-registration.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { Harness, recorder, type HarnessOptions } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

const NAMES = Array.from({ length: 30 }, (_, index) => `n${index}`);

function shuffled(seed: number, options: HarnessOptions = {}): Harness {
  return new Harness({ runtime: new VirtualRuntime({ seed, order: 'random' }), ...options });
}

/** Adds, changes or deletes a pod of a random name. */
function change({ runtime, source }: Harness): void {
  const name = NAMES[Math.floor(runtime.random() * NAMES.length)]!;
  const present = source.objects.some(({ metadata }) => metadata.name === name);
  if (!present) source.add(pod(name));
  else if (runtime.random() < 0.4) source.delete({ namespace: 'shop', name });
  else source.modify(pod(name));
}

const print = ({ metadata }: Pod): string => `${metadata.name}@${metadata.resourceVersion}`;

async function hops(count: number): Promise<void> {
  for (let hop = 0; hop < count; hop += 1) await Promise.resolve();
}

describe('An informer in the midst of everything', () => {
  for (const order of ['arrival', 'key'] as const) {
    it(`follows many writers at once in the order of ${order}`, async () => {
      for (let seed = 1; seed <= 5; seed += 1) {
        const harness = shuffled(seed, {
          order,
          objects: NAMES.slice(0, 10).map((name) => pod(name)),
        });
        const notified = new Set<string>();
        harness.informer.addHandler({
          onAdd: (_, { key }) => notified.add(key),
          onDelete: (_, { key }) => notified.delete(key),
        });
        expect(harness.informer.synced).to.equal(false);
        const writers = Array.from({ length: 10 }, async (_, writer) => {
          for (let step = 0; step < 30; step += 1) {
            await hops(writer % 4);
            change(harness);
          }
        });
        await harness.start();
        expect(harness.informer.synced).to.equal(true);
        await Promise.all(writers);
        await harness.settle();
        const there = harness.source.objects;
        expect(harness.informer.indexer.list().map(print), `seed ${seed}`).to.have.members(
          there.map(print),
        );
        expect([...notified]).to.have.members(there.map(({ metadata }) => `shop/${metadata.name}`));
        await harness.stop();
      }
    });
  }

  it('delivers only changes that happened, while a handler deletes changed objects', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const harness = shuffled(seed, { resyncIntervalMs: 1000 });
      const transitions = new Set<string>();
      let deleted = 0;
      const check = ({ metadata }: Pod): string => metadata.labels!['check']!;
      harness.informer.addHandler({
        onUpdate: (old, object) => {
          transitions.add(`${check(old)} > ${check(object)}`);
          const { name } = object.metadata;
          const there = harness.source.objects.some(({ metadata }) => metadata.name === name);
          if (check(object) === 'to' && there) harness.source.delete({ namespace: 'shop', name });
        },
        onDelete: () => {
          deleted += 1;
        },
      });
      await harness.start();
      const threads = [1, 2, 3].map(async (thread) => {
        await hops(thread);
        harness.source.add(pod(`a-${thread}`, { labels: { check: 'from' } }));
        await hops(harness.runtime.random() * 5);
        harness.source.modify(pod(`a-${thread}`, { labels: { check: 'to' } }));
      });
      await Promise.all(threads);
      await harness.runtime.advance(5000);
      expect(deleted, `seed ${seed}`).to.equal(3);
      for (const transition of transitions) {
        expect(['from > to', 'to > to', 'from > from']).to.include(transition);
      }
      await harness.stop();
    }
  });

  it('takes handlers and indexes at any moment of its start', async () => {
    for (let moment = 0; moment < 40; moment += 1) {
      const harness = shuffled(moment + 1, { objects: [pod('a'), pod('b', { nodeName: 'n1' })] });
      const log: string[] = [];
      harness.launch();
      await hops(moment);
      if (moment % 2 === 0) await harness.runtime.advance(0);
      const registration = harness.informer.addHandler(recorder(log));
      harness.informer.indexer.addIndexers({ byNode: ({ spec }) => [spec?.nodeName ?? ''] });
      await harness.runtime.run(registration.whenSynced({ timeoutMs: 60_000 }));
      expect(log, `moment ${moment}`).to.deep.equal(['+shop/a@1!', '+shop/b@2!']);
      expect(harness.informer.indexer.indexKeys('byNode', 'n1')).to.deep.equal(['shop/b']);
      await harness.stop();
    }
  });

  it('stands a hundred workers that add and remove handlers while events flow', async () => {
    const harness = shuffled(7, { objects: [pod('a')] });
    const steady: string[] = [];
    harness.informer.addHandler({
      onUpdate: (_, { metadata }) => steady.push(metadata.resourceVersion),
    });
    await harness.start();
    const wrong: string[] = [];
    const gone = new Set<HandlerRegistration>();
    const workers = Array.from({ length: 100 }, async () => {
      for (let round = 0; round < 10; round += 1) {
        let last = 0;
        const registration = harness.informer.addHandler({
          onAdd: ({ metadata }) => {
            last = Number(metadata.resourceVersion);
          },
          onUpdate: (old, object) => {
            if (gone.has(registration)) wrong.push('notified after it was removed');
            if (Number(old.metadata.resourceVersion) !== last) wrong.push('a gap');
            last = Number(object.metadata.resourceVersion);
          },
        });
        for (let step = 0; step < 5; step += 1) {
          await new Promise<void>((resolve) => {
            harness.runtime.queueTask(resolve);
          });
        }
        registration.remove();
        gone.add(registration);
      }
    });
    const writing = (async (): Promise<void> => {
      for (let event = 0; event < 10_000; event += 1) {
        harness.source.modify(pod('a'));
        if (event % 100 === 0) {
          await new Promise<void>((resolve) => {
            harness.runtime.queueTask(resolve);
          });
        }
      }
    })();
    await harness.runtime.run(Promise.all([writing, ...workers]));
    await harness.settle();
    expect(wrong).to.deep.equal([]);
    expect(steady).to.have.length(10_000);
    expect(harness.informer.inspect().handlers).to.have.length(1);
    expect(harness.errors).to.deep.equal([]);
    await harness.stop();
  });

  it('resyncs handlers that are still busy with what was there at the start', async () => {
    const harness = new Harness({ objects: [pod('a')], resyncIntervalMs: 1000 });
    const seen: string[] = [];
    const add = (name: string, resyncIntervalMs: number): void => {
      harness.informer.addHandler(
        {
          onAdd: () =>
            new Promise<void>((resolve) => {
              harness.runtime.setTimer(1500, resolve);
            }),
          onUpdate: (_, __, { resync }) => {
            seen.push(`${name} ${resync} at ${Math.floor(harness.runtime.monotonicMs() / 1000)}`);
          },
        },
        { resyncIntervalMs },
      );
    };
    add('none', 0);
    add('two', 2000);
    add('three', 3000);
    await harness.start();
    await harness.runtime.advance(3500);
    expect(seen).to.deep.equal(['two true at 2', 'three true at 3']);
    await harness.stop();
  });
});
