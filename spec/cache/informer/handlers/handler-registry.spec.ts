import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { Harness, recorder } from '../../support/informer-harness.ts';
import { codeOf, pod, type Pod } from '../../support/objects.ts';

describe('HandlerRegistry', () => {
  describe('a late handler', () => {
    it('gets what is there as initial objects, and then every change', async () => {
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      const [early, late]: [string[], string[]] = [[], []];
      harness.informer.addHandler(recorder(early));
      await harness.start();
      const registration = harness.informer.addHandler(recorder(late));
      expect(registration.synced).to.equal(false);
      harness.source.modify(pod('a'));
      await harness.settle();
      expect(registration.synced).to.equal(true);
      expect(late).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '~shop/a@3']);
      expect(early).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '~shop/a@3']);
      await harness.stop();
    });

    it('loses nothing and gets nothing twice, whenever it joins', async () => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const runtime = new VirtualRuntime({ seed, order: 'random' });
        const harness = new Harness({ runtime, objects: [pod('k0'), pod('k1')] });
        const replicas: Map<string, string>[] = [];
        const wrong: string[] = [];
        const join = (): void => {
          const replica = new Map<string, string>();
          replicas.push(replica);
          const version = ({ metadata }: Pod): string => metadata.resourceVersion!;
          harness.informer.addHandler({
            onAdd: (object, { key }) => {
              if (replica.has(key)) wrong.push(`seed ${seed}: ${key} added twice`);
              replica.set(key, version(object));
            },
            onUpdate: (old, object, { key }) => {
              if (replica.get(key) !== version(old)) wrong.push(`seed ${seed}: ${key} has a gap`);
              replica.set(key, version(object));
            },
            onDelete: (_, { key }) => {
              if (!replica.delete(key)) wrong.push(`seed ${seed}: ${key} deleted twice`);
            },
          });
        };
        join();
        await harness.start();
        for (let step = 0; step < 60; step += 1) {
          const name = `k${Math.floor(runtime.random() * 5)}`;
          const present = harness.source.objects.some(({ metadata }) => metadata.name === name);
          if (!present) harness.source.add(pod(name));
          else if (runtime.random() < 0.4) harness.source.delete({ namespace: 'shop', name });
          else harness.source.modify(pod(name));
          const joins = runtime.random() < 0.3;
          for (let hop = 0; hop < Math.floor(runtime.random() * 6); hop += 1)
            await Promise.resolve();
          if (joins) join();
          if (runtime.random() < 0.2) await harness.settle();
        }
        await harness.settle();
        const truth = Object.fromEntries(
          harness.source.objects.map(({ metadata }) => [
            `shop/${metadata.name}`,
            metadata.resourceVersion,
          ]),
        );
        for (const replica of replicas) {
          expect(Object.fromEntries(replica), `seed ${seed}`).to.deep.equal(truth);
        }
        expect(wrong).to.deep.equal([]);
        await harness.stop();
      }
    });

    it('joins from within a callback', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const log: string[] = [];
      let joined = false;
      harness.informer.addHandler({
        onAdd: () => {
          if (!joined) harness.informer.addHandler(recorder(log));
          joined = true;
        },
      });
      await harness.start();
      expect(log).to.deep.equal(['+shop/a@1!']);
      await harness.stop();
    });
  });

  describe('a handler', () => {
    it('that throws is reported with key and name, and other handlers miss no event', async () => {
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      const log: string[] = [];
      harness.informer.addHandler(
        {
          onAdd: (object) => {
            if (object.metadata.name === 'a') throw new Error('boom');
          },
          onDelete: () => Promise.reject(new Error('async boom')),
        },
        { name: 'fragile' },
      );
      harness.informer.addHandler(recorder(log));
      await harness.start();
      harness.source.delete({ namespace: 'shop', name: 'a' });
      await harness.settle();
      expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '-shop/a@3']);
      expect(
        harness.errors.map(({ error, context }) => [error.code, context.handler, context.key]),
      ).to.deep.equal([
        ['HANDLER', 'fragile', 'shop/a'],
        ['HANDLER', 'fragile', 'shop/a'],
      ]);
      expect(harness.errors[0]?.error.message).to.equal(
        'onAdd of fragile threw for "shop/a": boom',
      );
      expect(harness.errors[0]?.error.cause).to.be.instanceOf(Error);
      await harness.stop();
    });

    it('that is registered twice gets everything twice', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const log: string[] = [];
      const handler = recorder(log);
      const first = harness.informer.addHandler(handler);
      harness.informer.addHandler(handler);
      await harness.start();
      first.remove();
      harness.source.modify(pod('a'));
      await harness.settle();
      expect(log).to.deep.equal(['+shop/a@1!', '+shop/a@1!', '~shop/a@2']);
      await harness.stop();
    });

    it('that is removed gets nothing more, and may be removed again', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const [removed, kept]: [string[], string[]] = [[], []];
      const registration = harness.informer.addHandler(recorder(removed));
      harness.informer.addHandler(recorder(kept));
      await harness.start();
      harness.source.modify(pod('a'));
      registration.remove();
      registration.remove();
      await registration.close();
      harness.source.modify(pod('a'));
      await harness.settle();
      expect(removed).to.deep.equal(['+shop/a@1!']);
      expect(kept).to.deep.equal(['+shop/a@1!', '~shop/a@2', '~shop/a@3']);
      expect(harness.informer.inspect().handlers).to.have.length(1);
      await harness.stop();
      await registration.close();
    });

    it('that is removed is no longer counted, down to none', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const log: string[] = [];
      const first = harness.informer.addHandler(recorder(log));
      const second = harness.informer.addHandler(recorder(log));
      const count = (): number => harness.informer.inspect().handlers.length;
      expect(count()).to.equal(2);
      second.remove();
      expect(count()).to.equal(1);
      first.remove();
      expect(count()).to.equal(0);
      await harness.start();
      harness.source.modify(pod('a'));
      await harness.settle();
      expect(log).to.deep.equal([]);
      expect(harness.informer.indexer.get('shop/a')?.metadata.resourceVersion).to.equal('2');
      await harness.stop();
    });

    it('that is closed has returned from its last callback', async () => {
      const gate = deferred<void>();
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      let calls = 0;
      const registration = harness.informer.addHandler({
        onAdd: () => {
          calls += 1;
          return gate.promise;
        },
      });
      await harness.start();
      let closed = false;
      const closing = registration[Symbol.asyncDispose]().then(() => {
        closed = true;
      });
      await harness.settle();
      expect(closed).to.equal(false);
      gate.resolve();
      await closing;
      expect(calls).to.equal(1);
      await harness.stop();
    });

    it('goes with its signal', async () => {
      const harness = new Harness();
      const abort = new AbortController();
      harness.informer.addHandler({ onAdd: () => {} }, { signal: abort.signal });
      expect(harness.informer.inspect().handlers).to.have.length(1);
      abort.abort();
      expect(harness.informer.inspect().handlers).to.have.length(0);
      harness.informer.addHandler({ onAdd: () => {} }, { signal: abort.signal });
      expect(harness.informer.inspect().handlers).to.have.length(0);
      await harness.stop();
    });

    it('keeps its own this', async () => {
      class Counter {
        added = 0;
        onAdd(): void {
          this.added += 1;
        }
      }
      const harness = new Harness({ objects: [pod('a')] });
      const counter = new Counter();
      harness.informer.addHandler(counter);
      await harness.start();
      expect(counter.added).to.equal(1);
      await harness.stop();
    });

    it('is refused when it is none', async () => {
      const { informer } = new Harness();
      const bad: unknown[] = [undefined, {}, { onAdd: 'text' }, { view: 'spec', onAdd: () => {} }];
      for (const handler of bad) {
        expect(codeOf(() => informer.addHandler(handler as object))).to.equal('INVALID_OPTION');
      }
      const options = { nmae: 'typo' } as object;
      expect(codeOf(() => informer.addHandler({ onAdd: () => {} }, options))).to.equal(
        'INVALID_OPTION',
      );
      await informer.close();
    });
  });
});
