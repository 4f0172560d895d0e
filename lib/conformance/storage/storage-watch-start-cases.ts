import assert from 'node:assert/strict';
import type { StorageWatchOptions } from '../../server/storage/contract/storage-interface.ts';
import { conformanceKey, conformancePredicate, type ConformancePod } from './conformance-pod.ts';
import type { ConformanceCase, StorageUnderTest } from './storage-under-test.ts';
import type { UpstreamStorageTest } from './upstream-storage-tests.ts';
import { describeEvent, StorageWatchProbe } from './storage-watch-probe.ts';

type Options = StorageWatchOptions<ConformancePod>;

/** Far above any revision of a case. */
const FAR = '4611686018427387904';

const START_VERSIONS = ['unset', '0', 'first', 'current'] as const;

interface StartRow {
  readonly version: (typeof START_VERSIONS)[number];
  readonly sendInitialEvents: boolean | undefined;
  readonly progressNotify: boolean;
}

const rows: readonly StartRow[] = START_VERSIONS.flatMap((version) =>
  [undefined, true, false].flatMap((sendInitialEvents) =>
    [true, false].map((progressNotify) => ({ version, sendInitialEvents, progressNotify })),
  ),
);

function describeRow({ version, sendInitialEvents, progressNotify }: StartRow): string {
  const events = sendInitialEvents === undefined ? '' : `, sendInitialEvents ${sendInitialEvents}`;
  return `resource version ${version}${events}${progressNotify ? ', with bookmarks' : ''}`;
}

async function probe(under: StorageUnderTest, options: Options): Promise<StorageWatchProbe> {
  const watch = await under.storage.watch(conformanceKey(''), options);
  return new StorageWatchProbe(watch, under.harness.runtime);
}

/** Creates two pods, and creates and deletes a third; then watches with the options of the row. */
async function checkRow(under: StorageUnderTest, row: StartRow): Promise<void> {
  const first = await under.create('a/1');
  await under.create('a/3');
  await under.create('a/2');
  await under.delete('a/3');
  // A watch from 0 may start from any past state of the cache. The cache has seen the deletion before it passes its event on.
  const seen = await probe(under, { resourceVersion: first.resourceVersion });
  await seen.expect('ADDED a/3', 'ADDED a/2', 'DELETED a/3');
  seen.watch.destroy();
  const current = await under.storage.getCurrentResourceVersion();
  const version = { unset: undefined, '0': '0', first: first.resourceVersion, current }[
    row.version
  ];
  const { sendInitialEvents, progressNotify } = row;
  const watch = await probe(under, { resourceVersion: version, sendInitialEvents, progressNotify });
  const fromState = sendInitialEvents ?? (row.version === 'unset' || row.version === '0');
  if (fromState) {
    await watch.expect('ADDED a/1', 'ADDED a/2');
  } else if (row.version === 'first') {
    await watch.expect('ADDED a/3', 'ADDED a/2', 'DELETED a/3');
  }
  if (sendInitialEvents === true && progressNotify) {
    const end = await watch.bookmark();
    assert.equal(end.initialEventsEnd, true);
    assert(BigInt(end.resourceVersion) >= BigInt(current), 'not older than the state');
  }
  await under.move('a/1', 'n1');
  let event = await watch.next();
  while (event?.type === 'BOOKMARK') {
    assert.equal(event.initialEventsEnd, false, 'the initial state ends once');
    event = await watch.next();
  }
  assert.equal(event && describeEvent(event), 'MODIFIED a/1@n1');
  await watch.expectSilence();
  watch.watch.destroy();
}

function upstreamOf({
  version,
  sendInitialEvents,
  progressNotify,
}: StartRow): UpstreamStorageTest[] {
  const isOldClient = sendInitialEvents === true && !progressNotify;
  return isOldClient && (version === 'unset' || version === '0')
    ? ['RunWatchSemantics', 'RunSendInitialEventsBackwardCompatibility']
    : ['RunWatchSemantics'];
}

export const watchStartCases: readonly ConformanceCase[] = [
  ...rows.map((row) => ({
    title: `starts as asked: ${describeRow(row)}`,
    upstream: upstreamOf(row),
    check: (under: StorageUnderTest) => checkRow(under, row),
  })),
  {
    title: 'sends the initial state in key order, each object with its own resource version',
    upstream: ['RunTestWatchFromZero', 'RunWatchSemantics'],
    check: async (under) => {
      const created = new Map<string, string>();
      for (const path of ['b/1', 'a/2', 'a-b/1', 'a/1']) {
        created.set(conformanceKey(path), (await under.create(path)).resourceVersion);
      }
      const watch = await probe(under, { sendInitialEvents: true });
      for (const key of [...created.keys()].toSorted()) {
        const event = await watch.next();
        assert(event?.type === 'ADDED');
        assert.equal(event.object.key, key);
        assert.equal(event.object.resourceVersion, created.get(key));
      }
    },
  },
  {
    title: 'sends as initial state only what the selector matches',
    upstream: ['RunWatchListMatchSingle'],
    check: async (under) => {
      await under.create('a/1', { nodeName: 'n1' });
      await under.create('a/2', { nodeName: 'n2' });
      const predicate = conformancePredicate({ fields: 'metadata.name=2' });
      const options = { sendInitialEvents: true, progressNotify: true, predicate };
      const watch = await probe(under, options);
      const event = await watch.next();
      assert.equal(event && describeEvent(event), 'ADDED a/2@n2');
      assert.equal((await watch.bookmark()).initialEventsEnd, true);
    },
  },
  {
    title: 'ends the initial state at the resource version of the whole store',
    upstream: ['RunWatchSemanticInitialEventsExtended'],
    check: async (under) => {
      await under.create('a/1');
      const elsewhere = await under.writeElsewhere();
      const watch = await probe(under, { sendInitialEvents: true, progressNotify: true });
      await watch.expect('ADDED a/1');
      const end = await watch.bookmark();
      assert(BigInt(end.resourceVersion) >= BigInt(elsewhere));
    },
  },
  {
    title: 'fails in the stream when the initial state has to be newer than the storage',
    upstream: ['RunWatchSemantics'],
    check: async (under) => {
      await under.create('a/1');
      const watch = await probe(under, { sendInitialEvents: true, resourceVersion: FAR });
      assert.equal((await watch.failure()).code, 'GATEWAY_TIMEOUT');
      assert.equal(await watch.next(), undefined, 'nothing follows');
    },
  },
  {
    title: 'misses nothing that is written while it starts',
    upstream: ['RunWatchSemantics'],
    check: async (under) => {
      const paths = Array.from({ length: 40 }, (_, index) => `a/${index + 10}`);
      const writes = (async () => {
        for (const path of paths) await under.create(path);
      })();
      const seen = new Set<string>();
      const watch = await probe(under, { sendInitialEvents: true });
      while (seen.size < paths.length) {
        const event = await watch.next();
        if (event?.type === 'BOOKMARK') continue;
        assert.equal(event?.type, 'ADDED');
        assert(event?.type === 'ADDED' && !seen.has(event.object.key), 'nothing comes twice');
        seen.add(event.object.key);
      }
      await writes;
      await watch.expectSilence();
    },
  },
];
