import { expect } from 'chai';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ApiError } from '../../../lib/meta/failure/api-error.ts';
import {
  expired,
  isExpired,
  isTooLargeResourceVersion,
} from '../../../lib/meta/failure/failures.ts';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import type { StorageWatch } from '../../../lib/server/storage/contract/storage-interface.ts';
import {
  CacherHarness,
  overriding,
  pod,
  podKey,
  PREFIX,
  selecting,
  WatchRecorder,
  type Pod,
} from './cacher-harness.ts';
import { checkInterleaving } from './interleaving.ts';
import { lineLogger } from '../../support/line-logger.ts';

const WATCH_LIST = { sendInitialEvents: true, progressNotify: true } as const;
const WEB = { labels: { app: 'web' } };

const caught = (work: Promise<unknown>): Promise<ApiError> =>
  work.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as ApiError,
  );

describe('Cacher', () => {
  let harness: CacherHarness;
  function set(...made: ConstructorParameters<typeof CacherHarness>): void {
    harness = new CacherHarness(...made);
  }
  afterEach(async () => {
    await harness.stop();
    expect(harness.runtime.pending).to.equal(0);
  });

  describe('start of a watch', () => {
    beforeEach(async () => {
      set();
      await harness.create('b');
      await harness.create('a');
    });

    it('begins with the state when no version is given, then goes on with changes', async () => {
      const recorder = await harness.record();
      await harness.create('c');
      await harness.runtime.settle();
      expect(recorder.lines).to.deep.equal([
        'ADDED shop/a @3',
        'ADDED shop/b @2',
        'ADDED shop/c @4',
      ]);
    });

    it('resumes with the changes after the given version', async () => {
      const first = await harness.record();
      await harness.update('a', WEB);
      await harness.create('c');
      await harness.delete('a');
      await harness.runtime.settle();
      const resumed = await harness.record({ resourceVersion: '4' });
      await harness.runtime.settle();
      expect(resumed.lines).to.deep.equal(['ADDED shop/c @5', 'DELETED shop/a @6']);
      expect(first.lines.slice(-2)).to.deep.equal(resumed.lines);
      // The very same events, so whatever was made of them for one reader serves the other.
      expect(
        first.events.slice(-2).every((event, index) => event === resumed.events[index]),
      ).to.equal(true);
    });

    it('marks the end of the initial events with a version that covers writes to other resources', async () => {
      await harness.record();
      await harness.writeElsewhere();
      const recorder = await harness.record(WATCH_LIST);
      await harness.runtime.settle();
      expect(recorder.lines).to.deep.equal([
        'ADDED shop/a @3',
        'ADDED shop/b @2',
        'BOOKMARK @4 end',
      ]);
    });

    it('begins a watch list at version 0 with the present state of the cache', async () => {
      await harness.record();
      await harness.writeElsewhere();
      const recorder = await harness.record({ ...WATCH_LIST, resourceVersion: '0' });
      await harness.runtime.settle();
      expect(recorder.lines.at(-1)).to.equal('BOOKMARK @3 end');
    });

    it('begins now, without a state, when initial events are declined', async () => {
      await harness.record();
      for (const resourceVersion of [undefined, '0']) {
        const recorder = await harness.record({
          sendInitialEvents: false,
          progressNotify: true,
          resourceVersion,
        });
        await harness.runtime.settle();
        expect(recorder.lines).to.deep.equal([]);
        const version = await harness.update('a', { labels: { round: String(resourceVersion) } });
        await harness.runtime.settle();
        expect(recorder.lines).to.deep.equal([`MODIFIED shop/a @${version}`]);
      }
    });

    it('takes a version in the future, and leaves out what happens before it', async () => {
      const recorder = await harness.record({ resourceVersion: '5' });
      for (const name of ['c', 'd', 'e']) await harness.create(name);
      await harness.runtime.settle();
      expect(recorder.lines).to.deep.equal(['ADDED shop/e @6']);
    });

    it('gives 410 in the stream for a version from before the cache was filled', async () => {
      const recorder = await harness.record({ resourceVersion: '1' });
      await recorder.done;
      expect(isExpired(recorder.error)).to.equal(true);
      expect(String(recorder.error)).to.contain('too old resource version: 1 (3)');
    });

    it('gives 504 in the stream for a state that is not reached within 3 seconds', async () => {
      const watch = harness.cacher.watch(PREFIX, { ...WATCH_LIST, resourceVersion: '1000' });
      const recorder = new WatchRecorder(await harness.runtime.run(watch));
      await recorder.done;
      expect(isTooLargeResourceVersion(recorder.error)).to.equal(true);
      expect(harness.runtime.monotonicMs()).to.equal(3000);
    });

    it('refuses a bad version or key at once', async () => {
      const version = await caught(harness.cacher.watch(PREFIX, { resourceVersion: 'x' }));
      expect(version.httpStatus).to.equal(500);
      expect((await caught(harness.cacher.watch('/registry/nodes/'))).code).to.equal('INVALID_KEY');
    });

    it('is an empty stream when the signal has aborted before, or aborts while it waits', async () => {
      const abort = new AbortController();
      const waiting = harness.record({
        ...WATCH_LIST,
        resourceVersion: '1000',
        signal: abort.signal,
      });
      harness.runtime.setTimer(1000, () => {
        abort.abort();
      });
      for (const recorder of [
        await harness.record({ signal: AbortSignal.abort() }),
        await waiting,
      ]) {
        await recorder.done;
        expect([recorder.events, recorder.error]).to.deep.equal([[], undefined]);
      }
    });

    it('keeps to a namespace, a single object and a selector', async () => {
      const shop = await harness.record({}, `${PREFIX}shop`);
      const single = await harness.record({ recursive: false }, podKey('a'));
      const web = await harness.record({ predicate: selecting('app=web') });
      await harness.create('ab', WEB);
      await harness.create('a', { namespace: 'shop-2' });
      await harness.update('a', WEB);
      await harness.runtime.settle();
      expect(shop.lines).to.deep.equal([
        'ADDED shop/a @3',
        'ADDED shop/b @2',
        'ADDED shop/ab @4',
        'MODIFIED shop/a @6',
      ]);
      expect(single.lines).to.deep.equal(['ADDED shop/a @3', 'MODIFIED shop/a @6']);
      expect(web.lines).to.deep.equal(['ADDED shop/ab @4', 'ADDED shop/a @6']);
    });
  });

  describe('delivery', () => {
    it('misses nothing and repeats nothing, in every order of writes and registrations', async () => {
      for (let seed = 1; seed <= 20; seed += 1) {
        const runtime = new VirtualRuntime({ seed, order: 'random' });
        set({}, undefined, runtime);
        await checkInterleaving(harness, seed);
        if (seed < 20) await harness.stop();
      }
    });

    it('gives a deletion the version of the deletion and the last content', async () => {
      set();
      await harness.create('a', WEB);
      const recorder = await harness.record({ predicate: selecting('app=web') });
      const version = await harness.delete('a');
      await harness.runtime.settle();
      const deletion = recorder.events.at(-1);
      if (deletion?.type !== 'DELETED') throw new Error('expected a deletion');
      expect(deletion.object.resourceVersion).to.equal(version);
      expect(deletion.object.object.metadata).to.include({ name: 'a', resourceVersion: version });
      expect(deletion.object.object.metadata?.labels).to.deep.equal(WEB.labels);
    });

    it('delivers the changes of one transaction to a watch that starts right before it', async () => {
      set();
      await harness.create('a');
      await harness.record();
      const puts = ['x', 'y', 'z'].map(
        (name) =>
          ({
            type: 'put',
            key: podKey(name),
            value: Buffer.from(JSON.stringify(pod(name))),
          }) as const,
      );
      await harness.store.txn({ compare: [], success: puts });
      await harness.runtime.settle();
      const recorder = await harness.record({ resourceVersion: '2' });
      await harness.runtime.settle();
      expect(recorder.lines).to.deep.equal([
        'ADDED shop/x @3',
        'ADDED shop/y @3',
        'ADDED shop/z @3',
      ]);
    });

    it('ends a watcher that does not read, delaying the others by no more than 100 ms', async () => {
      const warnings: string[] = [];
      set({ logger: lineLogger((line) => warnings.push(line)) });
      await harness.create('a');
      const stuck = await harness.runtime.run(harness.cacher.watch(PREFIX));
      const recorder = await harness.record();
      for (let index = 0; index < 1050; index += 1) await harness.create(`p${index}`);
      await harness.runtime.advance(100);
      expect(recorder.events).to.have.length(1051);
      expect(harness.cacher.status.watcherCount).to.equal(1);
      expect(warnings.join()).to.contain('does not keep up').and.to.contain('watcher=0');
      const late = new WatchRecorder(stuck);
      await harness.runtime.settle();
      // It gets by resuming the events that it could not hold.
      expect([late.ended, late.events.length, late.error]).to.deep.equal([true, 1001, undefined]);
      const resumed = await harness.record({ resourceVersion: '1002' });
      await harness.runtime.settle();
      expect(resumed.events).to.have.length(50);
    });

    it('repeats nothing to a watcher that joins while a slow one is waited for', async () => {
      set();
      await harness.create('a');
      const stuck = await harness.runtime.run(
        harness.cacher.watch(PREFIX, { resourceVersion: '2' }),
      );
      for (let index = 0; index < 1050; index += 1) await harness.create(`p${index}`);
      await harness.runtime.settle();
      // The cache shows all of it, 50 changes are still to be dispatched.
      expect(harness.cacher.status).to.include({ objectCount: 1051, watcherCount: 1 });
      const recorders = [await harness.record(), await harness.record({ resourceVersion: '1000' })];
      await harness.runtime.advance(1000);
      expect(recorders.map(({ events }) => events.length)).to.deep.equal([1051, 52]);
      stuck.destroy();
    });

    it('sends bookmarks with growing versions that never fall behind an event', async () => {
      set();
      await harness.create('a');
      const recorder = await harness.record({ ...WATCH_LIST, deadlineMonotonicMs: 3000 });
      for (let index = 0; index < 100; index += 1) {
        await harness.create(`p${index}`);
        await harness.runtime.advance(30);
      }
      const bookmarks = recorder.events.filter(({ type }) => type === 'BOOKMARK');
      expect(bookmarks.length).to.be.within(2, 3);
      expect(recorder.lines.filter((line) => line.endsWith('end'))).to.have.length(1);
      let last = 0n;
      for (const event of recorder.events) {
        const version = BigInt(
          event.type === 'BOOKMARK' ? event.resourceVersion : event.object.resourceVersion,
        );
        if (event.type === 'BOOKMARK') expect(version >= last).to.equal(true);
        else expect(version > last).to.equal(true);
        last = version;
      }
      expect(recorder.events).to.have.length(101 + bookmarks.length);
    });

    it('sends bookmarks with a recent version even while nothing of the resource happens', async () => {
      set();
      const recorder = await harness.record({ progressNotify: true });
      await harness.runtime.advance(30_000);
      await harness.writeElsewhere();
      await harness.runtime.advance(32_000);
      expect(recorder.lines).to.deep.equal(['BOOKMARK @2']);
    });

    it('continues when the storage refuses progress requests, and logs it', async () => {
      const warnings: string[] = [];
      set(
        {
          logger: {
            ...silentLogger,
            warn: (message, fields) => warnings.push(`${message}: ${String(fields?.['error'])}`),
          },
        },
        (raw) =>
          overriding(raw, {
            requestWatchProgress: () => Promise.reject(new Error('no connection')),
          }),
      );
      const recorder = await harness.record({ progressNotify: true });
      await harness.runtime.advance(62_000);
      expect(recorder.lines).to.deep.equal(['BOOKMARK @1']);
      await harness.writeElsewhere();
      await harness.runtime.run(harness.cacher.getList(PREFIX));
      expect(warnings.length).to.be.greaterThan(1);
      expect(new Set(warnings)).to.deep.equal(
        new Set(['the storage refused a progress request: no connection']),
      );
    });

    it('sends bookmarks only to watches that requested them', async () => {
      set();
      const recorder = await harness.record({ sendInitialEvents: true });
      await harness.runtime.advance(300_000);
      expect(recorder.lines).to.deep.equal([]);
    });
  });

  describe('life cycle', () => {
    it('begins to fill its cache with the first use, and serves within the same instant', async () => {
      set();
      await harness.create('a');
      expect(harness.cacher.status).to.include({
        readiness: 'pending',
        objectCount: 0,
        generation: 0,
      });
      await harness.runtime.settle();
      expect(harness.cacher.status.readiness).to.equal('pending');
      const { items } = await harness.runtime.run(
        harness.cacher.getList(PREFIX, { resourceVersion: '0' }),
      );
      expect(items).to.have.length(1);
      expect(harness.runtime.monotonicMs()).to.equal(0);
      expect(harness.cacher.status).to.include({
        readiness: 'ready',
        objectCount: 1,
        generation: 1,
      });
    });

    it('is ready after start, without a request', async () => {
      set();
      harness.cacher.start();
      harness.cacher.start();
      await harness.runtime.run(harness.cacher.readinessCheck());
      expect(harness.cacher.status).to.include({
        readiness: 'ready',
        generation: 1,
        resourceVersion: '1',
      });
    });

    it('lets requests wait 3 seconds for its first list, then refuses them with 429', async () => {
      set({}, (raw) => overriding(raw, { getList: () => new Promise(() => {}) }));
      for (const request of [
        () => harness.cacher.watch(PREFIX),
        () => harness.cacher.getList(PREFIX),
        () => harness.cacher.readinessCheck(),
      ]) {
        const beganAtMs = harness.runtime.monotonicMs();
        const error = await harness.runtime.run(caught(request()));
        expect([error.httpStatus, error.retryAfterMs]).to.deep.equal([429, 1000]);
        expect(harness.runtime.monotonicMs() - beganAtMs).to.equal(3000);
      }
    });

    it('says in that refusal why the storage was not read', async () => {
      set({}, (raw) =>
        overriding(raw, { getList: () => Promise.reject(new Error('no leader in the cluster')) }),
      );
      const { message } = await harness.runtime.run(caught(harness.cacher.getList(PREFIX)));
      expect(message).to.match(
        /is not filled yet; the last try failed: .*no leader in the cluster/,
      );
    });

    it('ends all watches and fills the cache again when the storage has lost its history', async () => {
      const failing = deferred<void>();
      let watches = 0;
      set({}, (raw) =>
        overriding(raw, {
          watch: async (key, options): Promise<StorageWatch<Pod>> => {
            watches += 1;
            return watches === 1
              ? brokenAfter(await raw.watch(key, options), failing.promise)
              : raw.watch(key, options);
          },
        }),
      );
      await harness.create('a');
      const recorder = await harness.record(WATCH_LIST);
      await harness.runtime.settle();
      failing.resolve();
      await harness.create('b');
      await harness.runtime.advance(5000);
      expect([recorder.ended, recorder.error]).to.deep.equal([true, undefined]);
      expect(recorder.lines).to.deep.equal(['ADDED shop/a @2', 'BOOKMARK @2 end']);
      expect(harness.cacher.status).to.include({
        readiness: 'ready',
        generation: 2,
        objectCount: 2,
        watcherCount: 0,
      });
      const old = await harness.record({ resourceVersion: '2' });
      await old.done;
      expect(isExpired(old.error)).to.equal(true);
    });

    it('ends its watches as soon as it has to list again, and lets requests wait for that', async () => {
      const failing = deferred<void>();
      const listing = deferred<void>();
      let lists = 0;
      set({}, (raw) =>
        overriding(raw, {
          watch: async (key, options) =>
            brokenAfter(await raw.watch(key, options), failing.promise),
          getList: async (key, options) => {
            lists += 1;
            if (lists === 2) await listing.promise;
            return await raw.getList(key, options);
          },
        }),
      );
      const recorder = await harness.record();
      failing.resolve();
      await harness.runtime.advance(2000);
      expect([recorder.ended, harness.cacher.status.readiness]).to.deep.equal([true, 'pending']);
      const waiting = harness.cacher.watch(PREFIX, {
        progressNotify: true,
        sendInitialEvents: true,
      });
      await harness.runtime.advance(1000);
      listing.resolve();
      const late = new WatchRecorder(await harness.runtime.run(waiting));
      await harness.runtime.settle();
      expect(late.lines).to.deep.equal(['BOOKMARK @1 end']);
    });

    it('leaves no timer, no watch and no waiting request behind when it is stopped', async () => {
      set();
      const recorder = await harness.record(WATCH_LIST);
      const waiting = caught(harness.cacher.getList(PREFIX, { resourceVersion: '1000' }));
      await harness.runtime.settle();
      await harness.runtime.run(harness.cacher.close());
      expect((await waiting).httpStatus).to.equal(503);
      await recorder.done;
      expect(recorder.error).to.equal(undefined);
      expect((await caught(harness.cacher.watch(PREFIX))).httpStatus).to.equal(503);
      await harness.cacher.close();
      expect(harness.runtime.pending).to.equal(0);
    });

    it('may be stopped before it was started', async () => {
      set();
      await harness.cacher[Symbol.asyncDispose]();
      expect(harness.cacher.status.readiness).to.equal('stopped');
    });

    it('refuses unknown and wrong options by name', () => {
      set();
      const make = (options: object): unknown =>
        new Cacher<Pod>({ storage: harness.raw, resourcePrefix: PREFIX, ...options });
      expect(() => make({ capacity: 5 })).to.throw('capacity');
      expect(() => make({ readyTimeoutMs: -1 })).to.throw('readyTimeoutMs');
      expect(() => make({ resourcePrefix: '' })).to.throw('resource prefix');
    });
  });
});

/** A watch that fails with 410 as soon as `when` resolves. */
function brokenAfter(watch: StorageWatch<Pod>, when: Promise<void>): StorageWatch<Pod> {
  return {
    destroy: () => {
      watch.destroy();
    },
    async *[Symbol.asyncIterator]() {
      const reader = watch[Symbol.asyncIterator]();
      const broken = when.then(() => 'broken' as const);
      for (;;) {
        const result = await Promise.race([reader.next(), broken]);
        if (result === 'broken') throw expired('the history is lost');
        if (result.done === true) return;
        yield result.value;
      }
    },
  };
}
