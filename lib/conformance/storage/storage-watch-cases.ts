import assert from 'node:assert/strict';
import type { StorageWatchOptions } from '../../server/storage/contract/storage-interface.ts';
import { conformanceKey, conformancePredicate, type ConformancePod } from './conformance-pod.ts';
import {
  INVALID_VERSION,
  rejection,
  type ConformanceCase,
  type StorageUnderTest,
} from './storage-under-test.ts';
import { StorageWatchProbe } from './storage-watch-probe.ts';

async function probe(
  under: StorageUnderTest,
  path: string,
  options: StorageWatchOptions<ConformancePod> = {},
): Promise<StorageWatchProbe> {
  const watch = await under.storage.watch(conformanceKey(path), options);
  return new StorageWatchProbe(watch, under.harness.runtime);
}

/** A watch of changes from now on. */
async function probeFromNow(
  under: StorageUnderTest,
  path: string,
  options: StorageWatchOptions<ConformancePod> = {},
): Promise<StorageWatchProbe> {
  const resourceVersion = await under.storage.getCurrentResourceVersion();
  return await probe(under, path, { resourceVersion, ...options });
}

export const watchCases: readonly ConformanceCase[] = [
  {
    title: 'delivers creations, updates and deletions, each with its resource version',
    upstream: ['RunTestWatch', 'RunTestDeleteTriggerWatch'],
    check: async (under) => {
      for (const recursive of [true, false]) {
        const watch = await probeFromNow(under, recursive ? '' : 'a/x', { recursive });
        const changes = [
          await under.create('a/x'),
          await under.move('a/x', 'n1'),
          await under.delete('a/x'),
        ];
        for (const [index, type] of (['ADDED', 'MODIFIED', 'DELETED'] as const).entries()) {
          const event = await watch.next();
          assert(event?.type === type, `${type} expected, not ${event?.type}`);
          assert.equal(event.object.resourceVersion, changes[index]?.resourceVersion);
          assert.deepEqual(event.object.object, changes[index]?.object);
          assert.equal(event.object.key, conformanceKey('a/x'));
        }
        await watch.expectSilence();
        watch.watch.destroy();
      }
    },
  },
  {
    title: 'shows objects entering and leaving a selection as ADDED and DELETED',
    upstream: ['RunTestWatch'],
    check: async (under) => {
      const predicate = conformancePredicate({ fields: 'spec.nodeName=in' });
      const watch = await probeFromNow(under, '', { predicate });
      await under.create('a/x', { nodeName: 'out' });
      await under.move('a/x', 'elsewhere');
      await under.move('a/x', 'in');
      await under.storage.guaranteedUpdate(conformanceKey('a/x'), ({ existing }) => ({
        object: { ...existing, metadata: { ...existing?.metadata, labels: { a: 'b' } } },
      }));
      const left = await under.move('a/x', 'out');
      await under.delete('a/x');
      await under.create('a/y', { nodeName: 'in' });
      await under.delete('a/y');
      await watch.expect('ADDED a/x@in', 'MODIFIED a/x@in');
      const gone = await watch.next();
      assert(gone?.type === 'DELETED');
      assert.equal(gone.object.object.spec?.nodeName, 'in', 'its content before');
      assert.equal(gone.object.resourceVersion, left.resourceVersion, 'the version of the change');
      assert.equal(gone.object.metadata.resourceVersion, left.resourceVersion);
      await watch.expect('ADDED a/y@in', 'DELETED a/y@in');
      await watch.expectSilence();
    },
  },
  {
    title: 'sees neither siblings with a common prefix nor other namespaces',
    upstream: ['RunTestWatch'],
    check: async (under) => {
      const namespace = await probeFromNow(under, 'ns');
      const single = await probeFromNow(under, 'ns/x', { recursive: false });
      for (const path of ['ns-1/x', 'ns1/x', 'ns/x1', 'n/x', 'ns/x']) await under.create(path);
      await namespace.expect('ADDED ns/x1', 'ADDED ns/x');
      await namespace.expectSilence();
      await single.expect('ADDED ns/x');
      await single.expectSilence();
    },
  },
  {
    title: 'starts right after a resource version',
    upstream: ['RunTestWatchFromNonZero'],
    check: async (under) => {
      const created = await under.create('a/x');
      await under.move('a/x', 'n1');
      await under.move('a/x', 'n2');
      const watch = await probe(under, '', { resourceVersion: created.resourceVersion });
      await watch.expect('MODIFIED a/x@n1', 'MODIFIED a/x@n2');
      await under.delete('a/x');
      await watch.expect('DELETED a/x@n2');
    },
  },
  {
    title: 'gives the reader of a deletion the very object that delete returned',
    upstream: ['RunTestWatchDeleteEventObjectHaveLatestRV'],
    check: async (under) => {
      await under.create('a/x', { uid: 'u' });
      const watch = await probeFromNow(under, '');
      const deleted = await under.delete('a/x');
      const event = await watch.next();
      assert(event?.type === 'DELETED');
      assert.deepEqual(event.object.object, deleted.object);
      assert.deepEqual(Buffer.from(event.object.bytes), Buffer.from(deleted.bytes));
    },
  },
  {
    title: 'delivers everything to a reader that comes late, in order and without gaps',
    upstream: ['RunTestDelayedWatchDelivery'],
    check: async (under) => {
      const watch = await probeFromNow(under, '');
      await under.create('a/x');
      for (let index = 0; index < 50; index += 1) await under.move('a/x', `n${index}`);
      await watch.expect('ADDED a/x');
      for (let index = 0; index < 50; index += 1) await watch.expect(`MODIFIED a/x@n${index}`);
    },
  },
  {
    title: 'is not delayed by watches that are not read',
    upstream: ['RunTestWatcherTimeout'],
    check: async (under) => {
      const idle = [];
      for (let index = 0; index < 50; index += 1) idle.push(await probeFromNow(under, ''));
      const watch = await probeFromNow(under, '');
      const startMs = under.harness.runtime.monotonicMs();
      await under.create('a/x');
      await watch.expect('ADDED a/x');
      for (let index = 0; index < 22; index += 1) {
        await under.move('a/x', `n${index}`);
        await watch.expect(`MODIFIED a/x@n${index}`);
      }
      const tookMs = under.harness.runtime.monotonicMs() - startMs;
      assert(tookMs < 22 * 250, `it took ${tookMs} ms`);
      for (const one of idle) one.watch.destroy();
    },
  },
  {
    title: 'ends without an error when it is closed or the caller gives up',
    upstream: ['RunTestWatchContextCancel'],
    check: async (under) => {
      const closed = await probeFromNow(under, '');
      const controller = new AbortController();
      const aborted = await probeFromNow(under, '', { signal: controller.signal });
      const reads = [closed.next(), aborted.next()];
      closed.watch.destroy();
      controller.abort();
      assert.deepEqual(await Promise.all(reads), [undefined, undefined]);
      await under.create('a/x');
      assert.equal(await closed.next(), undefined);
      const late = await probeFromNow(under, '', { signal: AbortSignal.abort() });
      assert.equal(await late.next(), undefined);
    },
  },
  {
    title: 'fails in the stream when its start was compacted',
    upstream: ['RunTestWatchFromZero'],
    check: async (under) => {
      const first = await under.create('a/x');
      const early = await probe(under, '', { resourceVersion: '0' });
      await early.expect('ADDED a/x');
      for (const node of ['n1', 'n2', 'n3']) await under.move('a/x', node);
      await early.expect('MODIFIED a/x@n1', 'MODIFIED a/x@n2', 'MODIFIED a/x@n3');
      await under.compact(await under.writeElsewhere());
      const watch = await probe(under, '', { resourceVersion: first.resourceVersion });
      assert.equal((await watch.failure()).code, 'EXPIRED');
      assert.equal(await watch.next(), undefined, 'nothing follows');
      const fresh = await probe(under, '', { resourceVersion: '0' });
      await fresh.expect('ADDED a/x@n3');
      await under.move('a/x', 'n4');
      for (const running of [early, fresh]) await running.expect('MODIFIED a/x@n4');
    },
  },
  {
    title: 'refuses an invalid resource version before it starts',
    upstream: [],
    check: async (under) => {
      for (const resourceVersion of ['-1', 'abc', '007']) {
        const watch = under.storage.watch('/registry/pods', { resourceVersion });
        await rejection(watch, ...INVALID_VERSION);
      }
    },
  },
  {
    title: 'sends a bookmark after a progress request, if bookmarks were requested',
    upstream: ['RunOptionalTestProgressNotify'],
    only: 'raw',
    needs: 'progress',
    check: async (under) => {
      const watch = await probeFromNow(under, '', { progressNotify: true });
      const silent = await probeFromNow(under, '');
      const created = await under.create('a/x');
      const last = await under.writeElsewhere();
      await under.storage.requestWatchProgress();
      await watch.expect('ADDED a/x');
      const bookmark = await watch.bookmark();
      assert(BigInt(last) > BigInt(created.resourceVersion));
      assert.deepEqual(bookmark, {
        type: 'BOOKMARK',
        resourceVersion: last,
        initialEventsEnd: false,
      });
      await silent.expect('ADDED a/x');
      await assert.rejects(silent.next(500), { code: 'TIMEOUT' });
    },
  },
];
