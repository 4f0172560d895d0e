import type { ConformanceRow, SpecReference } from './conformance-row.ts';

type Cases = readonly SpecReference[];

const inFile =
  (file: string, suite: string) =>
  (...titles: readonly string[]): Cases =>
    titles.map((title) => ({ spec: `cache/${file}.spec.ts`, title: `${suite} ${title}` }));

const informer = inFile('informer/shared-index-informer', 'SharedIndexInformer');
const busy = inFile('informer/concurrent-use', 'An informer in the midst of everything');
const hostile = inFile('informer/handlers/hostile-input', 'An informer survives');
const life = inFile('informer/handlers/handler-life', 'The life of a handler');
const registry = inFile('informer/handlers/handler-registry', 'HandlerRegistry');
const queue = inFile('informer/handlers/handler-queue', 'HandlerQueue');
const handler = inFile('informer/handlers/notifier', 'A handler');
const filtering = inFile('informer/handlers/filtering-handler', 'filteringHandler');
const indexes = inFile('collection/object-reader', 'ObjectReader indexes');
const resyncs = inFile('informer/handlers/resync-schedule', 'ResyncSchedule');
const tracker = inFile('informer/handlers/sync-tracker', 'SyncTracker');
const transformed = inFile('collection/transformed-objects', 'transformed objects');
const processor = inFile('collection/delta-processor', 'DeltaProcessor');
const relist = inFile('collection/relist-history', 'the history of a relist');
const byArrival = inFile(
  'collection/relist-history',
  'the history of a relist in the order of arrival',
);
const byKey = inFile('collection/relist-history', 'the history of a relist in the order of key');
const version = inFile('collection/relist-history', 'the resource version of the cache');

const KEY_OF_DELETION = 'gets the key of a deleted object, whether its final state is known or not';
const NO_TOMBSTONE =
  'There is no tombstone to unwrap: a deletion always has its key and the last known object, and one without any object is not notified.';

const HISTORY = [
  'has additions alone when nothing was there',
  'has deletions alone, with the last known states, when nothing is left',
];
const RESET =
  'delivers the missed changes of one object and new objects, none as an initial object';

const LEAVES_NOTHING = [
  'leaves nothing behind when it comes before the start',
  'leaves nothing behind when it comes after the start',
  'leaves nothing behind when it comes without any start',
];

const controllerRows: readonly ConformanceRow[] = [
  {
    file: 'controller_test.go',
    test: 'TestHammerController',
    specs: busy(
      'follows many writers at once in the order of arrival',
      'follows many writers at once in the order of key',
    ),
  },
  {
    file: 'controller_test.go',
    test: 'TestUpdate',
    specs: busy('delivers only changes that happened, while a handler deletes changed objects'),
  },
  {
    file: 'controller_test.go',
    test: 'TestPanicPropagated',
    specs: registry(
      'a handler that throws is reported with key and name, and other handlers miss no event',
    ),
    because:
      'A handler that throws does not end the informer: the error goes to onError with handler and key, and everybody else goes on.',
  },
  {
    file: 'controller_test.go',
    test: 'TestTransformingInformer',
    specs: transformed('are what handlers and cache have after additions, changes and deletions'),
  },
  {
    file: 'controller_test.go',
    test: 'TestTransformingInformerRace',
    specs: transformed('are not transformed again by any number of resyncs and unchanged lists'),
  },
  {
    file: 'controller_test.go',
    test: 'TestDeletionHandlingObjectToName',
    specs: handler(KEY_OF_DELETION),
    because: NO_TOMBSTONE,
  },
  {
    file: 'controller_test.go',
    test: 'TestDeletedObjectGetObjectName',
    specs: handler(KEY_OF_DELETION),
    because: NO_TOMBSTONE,
  },
  {
    file: 'controller_test.go',
    test: 'TestDeletedObjectGetKey',
    specs: handler(KEY_OF_DELETION),
    because: NO_TOMBSTONE,
  },
  {
    file: 'controller_test.go',
    test: 'TestProcessDeltasInBatch',
    specs: processor(
      'notifies of the stored objects in a batch of a, b, c where none cannot',
      'notifies of the stored objects in a batch of a, b, c where a,b,c cannot',
      'notifies of the stored objects in a batch of a, b, c where b cannot',
      'notifies of the stored objects in a batch of a, b, c where a cannot',
    ),
    because: 'Each object that fails is reported by itself, with its key, instead of one count.',
  },
  {
    file: 'controller_test.go',
    test: 'TestReplaceEvents',
    specs: [
      ...byArrival(
        ...HISTORY,
        'has the deletions first and the rest as listed, and the cache shows each',
      ),
      ...byKey(
        ...HISTORY,
        'has the deletions last and the rest as listed, and the cache shows each',
      ),
    ],
    because:
      'The order of keys is that of the older DeltaFIFO, which notifies of the deletions of a relist last.',
  },
  {
    file: 'controller_test.go',
    test: 'TestResetWatch',
    specs: [...byArrival(RESET), ...byKey(RESET)],
  },
  {
    file: 'controller_test.go',
    test: 'TestStoreResourceVersion',
    specs: version('follows additions, updates and deletions'),
  },
  {
    file: 'controller_test.go',
    test: 'TestStoreResourceVersionWithNonMetaTransform',
    specs: version(
      'stands still for objects that a transform took the metadata from, until a list or a bookmark',
    ),
  },
];

