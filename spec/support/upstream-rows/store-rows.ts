import type { ConformanceRow, SpecReference } from './conformance-row.ts';

type Cases = readonly SpecReference[];

const inFile =
  (file: string, suite: string) =>
  (...titles: readonly string[]): Cases =>
    titles.map((title) => ({ spec: `${file}.spec.ts`, title: `${suite} ${title}` }));

const heapSpec = inFile('kernel/data/heap', 'Heap');
const closing = inFile('controller/workqueue/work-queue', 'WorkQueue close');
const store = inFile('cache/store/thread-safe-store', 'ThreadSafeStore');
const indexes = inFile('cache/store/thread-safe-store', 'ThreadSafeStore indexes');
const replacing = inFile('cache/store/thread-safe-store', 'ThreadSafeStore replace');
const indexer = inFile('cache/store/indexer', 'Indexer');
const keyError = inFile('meta/key', 'KeyError');
const split = inFile('meta/key', 'splitMetaNamespaceKey');
const metaKey = inFile('meta/key', 'metaNamespaceKeyFunc');
const every = inFile('cache/store/store-contract', 'Every store');
const wholeContent = inFile('cache/store/store-contract', 'The whole content of a ThreadSafeStore');
const byKey = inFile('cache/delta/delta-fifo', 'DeltaFIFO in the order of keys');
const lister = inFile('cache/store/lister', 'Lister');
const indexedLister = inFile('cache/store/lister', 'Lister with the namespace index');
const expiration = inFile('cache/store/expiration-store', 'ExpirationStore');
const overlay = inFile('cache/store/write-overlay', 'WriteOverlay');
const deletions = inFile('cache/store/write-overlay', 'WriteOverlay deletions');
const overlaid = inFile('cache/store/overlay-reads', 'WriteOverlay, read');
const property = inFile('cache/store/overlay-property', 'Reads through a WriteOverlay');
const transformed = inFile('cache/collection/transformed-objects', 'transformed objects');
const hostile = inFile('cache/informer/handlers/hostile-input', 'An informer survives');
const frozen = inFile('cache/store/frozen-view', 'FrozenView');
const deepFreeze = inFile('kernel/data/deep-freeze', 'deepFreeze');
const lazy = inFile('kernel/data/lazy', 'Lazy');

/** The contract of stores, held on each of them. */
const contractOf = (...names: readonly string[]): Cases =>
  names.flatMap((name) =>
    every(
      `has what was added, in its newest state, and not what was deleted (${name})`,
      `lists each object once (${name})`,
      `has after a replace what that gave, and nothing from before (${name})`,
    ),
  );

const row =
  (file: string) =>
  (test: string, specs: Cases, because?: string): ConformanceRow => ({
    file,
    test,
    specs,
    because,
  });

const heap = row('heap_test.go');
const threadSafe = row('thread_safe_store_test.go');
const index = row('index_test.go');
const stores = row('store_test.go');
const undelta = row('undelta_store_test.go');
const expiring = row('expiration_cache_test.go');
const mutation = row('mutation_cache_test.go');
const lazyTest = row('lazy_test.go');

const NO_BLOCKING_POP =
  '`pop` of a heap does not wait, so there is nothing to close; the queue that workers wait on is closed instead, and refuses new keys then.';

const ABSENT_IS_HARMLESS =
  'Deleting a key that is not there is harmless, as everywhere in this package; client-go makes it an error.';

const PULLED =
  'The whole content is not pushed: a reader asks for it, and gets the same array until the next write.';

const ONE_RULE =
  '`WriteOverlay` takes the place of the mutation cache: the resource version that the cache has processed ends an entry, not a time to live.';

const SEVERAL_VALUES = 'follows an object through add, update and delete, with several values';
const NO_COMEBACK = 'does not let a late write bring the object back';
const MOVES = 'moves an item that is set again to where it belongs now, up or down';

