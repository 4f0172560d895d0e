import type { ConformanceRow, SpecReference } from './conformance-row.ts';

type Cases = readonly SpecReference[];

const inFile =
  (spec: string, suite: string) =>
  (...titles: readonly string[]): Cases =>
    titles.map((title) => ({ spec, title: `${suite} ${title}` }));

const fifo = 'cache/delta/delta-fifo.spec.ts';
const order = 'cache/delta/delta-order.spec.ts';
const relistSpec = 'cache/delta/relist.spec.ts';

const arrival = inFile(fifo, 'DeltaFIFO in the order of arrival');
const keys = inFile(fifo, 'DeltaFIFO in the order of keys');
/** Of the cases that both orders go through. */
const keysToo = inFile(fifo, 'DeltaFIFO in the order of key');
const byArrival = inFile(order, 'The order of deltas by arrival');
const byKey = inFile(order, 'The order of deltas by key');
const batches = inFile(order, 'The order of deltas in batches');
const relist = inFile(relistSpec, 'A relist');
const resync = inFile(relistSpec, 'A resync');
const delta = inFile(relistSpec, 'A delta');
const transform = inFile(relistSpec, 'A transform');
const synced = inFile(relistSpec, 'synced');

const TRANSFORM_ONCE =
  'sees every object once, and none that is only deleted because a list lacks it';
const QUEUES_ALL = 'queues every change, and the deletion of what the consumer holds';
const WAKES_ALL = 'wakes all waiting readers when something comes, or when it is closed';

const ofQueuedOnly = [
  'deletes an addition that an empty list lacks',
  'deletes once what one list had and the next one lacks',
  'does not delete again what was deleted',
  'deletes once what several lists had and the last one lacks',
  'deletes once what several lists lack',
  'deletes what was deleted and added again, with the newest state',
];

const fiveScenarios = [
  'deletes what is neither listed nor deleted already, with the known state',
  'deletes with the newest queued state what was changed before it',
  'deletes with the newest queued state what was deleted and created again before it',
  'deletes with the listed state what an earlier list had',
  'deletes what was only queued, before it hands on the list',
];

const syncedTable = [
  'is false before anything came',
  'is true once a change came first',
  'is false while nothing of the list is processed',
  'is false until the last item of the list',
  'is true after the last item of the list',
  'counts a key once that a list has twice',
];

const batchCases = [
  'holds the whole first list (1000)',
  'ends where the first list ends (2)',
  'may hold several changes of one object, in order (1000)',
  'may hold a listed object again at its end (1000)',
  'may hold a listed object again in its middle (1000)',
  'splits the first list at the limit (2)',
  'splits later changes at the limit, after an empty first list (2)',
  'splits at the limit and where the first list ends (2)',
];

const RELIST_IS_ONE_DELTA =
  'In the order of arrival a relist is one delta; what it deletes is computed against the store when it is applied, so the ' +
  'fact is checked on the calls of handlers: deletions first.';

const RESYNC_IS_ONE_DELTA =
  'In the order of arrival a resync is one delta, applied to the store in its place behind the queued changes, so it can ' +
  'neither bring back a deleted object nor overwrite a newer one.';

const ALWAYS_REPLACED =
  'Deltas of a relist are always of type Replaced; client-go can call them Sync for consumers older than that type.';

const KEYS_ARE_COMPUTED_ONCE =
  'The key of an object is computed when it is queued and travels in the delta; nothing has to take it from an object, a ' +
  'tombstone or a list of deltas later.';

const LATEST =
  'A queue that keeps only the latest state of a key is `DeltaFIFO` in the order of keys: one item a key, its last delta the ' +
  'latest state.';

const row =
  (file: string) =>
  (test: string, specs: Cases, because?: string): ConformanceRow => ({
    file,
    test,
    specs,
    because,
  });

const realFifo = row('the_real_fifo_test.go');
const deltaFifo = row('delta_fifo_test.go');
const latestFifo = row('fifo_test.go');

