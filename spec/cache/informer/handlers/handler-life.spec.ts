import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { Harness, recorder } from '../../support/informer-harness.ts';
import { codeOf, pod, rejection } from '../../support/objects.ts';

describe('The life of a handler', () => {
  for (const when of ['before the start', 'after the start', 'without any start'] as const) {
    it(`leaves nothing behind when it comes ${when}`, async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const log: string[] = [];
      const add = (): ReturnType<typeof harness.informer.addHandler> =>
        harness.informer.addHandler(recorder(log));
      const early = when === 'after the start' ? undefined : add();
      if (when !== 'without any start') await harness.start();
      const registration = early ?? add();
      await harness.settle();
      await registration.close();
      await registration.close();
      expect(log).to.deep.equal(when === 'without any start' ? [] : ['+shop/a@1!']);
      expect(harness.informer.inspect().handlers).to.deep.equal([]);
      if (when === 'without any start') await harness.informer.close();
      else await harness.stop();
      await registration.close();
    });
  }

  it('is refused by an informer that has stopped, which names itself and the handler', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const registration = harness.informer.addHandler({ onAdd: () => {} });
    await harness.start();
    await harness.stop();
    expect(codeOf(() => harness.informer.addHandler(recorder([]), { name: 'late' }))).to.equal(
      'CLOSED',
    );
    expect(() => harness.informer.addHandler(recorder([]), { name: 'late' })).to.throw(
      'late: the informer pods has stopped',
    );
    registration.remove();
    await registration.close();
  });

  it('is of its own informer only', async () => {
    const [mine, foreign] = [new Harness(), new Harness({ objects: [pod('x')] })];
    const log: string[] = [];
    mine.informer.addHandler(recorder([]));
    const stranger = foreign.informer.addHandler(recorder(log));
    await mine.start();
    await mine.stop();
    await foreign.start();
    expect(stranger.synced).to.equal(true);
    expect(log).to.deep.equal(['+shop/x@1!']);
    await foreign.stop();
  });

  it('may end during its own callback, which finishes', async () => {
    const gate = deferred<void>();
    const harness = new Harness({ objects: [pod('a'), pod('b')] });
    const log: string[] = [];
    const registration = harness.informer.addHandler({
      onAdd: async (_, { key }) => {
        log.push(`${key} begins`);
        await gate.promise;
        log.push(`${key} ends`);
      },
    });
    await harness.start();
    registration.remove();
    expect(harness.informer.inspect().handlers).to.deep.equal([]);
    gate.resolve();
    await registration.close();
    await harness.settle();
    expect(log).to.deep.equal(['shop/a begins', 'shop/a ends']);
    await harness.stop();
  });

  it('can be ended, begun and joined by its own callbacks', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b')] });
    const [first, second]: [string[], string[]] = [[], []];
    const registration = harness.informer.addHandler({
      onAdd: async (_, { key }) => {
        first.push(key);
        harness.informer.addHandler(recorder(second));
        await registration.close();
        first.push('closed');
      },
    });
    await harness.start();
    harness.source.modify(pod('a'));
    await harness.settle();
    expect(first).to.deep.equal(['shop/a', 'closed']);
    expect(second).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '~shop/a@3']);
    await harness.stop();
  });

  it('can end its informer from within, and is not waited for', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b')] });
    const log: string[] = [];
    harness.informer.addHandler({
      onAdd: async (_, { key }) => {
        log.push(key);
        await harness.informer.close();
        log.push('closed');
      },
    });
    await harness.runtime.run(harness.informer.run());
    await harness.settle();
    expect(log).to.deep.equal(['shop/a', 'closed']);
    expect(harness.informer.phase).to.equal('stopped');
    await harness.stop();
  });

  it('is named after its class, or by number, unless it has a name', async () => {
    class PodCounter {
      onAdd(): void {}
    }
    const { informer } = new Harness();
    const names = [
      informer.addHandler({ onAdd: () => {} }),
      informer.addHandler(new PodCounter()),
      informer.addHandler(Object.assign(Object.create(null) as object, { onAdd: () => {} })),
      informer.addHandler({ onAdd: () => {} }, { name: 'mine' }),
      informer.addHandler({ onAdd: () => {} }),
    ].map(({ name }) => name);
    expect(names).to.deep.equal(['handler-1', 'PodCounter-2', 'handler-3', 'mine', 'handler-4']);
    await informer.close();
  });

  describe('with a buffer', () => {
    it('that must not lose an event ends when it is full, and says why', async () => {
      const gate = deferred<void>();
      const harness = new Harness({ objects: [pod('a'), pod('b'), pod('c')] });
      const log: string[] = [];
      const registration = harness.informer.addHandler(
        { onAdd: () => gate.promise, onUpdate: (_, __, { key }) => log.push(key) },
        { name: 'strict', buffer: { limit: 2, whenFull: 'close' } },
      );
      harness.informer.addHandler({ onAdd: () => {} }, { name: 'other' });
      await harness.start();
      for (let round = 0; round < 2; round += 1) {
        harness.source.modify(pod('a'));
        await harness.settle();
        expect(registration.failure).to.equal(undefined);
      }
      const waiting = rejection(registration.whenSynced());
      harness.source.modify(pod('a'));
      await harness.settle();
      expect(registration.failure).to.include({ code: 'BUFFER_FULL' });
      expect(
        harness.errors.map(({ error, context }) => [error.code, context.handler]),
      ).to.deep.equal([['BUFFER_FULL', 'strict']]);
      expect(harness.errors[0]?.error.message).to.include('strict was removed: 3 events wait');
      expect((await waiting).cause).to.equal(registration.failure);
      expect(harness.informer.inspect().handlers.map(({ name }) => name)).to.deep.equal(['other']);
      gate.resolve();
      await harness.settle();
      expect(log).to.deep.equal([]);
      await harness.stop();
    });

    it('that is unbounded gets every event, and one that coalesces the net change', async () => {
      const gate = deferred<void>();
      const harness = new Harness({ objects: [pod('a')] });
      const [every, net]: [string[], string[]] = [[], []];
      const slow = (log: string[]): object => ({
        onAdd: () => gate.promise,
        onUpdate: (_: unknown, __: unknown, { key }: { key: string }) => log.push(key),
      });
      harness.informer.addHandler(slow(every), { buffer: 'unbounded' });
      harness.informer.addHandler(slow(net), { buffer: { limit: 10, whenFull: 'coalesce' } });
      await harness.start();
      for (let round = 0; round < 12_000; round += 1) harness.source.modify(pod('a'));
      await harness.settle();
      expect(harness.informer.inspect().handlers.map(({ pending }) => pending)).to.deep.equal([
        12_001, 2,
      ]);
      gate.resolve();
      await harness.settle();
      expect([every.length, net.length]).to.deep.equal([12_000, 1]);
      await harness.stop();
    });

    it('is refused when it makes no sense', async () => {
      const { informer } = new Harness();
      const bad: unknown[] = [
        'drop',
        null,
        7,
        {},
        { limit: 10 },
        { whenFull: 'close' },
        { limit: 0, whenFull: 'close' },
        { limit: Number.NaN, whenFull: 'coalesce' },
        { limit: '5', whenFull: 'close' },
        { limit: 5, whenFull: 'explode' },
        { limit: 5, whenFull: 'close', size: 3 },
      ];
      for (const buffer of bad) {
        const add = (): unknown => informer.addHandler(recorder([]), { buffer: buffer as never });
        expect(codeOf(add), JSON.stringify(buffer)).to.equal('INVALID_OPTION');
      }
      expect(informer.inspect().handlers).to.deep.equal([]);
      await informer.close();
    });
  });
});
