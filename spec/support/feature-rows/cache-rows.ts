import { yes, type FeatureRow } from './feature-row.ts';

/** How a collection is listed and watched. */
export const listWatchRows: readonly FeatureRow[] = [
  yes(
    1,
    'The life of a watch as typed events: synced, relist, failure with its next step, bookmark, each change of state',
    'cache/informer/observe/informer-event-emitter.ts',
    [
      'cache/informer/shared-index-informer.spec.ts',
      'SharedIndexInformer life has events for what happens besides the objects',
    ],
  ),
  yes(
    2,
    'A watch that ended goes on from the last resource version, without a list',
    'cache/reflector/table/watch-step.ts',
    [
      'cache/reflector/reflector.spec.ts',
      'Reflector listing and watching reopens a watch that the server ended, at once and without a list',
    ],
  ),
  yes(
    3,
    'A version that has expired (410) leads to a new list, in which every missed change is found',
    'cache/reflector/failure/watch-error.ts',
    [
      'cache/reflector/reflector.spec.ts',
      'Reflector failures lists again after an expired watch, and every missed change is in the list',
    ],
  ),
  yes(
    4,
    'The first list comes in pages, and is applied as one state',
    'cache/reflector/list/list-page.ts',
    [
      'cache/reflector/reflector.spec.ts',
      'Reflector listing and watching reads a list in pages and hands it over at once, as of its first page',
    ],
  ),
  yes(
    5,
    'The first state comes as a stream of events (WatchList), with a list where the server does not have it',
    'cache/reflector/table/streaming-list-step.ts',
    [
      'cache/reflector/list/streaming-list.spec.ts',
      'Reflector with streaming lists makes one request, replaces once at the end bookmark, and watches on in the same stream',
    ],
  ),
  yes(
    6,
    'Bookmarks move the version from which a watch goes on',
    'cache/reflector/contract/event-batch.ts',
    [
      'cache/reflector/contract/event-batch.spec.ts',
      'applyBatch keeps the order of changes and bookmarks',
    ],
  ),
  yes(
    7,
    'A connection that is dead without a word is found within 35 s, and the watch resumed',
    'cache/reflector/watch/silence-probe.ts',
    [
      'client/rest/dead-connection.spec.ts',
      'an informer whose connection is gone without a word notices it within 35 s over HTTP/1.1, by asking over another connection, and resumes with every event',
    ],
  ),
  yes(8, 'Waits between failed requests grow, with a random part', 'kernel/time/backoff.ts', [
    'kernel/time/backoff.spec.ts',
    'Backoff adds up to its share of the delay at random, and no more',
  ]),
  yes(
    9,
    'Each watch asks for another random length, so that watches do not end together',
    'cache/reflector/watch/open-watch.ts',
    [
      'cache/reflector/reflector.spec.ts',
      'Reflector listing and watching draws a new watch timeout for every request, from one to two times the least',
    ],
  ),
  yes(
    10,
    'The program decides what a refusal means (`onRefused`), and gets each failure',
    'cache/reflector/options/reflector-options.ts',
    [
      'cache/informer/refused-for-good.spec.ts',
      "an informer whose requests are refused for good tries again with onRefused: 'retry', reports each refusal, and is synced when the server answers",
    ],
  ),
  yes(
    11,
    'A cache that starts from a file of its last state, which is refused when it is damaged or of another server or user',
    'recorder/snapshot/file-snapshot.ts',
    [
      'recorder/snapshot/file-snapshot.spec.ts',
      'an informer with a snapshot resumes with a watch from the saved version, and gives handlers the saved objects first',
    ],
  ),
  yes(
    12,
    'A replica lists and watches its share of a collection (`shardSelector`); where the server sends all, the client leaves the others out',
    'meta/selectors/shard-selector.ts',
    [
      'path/shards.spec.ts',
      'informers of the shards of a collection have each object in exactly one of them, over HTTP',
    ],
  ),
  yes(
    13,
    'Informers of metadata alone, which ask the server for nothing else',
    'client/rest/decode/metadata-decoder.ts',
    [
      'path/metadata-only.spec.ts',
      'an informer of metadata over HTTP, streamed mirrors metadata and nothing else, through every kind of change',
    ],
  ),
  yes(
    14,
    'Handlers get each object again at an interval of their own, without a request',
    'cache/informer/handlers/resync-schedule.ts',
    [
      'cache/informer/shared-index-informer.spec.ts',
      'SharedIndexInformer a resync goes to the handlers whose interval has passed, without a request',
    ],
  ),
  yes(
    15,
    'Whether an informer watches now, and since when it has heard nothing (`inspect()`)',
    'cache/informer/observe/informer-inspection.ts',
    [
      'cache/informer/observe/informer-inspection.spec.ts',
      'inspect() says everything about an informer',
    ],
  ),
];