const heapRows: readonly ConformanceRow[] = [
  heap('TestHeapBasic', heapSpec('gives items out in their order')),
  heap('TestHeap_Add', heapSpec(MOVES)),
  heap(
    'TestHeap_BulkAdd',
    heapSpec(
      'gives items out in their order',
      'agrees with a sorted list after any sequence of changes',
    ),
    'Many additions are many calls: there is no lock to take once.',
  ),
  heap('TestHeapEmptyPop', heapSpec('has nothing to give when it is empty'), NO_BLOCKING_POP),
  heap(
    'TestHeap_AddIfNotPresent',
    heapSpec('keeps the item that is in already when asked to add only what is absent'),
  ),
  heap(
    'TestHeap_Delete',
    heapSpec('takes out the first, the last, one in between, and harmlessly one that is not there'),
    ABSENT_IS_HARMLESS,
  ),
  heap('TestHeap_Update', heapSpec(MOVES)),
  heap('TestHeap_Get', heapSpec('finds items by key, and gives all items and keys')),
  heap('TestHeap_GetByKey', heapSpec('finds items by key, and gives all items and keys')),
  heap('TestHeap_Close', closing('wakes the workers that wait'), NO_BLOCKING_POP),
  heap('TestHeap_List', heapSpec('finds items by key, and gives all items and keys')),
  heap('TestHeap_ListKeys', heapSpec('finds items by key, and gives all items and keys')),
  heap(
    'TestHeapAddAfterClose',
    closing('refuses new keys, hands the queued ones out, then ends the workers'),
    NO_BLOCKING_POP,
  ),
];

const threadSafeRows: readonly ConformanceRow[] = [
  threadSafe(
    'TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex',
    indexes('keeps no value without an object'),
  ),
  threadSafe(
    'TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex',
    indexes('keeps no value without an object', SEVERAL_VALUES),
  ),
  threadSafe('TestThreadSafeStoreIndexingFunctionsWithMultipleValues', [
    ...indexes(SEVERAL_VALUES, 'keeps the value that a lone object has before and after'),
    ...store('equals a scan after thousands of random writes'),
  ]),
  threadSafe(
    'TestThreadSafeStoreRV',
    [
      ...store('carries the resource version of the last applied change'),
      ...indexer('carries the resource version of the last write of a transaction that has one'),
    ],
    'A last write of a transaction without a resource version leaves that of the one before.',
  ),
  index(
    'TestGetIndexFuncValues',
    [
      ...indexes('keeps the value that a lone object has before and after'),
      ...store('equals a scan after thousands of random writes'),
    ],
    'The values of an index that does not exist are an error, as every other question to it.',
  ),
  index('TestMultiIndexKeys', [
    ...indexes(SEVERAL_VALUES),
    ...replacing(
      'swaps content, indexes and resource version in one step; the last of one key wins',
    ),
  ]),
];

const keyedStoreRows: readonly ConformanceRow[] = [
  stores('TestCache', contractOf('ThreadSafeStore', 'Indexer', 'WriteOverlay')),
  stores(
    'TestCacheWithTransformer',
    transformed(
      'are what handlers and cache have after additions, changes and deletions',
      'keep their keys under other names',
    ),
    'A store keeps what it is given; the queue before it transforms, once for each object.',
  ),
  stores(
    'TestFIFOCache',
    byKey(
      'gives all deltas of a key at once, at the place where the key came first',
      'deletes what a list lacks, with the newest queued state, otherwise the known one',
      'deletes queued objects without known ones, and once only',
    ),
    'A queue is not read like a store here: what it holds is what it gives out, the latest state of a key last.',
  ),
  stores(
    'TestUndeltaStore',
    [
      ...contractOf('ThreadSafeStore'),
      ...wholeContent('is a new array after each write, and the same one for all readers'),
    ],
    PULLED,
  ),
  stores('TestIndex', [
    ...indexes('finds the objects that share a value with a probe, each once'),
    ...indexer('answers all questions of a store'),
  ]),
  stores('TestKeyError', [
    ...keyError('keeps object and cause in reach, also when it is wrapped again'),
    ...indexer('throws a KeyError with object and cause, and changes nothing'),
  ]),
  stores(
    'TestCacheTransactionShouldIndexErrors',
    indexer('applies the writes of a transaction that have a key, and says which have none'),
    'It says which writes were left out and why, where client-go says which succeeded.',
  ),
  stores(
    'TestWithStoreMetricsDefaulting',
    [],
    'There is no global metrics provider to fall back to: an informer reports to the metrics it is given, and to none without.',
  ),
];