const realFifoRows: readonly ConformanceRow[] = [
  realFifo('TestRealFIFO_basic', byArrival('is that of each of several producers at once')),
  realFifo(
    'TestRealFIFO_replaceWithDeleteDeltaIn',
    byArrival('keeps a relist behind the deletion of what it brings back'),
  ),
  realFifo(
    'TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue',
    relist(...ofQueuedOnly, 'makes nothing of an empty list after a bookmark'),
    RELIST_IS_ONE_DELTA,
  ),
  realFifo(
    'TestRealFIFO_addUpdate',
    arrival('merges and drops nothing, and keeps the order of arrival'),
  ),
  realFifo('TestRealFIFO_transformer', transform(TRANSFORM_ONCE)),
  realFifo(
    'TestRealFIFO_enqueueingNoLister',
    arrival('merges and drops nothing, and keeps the order of arrival'),
  ),
  realFifo('TestRealFIFO_enqueueingWithLister', byArrival(QUEUES_ALL)),
  realFifo(
    'TestRealFIFO_addReplace',
    byArrival('keeps a relist behind the addition of the same object'),
  ),
  realFifo(
    'TestRealFIFO_ResyncNonExisting',
    resync('hands on nothing whose deletion was queued before it'),
    RESYNC_IS_ONE_DELTA,
  ),
  realFifo('TestRealFIFO_Resync', resync('hands on every known object once'), RESYNC_IS_ONE_DELTA),
  realFifo(
    'TestRealFIFO_DeleteExistingNonPropagated',
    byArrival('keeps the addition and the deletion of what the consumer has never seen'),
  ),
  realFifo('TestRealFIFO_ReplaceMakesDeletions', relist(...fiveScenarios), RELIST_IS_ONE_DELTA),
  realFifo(
    'TestRealFIFO_ReplaceMakesDeletionsReplaced',
    relist('hands on the new state of what is listed, behind the deletions'),
    RELIST_IS_ONE_DELTA,
  ),
  realFifo(
    'TestRealFIFO_UpdateResyncRace',
    resync('hands on no state older than the one queued before it'),
    RESYNC_IS_ONE_DELTA,
  ),
  realFifo(
    'TestRealFIFO_HasSyncedCorrectOnDeletion',
    relist('is part of the initial state with its deletions, when it is the first'),
    RELIST_IS_ONE_DELTA,
  ),
  realFifo(
    'TestRealFIFO_detectLineJumpers',
    byArrival('gives a key no better place for being changed again'),
  ),
  realFifo(
    'TestRealFIFO_KeyOf',
    delta('carries its key, also where it has no object'),
    KEYS_ARE_COMPUTED_ONCE,
  ),
  realFifo(
    'TestRealFIFO_HasSynced',
    synced(
      ...syncedTable,
      'waits for an empty list to be processed where it is an item',
      'is true when an empty list was processed',
    ),
    'A list is one item, so one pop processes all of it, and an empty one has to be processed too, as in client-go since 1.36.',
  ),
  realFifo('TestRealFIFO_PopShouldUnblockWhenClosed', arrival(WAKES_ALL)),
  realFifo(
    'TestRealFIFO_PopMultipleDeltaInBatch',
    batches(...batchCases),
    'Deltas of a batch are applied one after another, so several changes of one object may share it; client-go has to split there.',
  ),
  realFifo(
    'TestRealFIFO_PopBrokenItemsInBatch',
    batches('has no place for an object without a key, wherever it stood'),
    'An object without a key is reported when it comes in and never takes a place in the queue, so it ends no batch.',
  ),
  realFifo('TestRealFIFO_ReplaceAtomic', [
    ...relist('is one delta with its resource version, behind what was queued before'),
    ...arrival('carries a relist and a resync as one item each, and bookmarks in between'),
  ]),
  realFifo(
    'TestRealFIFO_ReplaceAtomicPop',
    byArrival('keeps a relist behind the addition of the same object'),
  ),
  realFifo(
    'TestRealFIFO_ResyncAtomic',
    byArrival('makes of a resync one item behind what was queued'),
  ),
];