/** The content of a cache. */
export const storeRows: readonly FeatureRow[] = [
  yes(
    16,
    'Indexes: a function gives the values under which an object is found',
    'cache/store/inverted-index.ts',
    [
      'cache/store/thread-safe-store.spec.ts',
      'ThreadSafeStore indexes follows an object through add, update and delete, with several values',
    ],
  ),
  yes(17, 'An index may be added while the informer runs', 'cache/store/thread-safe-store.ts', [
    'cache/store/thread-safe-store.spec.ts',
    'ThreadSafeStore indexes adds indexes over what is stored, all or none',
  ]),
  yes(
    18,
    'An index may be removed, and its name given to another one',
    'cache/store/thread-safe-store.ts',
    [
      'cache/store/thread-safe-store.spec.ts',
      'ThreadSafeStore removed indexes are gone, and the others go on as before',
    ],
  ),
  yes(
    19,
    'A new list becomes visible in one step, also when it is applied in slices',
    'cache/store/store-transaction.ts',
    [
      'cache/collection/sliced-relist.spec.ts',
      'a large relist is built in slices when it is the first, and seen whole or not at all',
    ],
  ),
  yes(
    20,
    'Objects are changed, or reduced to some fields, before they are stored',
    'cache/collection/prepare-object.ts',
    [
      'cache/informer/shared-index-informer.spec.ts',
      'SharedIndexInformer a transform changes the objects that are stored and delivered, each once',
    ],
  ),
  yes(
    21,
    'The program brings the place where a cache keeps its objects (`memory`); a Reflector feeds any sink',
    'cache/memory/object-memory.ts',
    [
      'cache/informer/given-memory.spec.ts',
      'an informer with a memory of the program keeps and releases every object there, and reads it from there',
    ],
  ),
  yes(
    22,
    'A limit on what a cache keeps: a budget for decoded objects, age and number in an ExpirationStore',
    'cache/store/expiration-store.ts',
    [
      'cache/store/expiration-store.spec.ts',
      'ExpirationStore lets the least recently used go beyond its capacity',
    ],
  ),
  yes(
    23,
    'Readers get the object of the cache itself, without a copy, and cannot change it',
    'cache/store/frozen-view.ts',
    ['cache/store/frozen-view.spec.ts', 'FrozenView hands out an object that cannot be modified'],
  ),
  yes(
    24,
    'A statement that changes an object of a cache throws on its line; `audit()` finds what was changed where objects are not frozen',
    'kernel/data/deep-freeze.ts',
    [
      'cache/informer/handlers/hostile-input.spec.ts',
      'An informer survives handlers that modify what they are given, and names the culprit, when it freezes',
    ],
  ),
  yes(
    25,
    'Selectors, namespaces, fields and transforms for each resource of a factory',
    'cache/informer/factory/informer-request.ts',
    [
      'cache/informer/factory/kind-defaults.spec.ts',
      'The defaults of a resource in a factory select what its informers read, and reduce what they keep',
    ],
  ),
  yes(
    26,
    'The namespaces that are watched change at run time',
    'cache/collection/namespaces/namespace-reflectors.ts',
    [
      'cache/collection/namespaces/namespace-reflectors.spec.ts',
      'An informer of several namespaces gets and loses namespaces while it runs',
    ],
  ),
  yes(
    27,
    'A read starts no informer: a resource that is not watched is refused by name',
    'controller/builder/run/reconcile-scope.ts',
    [
      'controller/builder/unwatched-reads.spec.ts',
      'a read of a resource that a controller does not watch is refused by name, and starts no informer',
    ],
  ),
  yes(
    28,
    'Own writes are read back at once, before the watch brings them',
    'cache/store/write-overlay.ts',
    [
      'path/own-writes-over-http.spec.ts',
      'a client that shows its writes to an informer reads them back before the watch has brought them, and agrees with it afterwards',
    ],
  ),
  yes(
    29,
    'The events of own writes are distinguished, and are no reason for a run',
    'cache/collection/delta-processor.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller writes a returned status once, and its own write is no reason for a run',
    ],
  ),
  yes(
    30,
    'A write that would change nothing is not sent: `createOrUpdate` by content, `apply` by managed fields (option `current`)',
    'client/rest/helpers/applied-by.ts',
    [
      'client/rest/helpers/applied-by.spec.ts',
      'ResourceClient.apply with the current object sends nothing when exactly this has been applied',
    ],
  ),
  yes(
    31,
    'The resource version of the cache can be read, and waited for',
    'cache/store/processed-version.ts',
    [
      'cache/collection/relist-history.spec.ts',
      'the resource version of the cache follows additions, updates and deletions',
    ],
  ),
  yes(
    32,
    'A start that fails says what is missing, why, and what to do',
    'cache/informer/factory/wait-for-cache-sync.ts',
    [
      'path/start-up.spec.ts',
      'a start-up that fails explains itself, and recovers when its cause is gone names the rule to add when the user may not list',
    ],
  ),
];