const smallRows: readonly ConformanceRow[] = [
  {
    file: 'listers_test.go',
    test: 'TestListAll',
    specs: [
      ...lister('lists all, some and none of a hundred thousand objects'),
      ...indexedLister('lists by namespace and labels'),
    ],
  },
  ...[
    'TestUpdateCallsPush',
    'TestDeleteCallsPush',
    'TestReadsDoNotCallPush',
    'TestReplaceCallsPush',
  ].map((test) =>
    undelta(
      test,
      wholeContent('is a new array after each write, and the same one for all readers'),
      PULLED,
    ),
  ),
  {
    file: 'object-names_test.go',
    test: 'TestObjectNames',
    specs: [
      ...split(
        'undoes objectKey for any two names without a slash',
        'takes a leading slash for an empty namespace, which is not written again',
        'refuses more than one slash',
      ),
      ...metaKey('joins namespace and name, or gives the name alone'),
    ],
  },
  expiring(
    'TestTTLExpirationBasic',
    expiration(
      'gives an object until its age exceeds its time to live, and holds it no longer then',
    ),
  ),
  expiring(
    'TestReAddExpiredItem',
    expiration('restarts the time of an object that is stored again, also when it had expired'),
  ),
  expiring('TestTTLList', expiration('lists what lives and lets the rest go')),
  expiring(
    'TestTTLPolicy',
    expiration(
      'gives an object until its age exceeds its time to live, and holds it no longer then',
      'keeps an object without a time limit when its time to live is 0',
      'refuses an invalid time to live',
    ),
    'A negative time to live is refused instead of meaning for ever; 0 means that.',
  ),
];

const mutationRows: readonly ConformanceRow[] = [
  mutation(
    'TestMutationCacheOnAddOrUpdate',
    overlay(
      'shows a created object before its event, and the store again once the event is processed',
      'shows an update over an older cached state until a bookmark passes it',
      'does not lay over what the cache has under that key already, though not all before it',
    ),
    ONE_RULE,
  ),
  mutation(
    'TestMutationCacheOnDelete',
    deletions(
      'of others end an own write of the same object, and none of the one that came after it',
    ),
    ONE_RULE,
  ),
  mutation(
    'TestMutationCacheUpdateConcurrentDelete',
    [
      ...deletions(
        NO_COMEBACK,
        'does not let a late write bring back what was deleted unseen, nor show it when it comes up',
      ),
      ...property('never go back behind an own write, for every order of arrival (0)'),
    ],
    ONE_RULE,
  ),
  mutation(
    'TestMutationCacheUpdateConcurrentRecreate',
    deletions('gives way to a recreation, own or observed, in either order'),
    ONE_RULE,
  ),
  mutation(
    'TestMutationCacheOnDeleteClearsStaleMutation',
    overlaid('finds nothing by index that was written and then deleted, by any client'),
    `${ONE_RULE} The index values are those of the written object, where client-go keeps those of the cached one.`,
  ),
  {
    file: 'mutation_detector_test.go',
    test: 'TestMutationDetector',
    specs: [
      ...hostile(
        'handlers that modify what they are given, and names the culprit, when it freezes',
      ),
      ...frozen('hands out an object that cannot be modified'),
      ...deepFreeze('makes a modification of the object throw on its line, at any depth'),
    ],
    because:
      'A modification throws on the line that makes it, where client-go finds it up to a second later and ends the process.',
  },
];

const lazyRows: readonly ConformanceRow[] = [
  lazyTest(
    'TestLazy',
    lazy('computes on the first read after a change, and once for all reads until the next'),
  ),
  lazyTest(
    'TestLazyThroughput',
    lazy('computes once for a thousand changes without a get between them'),
  ),
  lazyTest(
    'TestLazySlowEval',
    lazy('does not let a slow computation take the place of one that began after a change'),
  ),
  lazyTest(
    'TestLazySlowEval2',
    lazy(
      'gives callers after a change the new value, while the old one is still computed',
      'does not keep a value that a change overtook while it was computed',
    ),
  ),
  lazyTest('TestLazyOnlyOnce', lazy('shares a pending computation with all callers')),
  lazyTest(
    'TestLazyError',
    lazy(
      'rejects the present callers with an error, and tries again for the next',
      'does not drop a newer value when an older computation fails',
    ),
  ),
];

/** Holders of objects: heap, stores, listers, and their derivatives. */
export const storeRows: readonly ConformanceRow[] = [
  ...heapRows,
  ...threadSafeRows,
  ...keyedStoreRows,
  ...smallRows,
  ...mutationRows,
  ...lazyRows,
];
