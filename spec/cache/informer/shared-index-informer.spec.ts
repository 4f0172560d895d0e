import { expect } from 'chai';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { expired, forbidden } from '../../../lib/meta/failure/failures.ts';
import { Harness, recorder } from '../support/informer-harness.ts';
import { codeOf, pod, rejection, type Pod } from '../support/objects.ts';

describe('SharedIndexInformer', () => {
  it('delivers the initial state and every change after it to handlers', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b')] });
    const log: string[] = [];
    harness.informer.addHandler(recorder(log));
    await harness.start();
    harness.source.add(pod('c'));
    harness.source.modify(pod('a', { labels: { x: 'y' } }));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    await harness.settle();
    expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '+shop/c@3', '~shop/a@4', '-shop/b@5']);
    expect(harness.informer.indexer.keys()).to.have.members(['shop/a', 'shop/c']);
    expect(harness.informer.lastSyncResourceVersion).to.equal('5');
    expect(harness.informer.indexer.resourceVersion).to.equal('5');
    await harness.stop();
  });

  it('shows a change in the cache before it delivers it', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const stored: (string | undefined)[] = [];
    const note = (_: unknown, { key }: { key: string }): void => {
      stored.push(harness.informer.indexer.get(key)?.metadata.resourceVersion);
    };
    harness.informer.addHandler({
      onAdd: note,
      onUpdate: (_, object, info) => note(object, info),
      onDelete: note,
    });
    await harness.start();
    harness.source.modify(pod('a'));
    await harness.settle();
    harness.source.delete({ namespace: 'shop', name: 'a' });
    await harness.settle();
    expect(stored).to.deep.equal(['1', '2', undefined]);
    await harness.stop();
  });

  for (const order of ['arrival', 'key'] as const) {
    it(`delivers after a relist only what changed in between (order ${order})`, async () => {
      const harness = new Harness({ order, objects: [pod('a'), pod('b'), pod('c')] });
      const log: string[] = [];
      const relists: number[] = [];
      harness.informer.addHandler(recorder(log));
      harness.informer.events.on('relist', ({ items }) => relists.push(items));
      await harness.start();
      log.length = 0;
      await harness.relist(() => {
        harness.source.delete({ namespace: 'shop', name: 'b' });
        harness.source.add(pod('d'));
        harness.source.modify(pod('c', { labels: { new: 'yes' } }));
      });
      expect(log).to.have.members(['-shop/b@2!', '~shop/c@6', '+shop/d@5']);
      expect(relists).to.deep.equal([3]);
      expect(harness.informer.synced).to.equal(true);
      await harness.stop();
    });
  }

  it('delivers a deletion and an addition when an object was recreated under another uid meanwhile', async () => {
    const harness = new Harness({ objects: [pod('a', { uid: 'first' })] });
    const log: string[] = [];
    harness.informer.addHandler(recorder(log));
    await harness.start();
    await harness.relist(() => {
      harness.source.delete({ namespace: 'shop', name: 'a' });
      harness.source.add(pod('a', { uid: 'second' }));
    });
    expect(log).to.deep.equal(['+shop/a@1!', '-shop/a@1!', '+shop/a@3']);
    await harness.stop();
  });

  describe('being synced', () => {
    it('means the cache for the informer, and its own callbacks for a handler', async () => {
      const gate = deferred<void>();
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      const slow = harness.informer.addHandler({ onAdd: () => gate.promise });
      const quick = harness.informer.addHandler({ onAdd: () => {} });
      expect([harness.informer.synced, slow.synced, quick.synced]).to.not.include(true);
      await harness.start();
      expect([harness.informer.synced, slow.synced, quick.synced]).to.deep.equal([
        true,
        false,
        true,
      ]);
      const error = await harness.runtime.run(rejection(slow.whenSynced({ timeoutMs: 1000 })));
      expect(error.code).to.equal('TIMEOUT');
      expect(error.message).to.include('handler-1 to see 2 more initial objects');
      gate.resolve();
      await harness.runtime.run(slow.whenSynced({ timeoutMs: 1000 }));
      expect(slow.synced).to.equal(true);
      await harness.stop();
    });

    it('comes with an empty list too', async () => {
      const harness = new Harness();
      const registration = harness.informer.addHandler({ onAdd: () => {} });
      await harness.start();
      expect(harness.informer.synced).to.equal(true);
      expect(registration.synced).to.equal(true);
      await harness.stop();
    });

    it('is not kept from a handler by its own failures', async () => {
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      const registration = harness.informer.addHandler({
        onAdd: () => {
          throw new Error('boom');
        },
      });
      await harness.start();
      expect(registration.synced).to.equal(true);
      await harness.stop();
    });

    it('fails at once when it has not been started, and says what to call', async () => {
      const harness = new Harness();
      const registration = harness.informer.addHandler({ onAdd: () => {} });
      for (const wait of [harness.informer.whenSynced(), registration.whenSynced()]) {
        const error = await harness.runtime.run(rejection(wait));
        expect(error.code).to.equal('NOT_STARTED');
        expect(error.message).to.include('pods').and.include('call start()');
      }
      expect(harness.runtime.monotonicMs()).to.equal(0);
      await harness.stop();
    });

    it('is in time when it is started later in the same task', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const registration = harness.informer.addHandler({ onAdd: () => {} });
      const waits = [harness.informer.whenSynced(), registration.whenSynced()];
      await Promise.resolve();
      harness.launch();
      await harness.runtime.run(Promise.all(waits));
      expect(registration.synced).to.equal(true);
      await harness.stop();
    });

    it('fails with what is missing and the last error when time is up', async () => {
      const harness = new Harness();
      harness.source.failNext(
        'watch-list',
        forbidden({ group: '', resource: 'pods' }, '', 'no'),
        99,
      );
      harness.source.failNext('list', forbidden({ group: '', resource: 'pods' }, '', 'no'), 99);
      const early = await harness.runtime.run(
        rejection(harness.informer.whenSynced({ timeoutMs: 10 })),
      );
      expect(early.code).to.equal('NOT_STARTED');
      expect(early.message).to.include('the first list of pods, which has not been started');
      harness.launch();
      const error = await harness.runtime.run(
        rejection(harness.informer.whenSynced({ timeoutMs: 5000 })),
      );
      expect(error.code).to.equal('TIMEOUT');
      expect(error.message).to.include('the first list of pods').and.include('is forbidden');
      expect(harness.informer.inspect().lastError?.message).to.include('is forbidden');
      await harness.stop();
      const late = await rejection(harness.informer.whenSynced());
      expect(late.code).to.equal('CLOSED');
    });

    it('stops being waited for when the signal aborts', async () => {
      const harness = new Harness();
      const reason = new Error('enough');
      const abort = new AbortController();
      const waits = [
        rejection(harness.informer.whenSynced({ signal: abort.signal })),
        rejection(
          harness.informer.addHandler({ onAdd: () => {} }).whenSynced({ signal: abort.signal }),
        ),
      ];
      abort.abort(reason);
      expect(await Promise.all(waits)).to.deep.equal([reason, reason]);
      await harness.stop();
    });

    it('ends the wait of a handler that is removed first', async () => {
      const harness = new Harness();
      const registration = harness.informer.addHandler({ onAdd: () => {} });
      const waiting = rejection(registration.whenSynced());
      registration.remove();
      expect((await waiting).code).to.equal('CLOSED');
      await harness.stop();
    });
  });

  describe('a transform', () => {
    it('changes the objects that are stored and delivered, each once', async () => {
      let calls = 0;
      const harness = new Harness({
        objects: [pod('a')],
        resyncIntervalMs: 1000,
        transform: (object) => {
          calls += 1;
          return { ...object, metadata: { ...object.metadata, labels: { seen: String(calls) } } };
        },
      });
      const labels: unknown[] = [];
      harness.informer.addHandler({
        onAdd: ({ metadata }) => labels.push(metadata.labels),
        onUpdate: (_, { metadata }) => labels.push(metadata.labels),
        onDelete: ({ metadata }) => labels.push(metadata.labels),
      });
      await harness.start();
      await harness.runtime.advance(3500);
      harness.source.modify(pod('a'));
      await harness.settle();
      harness.source.delete({ namespace: 'shop', name: 'a' });
      await harness.settle();
      expect(calls).to.equal(3);
      expect(labels).to.deep.equal([
        { seen: '1' },
        { seen: '1' },
        { seen: '1' },
        { seen: '1' },
        { seen: '2' },
        { seen: '3' },
      ]);
      await harness.stop();
    });

    it('that fails costs one object, not the list, and no phantom deletion', async () => {
      let broken = true;
      const harness = new Harness({
        objects: [pod('a'), pod('bad'), pod('c')],
        transform: (object) => {
          if (broken && object.metadata.name === 'bad') throw new Error('cannot');
          return object;
        },
      });
      const log: string[] = [];
      harness.informer.addHandler(recorder(log));
      await harness.start();
      expect(log).to.deep.equal(['+shop/a@1!', '+shop/c@3!']);
      expect(harness.errors.map(({ error, context }) => [error.code, context.key])).to.deep.equal([
        ['TRANSFORM', 'shop/bad'],
      ]);
      broken = false;
      harness.source.modify(pod('bad'));
      await harness.settle();
      broken = true;
      await harness.relist(() => harness.source.modify(pod('bad')));
      harness.source.delete({ namespace: 'shop', name: 'bad' });
      await harness.settle();
      expect(log.slice(2)).to.deep.equal(['+shop/bad@4', '-shop/bad@4!']);
      await harness.stop();
    });

    it('that returns no object gives an error that says so', async () => {
      const harness = new Harness({
        objects: [pod('a')],
        transform: () => undefined as unknown as Pod,
      });
      await harness.start();
      expect(harness.errors[0]?.error.message).to.include('the function gave back undefined');
      await harness.stop();
    });
  });

  describe('a resync', () => {
    it('goes to the handlers whose interval has passed, without a request', async () => {
      const harness = new Harness({ objects: [pod('a'), pod('b')], resyncIntervalMs: 1000 });
      const logs: Record<string, string[]> = { none: [], two: [], three: [] };
      const add = (name: string, resyncIntervalMs: number): void => {
        harness.informer.addHandler(recorder(logs[name]!), { name, resyncIntervalMs });
      };
      add('none', 0);
      add('two', 2000);
      add('three', 3000);
      await harness.start();
      for (const log of Object.values(logs)) {
        expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!']);
        log.length = 0;
      }
      const requests = harness.source.requests.length;
      const again = ['~shop/a@1!', '~shop/b@2!'];
      await harness.runtime.advance(2500);
      expect(logs).to.deep.equal({ none: [], two: again, three: [] });
      await harness.runtime.advance(1000);
      expect(logs).to.deep.equal({ none: [], two: again, three: again });
      expect(harness.source.requests).to.have.length(requests);
      await harness.stop();
    });

    it('gives the object of the cache as old and new', async () => {
      const harness = new Harness({ objects: [pod('a')], resyncIntervalMs: 1000 });
      const seen: unknown[] = [];
      harness.informer.addHandler({
        onUpdate: (old, object, { resync, key }) => {
          seen.push([old === object, resync, key]);
        },
      });
      await harness.start();
      await harness.runtime.advance(1500);
      expect(seen).to.deep.equal([[true, true, 'shop/a']]);
      await harness.stop();
    });
  });

  describe('life', () => {
    it('is lived once', async () => {
      const harness = new Harness();
      await harness.start();
      expect((await rejection(harness.informer.run())).code).to.equal('ALREADY_STARTED');
      await harness.stop();
      await harness.stop();
      expect(harness.informer.phase).to.equal('stopped');
      expect((await rejection(harness.informer.run())).code).to.equal('CLOSED');
      const add = (): unknown => harness.informer.addHandler({ onAdd: () => {} }, { name: 'late' });
      expect(add).to.throw('late: the informer pods has stopped');
      expect(codeOf(add)).to.equal('CLOSED');
    });

    it('may end before it began', async () => {
      const harness = new Harness();
      const registration = harness.informer.addHandler({ onAdd: () => {} });
      const waiting = rejection(registration.whenSynced());
      await harness.informer.close();
      expect((await waiting).code).to.equal('CLOSED');
      expect((await rejection(harness.informer.run())).code).to.equal('CLOSED');
    });

    it('ends with the signal, after the last callback, and keeps the cache readable', async () => {
      const gate = deferred<void>();
      const harness = new Harness({ objects: [pod('a'), pod('b')] });
      const { informer, runtime } = harness;
      const calls: string[] = [];
      informer.addHandler({
        onAdd: (_, { key }) => {
          calls.push(key);
          return gate.promise;
        },
      });
      const events: string[] = [];
      informer.events.on('stopped', () => events.push('stopped'));
      const abort = new AbortController();
      let ended = false;
      const running = informer.run({ signal: abort.signal }).then(() => {
        ended = true;
      });
      await runtime.run(informer.whenSynced({ timeoutMs: 1000 }));
      await runtime.settle();
      abort.abort();
      await runtime.settle();
      expect(ended).to.equal(false);
      gate.resolve();
      await running;
      expect(calls).to.deep.equal(['shop/a']);
      expect(events).to.deep.equal(['stopped']);
      expect(informer.lister.list()).to.have.length(2);
      expect(harness.source.openWatches).to.equal(0);
      expect(runtime.pending).to.equal(0);
    });

    it('applies no further batch once it is stopping', async () => {
      const harness = new Harness();
      await harness.start();
      for (let index = 0; index < 3000; index += 1) harness.source.add(pod(`p${index}`));
      // Continuations run, but no task of the runtime: the first batch is in the store, the rest in the queue.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(harness.informer.inspect()).to.include({ objects: 1000, queued: 2000 });
      await harness.stop();
      expect(harness.informer.inspect()).to.include({ objects: 1000, queued: 2000 });
    });

    it('is over at once with a signal that has aborted before', async () => {
      const { informer } = new Harness();
      await informer.run({ signal: AbortSignal.abort() });
      expect(informer.phase).to.equal('stopped');
      expect(informer.synced).to.equal(false);
    });

    it('has events for what happens besides the objects', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const { events } = harness.informer;
      const log: string[] = [];
      events.on('synced', () => log.push('synced'));
      events.on('bookmark', (version) => log.push(`bookmark ${version}`));
      events.on('relist', ({ resourceVersion }) => log.push(`relist ${resourceVersion}`));
      events.on('watch-error', (_, { next }) => log.push(`watch-error, then ${next}`));
      await harness.start();
      harness.source.skipVersions(5);
      harness.source.bookmark();
      await harness.settle();
      expect(log).to.deep.equal(['synced', 'bookmark 6']);
      expect(harness.informer.indexer.resourceVersion).to.equal('6');
      await harness.relist(() => harness.source.add(pod('b')));
      expect(log.filter((one) => one.startsWith('watch-error'))).to.not.deep.equal([]);
      expect(log.at(-1)).to.equal('relist 7');
      await harness.stop();
    });

    it('calls its error hook for a list that was refused', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const refusal = forbidden({ group: '', resource: 'pods' }, '', 'Access Denied');
      harness.source.failNext('watch-list', refusal);
      harness.source.failNext('list', refusal);
      await harness.start();
      const [first] = harness.errors;
      expect(first?.error).to.equal(refusal);
      expect(first?.context).to.include({ informer: 'pods', source: 'watch' });
      expect(first?.context.message).to.include('Access Denied');
      await harness.stop();
    });

    it('goes from new to running to stopped, and says where it is', async () => {
      const harness = new Harness({ objects: [pod('a')] });
      const log: string[] = [];
      harness.informer.addHandler(recorder(log));
      expect(harness.informer.phase).to.equal('new');
      await harness.start();
      expect(log).to.deep.equal(['+shop/a@1!']);
      expect(harness.informer.phase).to.equal('running');
      await harness.stop();
      expect(harness.informer.phase).to.equal('stopped');
      expect((await rejection(harness.informer.run())).code).to.equal('CLOSED');
      expect(harness.informer.phase).to.equal('stopped');
    });

    it('does not call the error hook for an expired version', async () => {
      const harness = new Harness();
      const notified: boolean[] = [];
      harness.informer.events.on('watch-error', (_, { expected }) => notified.push(expected));
      await harness.start();
      harness.source.dropConnections(expired('too old resource version'));
      await harness.runtime.advance(60_000);
      expect(notified).to.deep.equal([true]);
      expect(harness.errors).to.deep.equal([]);
      expect(harness.informer.inspect().lastError).to.equal(undefined);
      const refusal = forbidden({ group: '', resource: 'pods' }, '', 'no');
      harness.source.failNext('watch', refusal);
      harness.source.dropConnections(refusal);
      await harness.settle();
      expect(harness.errors.map(({ context }) => context.source)).to.include('watch');
      await harness.stop();
    });

    it('is not disturbed by listeners and hooks that throw', async () => {
      const harness = new Harness({
        objects: [pod('a')],
        onError: () => {
          throw new Error('hook');
        },
      });
      const log: string[] = [];
      const fail = (): never => {
        throw new Error('listener');
      };
      for (const event of ['synced', 'transition', 'bookmark', 'stopped'] as const) {
        harness.informer.events.on(event, fail);
      }
      harness.informer.addHandler({ onAdd: fail });
      harness.informer.addHandler(recorder(log));
      await harness.start();
      harness.source.bookmark();
      harness.source.add(pod('b'));
      await harness.settle();
      expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2']);
      expect(harness.warnings.some((one) => one.includes('hook=onError'))).to.equal(true);
      await harness.stop();
    });

    it('starts with options that make sense', () => {
      const bad: object[] = [
        { resyncIntervall: 1 },
        { resyncIntervalMs: -1 },
        { queueCapacity: 0 },
        { order: 'random' },
        { pageSize: -1 },
        { silenceProbeMs: -1 },
        { freeze: 'yes' },
        { transform: 'none' },
        { keyFunc: 1 },
        { matches: null },
        { onError: [] },
      ];
      for (const options of bad) {
        expect(
          codeOf(() => new Harness(options)),
          JSON.stringify(options),
        ).to.equal('INVALID_OPTION');
      }
    });
  });
});