const resyncAndStartRows: readonly ConformanceRow[] = [
  {
    file: 'shared_informer_test.go',
    test: 'TestIndexer',
    specs: indexes(
      'of several values find every object, also one that came later, also in a later index',
    ),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestListenerResyncPeriods',
    specs: informer('a resync goes to the handlers whose interval has passed, without a request'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestListenerResyncPeriodsDelayed',
    specs: busy('resyncs handlers that are still busy with what was there at the start'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestResyncCheckPeriod',
    specs: resyncs(
      'shortens the interval of the looks before the start, and handlers keep theirs',
      'gives handlers the interval of the informer unless they ask for another one',
    ),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerInitializationRace',
    specs: busy('takes handlers and indexes at any moment of its start'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerWatchDisruption',
    specs: relist(
      'is what changed, for handlers with and without resyncs; the rest comes with the next resync',
    ),
    because:
      'Objects that a relist shows unchanged are not delivered; handlers that ask for resyncs get it at their own interval.',
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerErrorHandling',
    specs: informer('life calls its error hook for a list that was refused'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerStartRace',
    specs: busy('takes handlers and indexes at any moment of its start'),
    because:
      'Transform and error hook are options of the constructor, so that nothing but handlers and indexes can race with the start.',
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerTransformer',
    specs: transformed('keep their keys under other names'),
  },
];

const registrationRows: readonly ConformanceRow[] = [
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerRemoveHandler',
    specs: registry('a handler that is removed is no longer counted, down to none'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerRemoveForeignHandler',
    specs: life('is of its own informer only'),
    because:
      'A registration removes itself, so that it cannot be handed to an informer it is not of.',
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerMultipleRegistration',
    specs: registry('a handler that is registered twice gets everything twice'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestRemovingRemovedSharedInformer',
    specs: registry('a handler that is removed gets nothing more, and may be removed again'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestSharedInformerHandlerAbuse',
    specs: busy('stands a hundred workers that add and remove handlers while events flow'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestStateSharedInformer',
    specs: informer('life goes from new to running to stopped, and says where it is'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestAddOnStoppedSharedInformer',
    specs: life('is refused by an informer that has stopped, which names itself and the handler'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestRemoveOnStoppedSharedInformer',
    specs: life('is refused by an informer that has stopped, which names itself and the handler'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestRemoveWhileActive',
    specs: registry('a handler that is removed gets nothing more, and may be removed again'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestAddWhileActive',
    specs: registry('a late handler gets what is there as initial objects, and then every change'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestShutdown',
    specs: life(...LEAVES_NOTHING),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestEventPanics',
    specs: [
      ...registry(
        'a handler that throws is reported with key and name, and other handlers miss no event',
      ),
      ...informer('being synced is not kept from a handler by its own failures'),
    ],
    because:
      'A handler that throws is not made to pause, and is synced all the same: an initial object that failed counts as seen.',
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestRemoveEventHandler_AsynchronousPanic',
    specs: life('may end during its own callback, which finishes'),
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestRemoveEventHandler_SynchronousShutdown',
    specs: [
      ...registry('a handler that is closed has returned from its last callback'),
      ...queue('close waits for the callback under way'),
    ],
  },
  {
    file: 'shared_informer_test.go',
    test: 'TestShutDownEventHandler_Lifecycles',
    specs: life(...LEAVES_NOTHING),
  },
];

const TYPES = 'Types are checked by the compiler; there are no adapters between typed and untyped.';

const typedRows: readonly ConformanceRow[] = [
  {
    file: 'typed_test.go',
    test: 'TestTypedResourceEventHandlerFuncs',
    specs: handler(
      'gets objects of its type, and what is special about the event',
      'of view object may lack any of the callbacks',
    ),
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedResourceEventHandlerDetailedFuncs',
    specs: handler(
      'gets objects of its type, and what is special about the event',
      'of view object may lack any of the callbacks',
    ),
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedFilteringResourceEventHandler',
    specs: filtering(
      'delivers only objects that pass, and those that begin or cease to pass',
      'asks about the new object first, and then about the old one',
      'passes a deletion with unknown final state on when the last known state passes',
    ),
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedResourceEventHandlerAdapter',
    specs: handler(
      'gets objects of its type, and what is special about the event',
      KEY_OF_DELETION,
    ),
    because: NO_TOMBSTONE,
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedIndexer',
    specs: indexes(
      'are over objects, and can be added while it runs',
      'of several values find every object, also one that came later, also in a later index',
    ),
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedSharedIndexInformerAddTypedEventHandler',
    specs: [
      ...registry('a handler is refused when it is none'),
      ...informer('a resync goes to the handlers whose interval has passed, without a request'),
    ],
    because: 'A second argument with options cannot be written; unknown options are refused.',
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedSharedIndexInformerAddTypedIndexers',
    specs: indexes(
      'are over objects, and can be added while it runs',
      'of several values find every object, also one that came later, also in a later index',
    ),
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedSharedIndexInformerGetTypedIndexer',
    specs: indexes('are over objects, and can be added while it runs'),
    because: TYPES,
  },
  {
    file: 'typed_test.go',
    test: 'TestTypedIndexersToIndexers',
    specs: [
      ...indexes(
        'are over objects, and can be added while it runs',
        'that fail on an object are reported, and the object is there',
      ),
      ...hostile('an index function that gives back text'),
    ],
    because: TYPES,
  },
];

/** In upstream order. */
export const informerRows: readonly ConformanceRow[] = [
  ...controllerRows,
  ...resyncAndStartRows,
  ...registrationRows,
  ...typedRows,
  {
    file: 'event_handler_name_test.go',
    test: 'TestNameForHandler',
    specs: life('is named after its class, or by number, unless it has a name'),
    because: 'Functions have no package path at run time; a name of your own is an option.',
  },
  {
    file: 'synctrack_test.go',
    test: 'TestBasicLogic',
    specs: tracker(
      'is not synced after nothing',
      'is synced after upstream',
      'is not synced after start, finish',
      'is not synced after start, upstream',
      'is synced after start, finish, upstream',
      'is synced after start, upstream, finish',
    ),
    because:
      'One tracker serves: a handler finishes its objects in order, so that a count is enough.',
  },
  {
    file: 'synctrack_test.go',
    test: 'TestAsyncLocking',
    specs: tracker('is right for every order of starts and ends'),
    because: 'There are no threads to lock out; tasks take the place of goroutines.',
  },
  {
    file: 'synctrack_test.go',
    test: 'TestSingleFileCounting',
    specs: tracker('counts a hundred, and stays synced though one more is finished'),
  },
  {
    file: 'synctrack_test.go',
    test: 'TestSingleFile',
    specs: tracker(
      'is synced once the informer is and everything that was started is finished',
      'is not synced before the informer is',
    ),
  },
];