/** How changes reach handlers and reconciles. */
export const deliveryRows: readonly FeatureRow[] = [
  yes(33, 'Many handlers share one watch', 'cache/informer/handlers/handler-registry.ts', [
    'cache/informer/handlers/handler-registry.spec.ts',
    'HandlerRegistry a late handler gets what is there as initial objects, and then every change',
  ]),
  yes(
    34,
    'A handler that is slow, throws or hangs costs no other handler an event; its queue is bounded',
    'cache/informer/handlers/handler-queue.ts',
    [
      'cache/informer/handlers/slow-handler.spec.ts',
      'a handler whose callback does not return costs no other handler an event, and holds no more than its limit',
    ],
  ),
  yes(
    35,
    'A handler can be removed, by call, signal or end of block',
    'cache/informer/handlers/handler-registration.ts',
    [
      'cache/informer/handlers/handler-registry.spec.ts',
      'HandlerRegistry a handler that is removed gets nothing more, and may be removed again',
    ],
  ),
  yes(
    36,
    'A handler knows which objects belong to the first state',
    'cache/informer/handlers/notification.ts',
    [
      'cache/informer/shared-index-informer.spec.ts',
      'SharedIndexInformer delivers the initial state and every change after it to handlers',
    ],
  ),
  yes(
    37,
    'A handler is synced when its own callbacks for the first state have returned',
    'cache/informer/handlers/handler-queue.ts',
    [
      'cache/informer/shared-index-informer.spec.ts',
      'SharedIndexInformer being synced means the cache for the informer, and its own callbacks for a handler',
    ],
  ),
  yes(
    38,
    'Objects that are missing in a new list are delivered as deletions',
    'cache/collection/relist-changes.ts',
    [
      'cache/collection/relist-history.spec.ts',
      'the history of a relist in the order of arrival has deletions alone, with the last known states, when nothing is left',
    ],
  ),
  yes(
    39,
    'A deletion whose last state was not seen says so',
    'cache/informer/handlers/notification.ts',
    [
      'cache/informer/handlers/filtering-handler.spec.ts',
      'filteringHandler passes a deletion with unknown final state on when the last known state passes',
    ],
  ),
  yes(
    40,
    'An object that was deleted and created again under its name is a deletion and an addition',
    'cache/collection/delta-processor.ts',
    [
      'cache/informer/shared-index-informer.spec.ts',
      'SharedIndexInformer delivers a deletion and an addition when an object was recreated under another uid meanwhile',
    ],
  ),
  yes(
    41,
    'Filters of changes, combined by `allOf`, `anyOf` and `not`',
    'controller/change/predicates.ts',
    [
      'controller/change/predicates.spec.ts',
      'predicates of changes are combined by allOf, anyOf and not',
    ],
  ),
  yes(
    42,
    'A new status alone is no reason for a run, unless an option says so',
    'controller/builder/source/controller-source.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller leaves out updates of the status alone, but not those of labels, spec and deletion',
    ],
  ),
  yes(
    43,
    'A change of an object reconciles its owner (`owns`)',
    'controller/builder/source/owner-index.ts',
    [
      'controller/builder/source/change-mappings.spec.ts',
      'the owners of an object that changes are reconciled: the one that it has, the one that it had, and no other',
    ],
  ),
  yes(
    44,
    'A change of an object reconciles what a function returns (`watches`)',
    'controller/builder/source/change-mappings.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller reconciles what the mapping of a watched object returns, before and after an update',
    ],
  ),
  yes(
    45,
    'The objects that an object owns, from the cache (`owned`), and objects by index (`byIndex`)',
    'controller/builder/run/reconcile-scope.ts',
    [
      'controller/builder/source/controller-sources.spec.ts',
      'the sources of a controller have indexes, which mappings and reconciles read',
    ],
  ),
  yes(
    46,
    'Reasons from outside the cluster: an iterable, or a function that subscribes or polls',
    'controller/builder/source/external-source.ts',
    [
      'controller/builder/source/external-source.spec.ts',
      'an external source of a controller is a function that subscribes, and gets a signal to end',
    ],
  ),
  yes(
    47,
    'A run knows why it takes place (`reasons`), and `inspect()` has the last 100 runs',
    'controller/change/reconcile-reasons.ts',
    [
      'controller/builder/controller.spec.ts',
      'controller says why an object was reconciled, and keeps the last runs',
    ],
  ),
];