const deltaFifoRows: readonly ConformanceRow[] = [
  deltaFifo('TestDeltaFIFO_basic', byKey('is that of each of several producers at once')),
  deltaFifo(
    'TestDeltaFIFO_replaceWithDeleteDeltaIn',
    byKey('keeps a relist behind the deletion of what it brings back'),
    ALWAYS_REPLACED,
  ),
  deltaFifo(
    'TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue',
    relist(...ofQueuedOnly),
    ALWAYS_REPLACED,
  ),
  deltaFifo(
    'TestDeltaFIFO_addUpdate',
    keys('gives all deltas of a key at once, at the place where the key came first'),
  ),
  deltaFifo('TestDeltaFIFO_transformer', transform(TRANSFORM_ONCE)),
  deltaFifo('TestDeltaFIFO_enqueueingNoLister', [
    ...keys('ignores a deletion of an unknown object'),
    ...byKey('keeps the addition and the deletion of what the consumer has never seen'),
  ]),
  deltaFifo('TestDeltaFIFO_enqueueingWithLister', byKey(QUEUES_ALL)),
  deltaFifo(
    'TestDeltaFIFO_addReplace',
    byKey('keeps a relist behind the addition of the same object'),
  ),
  deltaFifo(
    'TestDeltaFIFO_ResyncNonExisting',
    resync('hands on nothing whose deletion was queued before it'),
  ),
  deltaFifo('TestDeltaFIFO_Resync', resync('hands on every known object once')),
  deltaFifo(
    'TestDeltaFIFO_DeleteExistingNonPropagated',
    byKey('keeps the addition and the deletion of what the consumer has never seen'),
  ),
  deltaFifo('TestDeltaFIFO_ReplaceMakesDeletions', relist(...fiveScenarios), ALWAYS_REPLACED),
  deltaFifo(
    'TestDeltaFIFO_ReplaceMakesDeletionsReplaced',
    relist('hands on the new state of what is listed, behind the deletions'),
  ),
  deltaFifo(
    'TestDeltaFIFO_ReplaceDeltaType',
    relist('gives each of its deltas the type Replaced, also before anything was processed'),
    ALWAYS_REPLACED,
  ),
  deltaFifo(
    'TestDeltaFIFO_UpdateResyncRace',
    resync('hands on no state older than the one queued before it'),
  ),
  deltaFifo(
    'TestDeltaFIFO_HasSyncedCorrectOnDeletion',
    keys('counts the deletions of the first list as part of it'),
  ),
  deltaFifo(
    'TestDeltaFIFO_detectLineJumpers',
    byKey('gives a key no better place for being changed again'),
  ),
  deltaFifo(
    'TestDeltaFIFO_KeyOf',
    delta('carries its key, also where it has no object'),
    KEYS_ARE_COMPUTED_ONCE,
  ),
  deltaFifo('TestDeltaFIFO_HasSynced', [
    ...synced(...syncedTable),
    ...keys('is synced at once by an empty first list'),
  ]),
  deltaFifo('TestDeltaFIFO_PopShouldUnblockWhenClosed', keysToo(WAKES_ALL)),
];

const latestFifoRows: readonly ConformanceRow[] = [
  latestFifo('TestFIFO_basic', byKey('is that of each of several producers at once'), LATEST),
  latestFifo(
    'TestFIFO_addUpdate',
    keys('gives all deltas of a key at once, at the place where the key came first'),
    LATEST,
  ),
  latestFifo(
    'TestFIFO_addReplace',
    byKey('keeps a relist behind the addition of the same object'),
    LATEST,
  ),
  latestFifo(
    'TestFIFO_detectLineJumpers',
    byKey('gives a key no better place for being changed again'),
    LATEST,
  ),
  latestFifo(
    'TestFIFO_HasSynced',
    [...synced(...syncedTable), ...keys('is synced at once by an empty first list')],
    LATEST,
  ),
  latestFifo('TestFIFO_PopShouldUnblockWhenClosed', keysToo(WAKES_ALL), LATEST),
];

export const fifoRows: readonly ConformanceRow[] = [
  ...realFifoRows,
  ...deltaFifoRows,
  ...latestFifoRows,
];
