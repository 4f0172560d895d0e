import type { ConformanceRow, SpecReference } from './conformance-row.ts';

type Cases = readonly SpecReference[];

const inFile =
  (file: string, suite: string) =>
  (...titles: readonly string[]): Cases =>
    titles.map((title) => ({ spec: `cache/reflector/${file}`, title: `${suite} ${title}` }));

const listWatch = inFile('reflector.spec.ts', 'Reflector listing and watching');
const failures = inFile('reflector.spec.ts', 'Reflector failures');
const startToStop = inFile('reflector.spec.ts', 'Reflector from start to stop');
const beside = inFile('reflector-conformance.spec.ts', 'Reflector beside client-go');
const streamingBeside = inFile(
  'reflector-conformance.spec.ts',
  'Reflector with streaming lists beside client-go',
);
const streaming = inFile('list/streaming-list.spec.ts', 'Reflector with streaming lists');
const difficultSink = inFile('difficult-sink.spec.ts', 'Reflector with a difficult sink');
const repeatingServer = inFile(
  'difficult-server.spec.ts',
  'Reflector of a server that repeats itself',
);
const failingServer = inFile('difficult-server.spec.ts', 'Reflector of a server that fails');
const round = inFile('table/reflector-step.spec.ts', 'the table of the reflector a round begins');
const list = inFile('table/reflector-step.spec.ts', 'the table of the reflector a list');
const streamingRow = inFile(
  'table/reflector-step.spec.ts',
  'the table of the reflector a streaming list',
);
const reader = inFile('watch/watch-reader.spec.ts', 'WatchReader');
const classify = inFile('failure/watch-error.spec.ts', 'classifyFailure');
const order = inFile('watch/stream-order.spec.ts', 'StreamOrder');
const table = inFile('failure/table-object.spec.ts', 'rejectTable');
const retry = (...titles: readonly string[]): readonly SpecReference[] =>
  titles.map((title) => ({
    spec: 'kernel/time/retry-with-deadline.spec.ts',
    title: `RetryWithDeadline ${title}`,
  }));

const SILENT_STOP = 'stops at once in a silent watch and leaves nothing behind';
const NEVER_BEHIND =
  'never lists behind what it saw, and asks for the most recent state when that is refused';

const reflectorTests: readonly Omit<ConformanceRow, 'file'>[] = [
  {
    test: 'TestCloseWatchChannelOnError',
    specs: beside('closes the watch that brought an error, and runs on'),
    because: 'An error in the stream is reported, too; client-go keeps it from the error handler.',
  },
  { test: 'TestRunUntil', specs: startToStop(SILENT_STOP) },
  {
    test: 'TestReflectorResyncChan',
    specs: difficultSink('resyncs at its interval through relists, while asked to'),
    because: 'The interval runs through relists; client-go starts it anew with each.',
  },
  {
    test: 'TestReflectorWatchStoppedBefore',
    specs: startToStop('makes no request when it is stopped before it starts'),
  },
  { test: 'TestReflectorWatchStoppedAfter', specs: startToStop(SILENT_STOP) },
  {
    test: 'TestReflectorHandleWatchStoppedBefore',
    specs: [
      ...reader('fails to open when the signal has aborted'),
      ...startToStop(
        'stops even when the source ignores its signal, and ends the stream that comes too late',
      ),
    ],
  },
  {
    test: 'TestReflectorHandleWatchStoppedAfter',
    specs: beside('ends the stream exactly once when it is stopped'),
  },
  {
    test: 'TestReflectorHandleWatchResultChanClosedBefore',
    specs: failures(
      'asks for the watch again, after waits that grow, when watches end at once and empty',
    ),
  },
  {
    test: 'TestReflectorHandleWatchResultChanClosedAfter',
    specs: beside('takes a watch that ends after 10 ms without an event for a very short one'),
  },
  {
    test: 'TestReflectorWatchHandler',
    specs: [
      ...listWatch(
        'lists any state first, watches from there, and hands every change over in order',
      ),
      ...repeatingServer('drops events that came before, counts them, and says so once a stream'),
      ...order('drops events that are not newer than earlier ones, over batches too'),
      ...failures('refuses Table objects in a list and in a watch'),
    ],
    because:
      'An event with version 32 after one with 55 is dropped and 55 kept, where client-go applies it and goes back to 32. ' +
      'A reflector is generic in what it carries; of foreign types it meets Tables, which it refuses.',
  },
  { test: 'TestReflectorStopWatch', specs: startToStop(SILENT_STOP) },
  {
    test: 'TestReflectorListAndWatch',
    specs: [
      ...streaming(
        'makes one request, replaces once at the end bookmark, and watches on in the same stream',
      ),
      ...listWatch(
        'lists any state first, watches from there, and hands every change over in order',
      ),
      ...beside('leaves the same objects with plain and with streaming lists'),
    ],
  },
  {
    test: 'TestReflectorListAndWatchWithErrors',
    specs: beside(
      'passes errors of lists and watches on as they were thrown, and lists what it has gathered',
    ),
  },
  {
    test: 'TestReflectorListAndWatchInitConnBackoff',
    specs: failures(
      'backs off exponentially from a server that refuses connections, and says so',
      'stays backed off through a long outage and starts small again after a quiet time',
    ),
  },
  {
    test: 'TestNewReflectorWithCustomBackoff',
    specs: failures(
      'backs off exponentially from a server that refuses connections, and says so',
      'stays backed off through a long outage and starts small again after a quiet time',
    ),
  },
  {
    test: 'TestBackoffOnTooManyRequests',
    specs: beside(
      'takes exactly one step of the back-off for 429, at the opening and in the stream',
    ),
  },
  {
    test: 'TestNoRelistOnTooManyRequests',
    specs: beside('opens the watch for the fifth time after four times 429, on one list'),
  },
  {
    test: 'TestRetryInternalError',
    specs: [
      ...beside(
        'does not retry internal errors unless it is given time',
        'retries internal errors once a second for 30 s, 31 times with both ends',
        'begins the time for internal errors again after a minute without one',
      ),
      ...failingServer('gives it the time it is allowed before it lists again, with waits between'),
    ],
    because:
      'Between two retries there is a back-off, and a watch refused with 500 is retried, too.',
  },
  {
    test: 'TestReflectorResync',
    specs: difficultSink(
      'resyncs at its interval through relists, while asked to',
      'lists again after a resync that throws',
    ),
    because: 'A resync that fails is reported; client-go only lists again.',
  },
  {
    test: 'TestReflectorWatchListPageSize',
    specs: [
      ...listWatch('reads a list in pages and hands it over at once, as of its first page'),
      ...round('with pages of the size asked for, whatever the version'),
    ],
  },
  {
    test: 'TestReflectorNotPaginatingNotConsistentReads',
    specs: round('from the last version and without pages, so that a cache can answer'),
  },
  {
    test: 'TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled',
    specs: [
      ...list('carries the version of its first page'),
      ...round('in pages at the last version when there is no cache that could answer'),
    ],
  },
  { test: 'TestReflectorResyncWithResourceVersion', specs: listWatch(NEVER_BEHIND) },
  { test: 'TestReflectorExpiredExactResourceVersion', specs: listWatch(NEVER_BEHIND) },
  {
    test: 'TestReflectorFullListIfExpired',
    specs: [
      ...listWatch('takes the list in one piece when a page expires'),
      ...list('whose token expired is taken again in one piece, at its own version'),
    ],
  },
  {
    test: 'TestReflectorFullListIfTooLarge',
    specs: [
      ...listWatch(NEVER_BEHIND),
      ...classify(
        'takes a version ahead of the server for too-large',
        'takes the same in the words of older servers for too-large',
        'takes the same in a cause of older servers for too-large',
        'takes the same in the message of the oldest servers for too-large',
      ),
      ...list('at a version ahead of the server is repeated at once at the most recent state'),
    ],
  },
  {
    test: 'TestGetTypeDescriptionFromObject',
    specs: beside('is named after its collection unless it is given a name'),
    because:
      'The lister-watcher describes the collection in words; there is no example object to derive a description from.',
  },
  {
    test: 'TestGetExpectedGVKFromObject',
    specs: [],
    because:
      'There is no expected group, version and kind: a reflector carries what its lister-watcher decodes, and the type system holds the two together.',
  },
  {
    test: 'TestWatchTimeout',
    specs: [
      ...listWatch('draws a new watch timeout for every request, from one to two times the least'),
      ...beside(
        'lets the server end a watch after 5 to 10 minutes by default',
        'lets the server end a watch after one to two times what it is given',
      ),
      ...startToStop('takes a wrong option for what it is'),
    ],
    because:
      'Less than a second is refused with words, and what is between a second and five minutes is obeyed; client-go ignores both.',
  },
  {
    test: 'TestReflectorResourceVersionUpdate',
    specs: listWatch(
      'lists any state first, watches from there, and hands every change over in order',
    ),
  },
  {
    test: 'TestReflectorListExtract',
    specs: listWatch('reads a list in pages and hands it over at once, as of its first page'),
    because: 'An object in JavaScript does not keep the array alive that it came in.',
  },
  {
    test: 'TestReflectorReplacesStoreOnUnsafeDelete',
    specs: beside('drops an object that the server can no longer read, and keeps the others'),
  },
  {
    test: 'TestReflectorRespectStoreTransformer',
    specs: beside(
      'lets a queue by arrival transform every object of a streaming list and after it, each once',
      'lets a queue by key transform every object of a streaming list and after it, each once',
    ),
    because: 'Each object is transformed once; client-go does it twice for those of the list.',
  },
  {
    test: 'TestIsUnsupportedTableObject',
    specs: table(
      'refuses a Table of meta.k8s.io/v1, bare or in a view',
      'refuses a Table of meta.k8s.io/v1beta1, bare or in a view',
      'accepts tables of other groups and versions, other kinds, and nothing',
    ),
  },
];

const watchListTests: readonly Omit<ConformanceRow, 'file'>[] = [
  {
    test: 'TestNewReflectorWithDisablementWatchList',
    specs: [
      ...streaming('lists when the source says that it does not know streaming lists'),
      ...round('with a list of any state, in pages, where they are not'),
      ...streamingBeside('asks a source for them that says nothing about them'),
    ],
    because: 'An option takes the place of the feature gate.',
  },
  {
    test: 'TestInitialEventsEndBookmarkTicker',
    specs: [
      ...streaming(
        'reports a missing end bookmark while it awaits one, with the time since the last event',
        'reports no missing end bookmark once it came, nor on a watch after a list',
        'falls back to a list when the stream falls silent before its end bookmark',
        'falls back to a list when the stream goes on for a minute without its end bookmark',
      ),
    ],
    because:
      'After 10 s of silence, or 60 s in all, without the end bookmark a list takes the place of the stream, and the error says which; client-go warns every 10 s and waits on.',
  },
  {
    test: 'TestWatchListResourceVersion',
    specs: [
      ...streamingBeside('has no version while a streaming list brought nothing'),
      ...streaming('records no version while only initial objects came'),
      ...streamingRow('ends with its bookmark, whose version counts, and goes on as a watch'),
    ],
  },
  {
    test: 'TestWatchList',
    specs: [
      ...streaming(
        'records no version while only initial objects came',
        'lists for one round only after any other error',
        'lists when the server refuses streaming lists, and does not ask again',
        'makes one request, replaces once at the end bookmark, and watches on in the same stream',
        'lets objects change and vanish before the end bookmark, and takes no other bookmark for it',
        'repeats the same request after 429, with a wait that can be stopped',
        'falls back to a list after three streams that end without their bookmark, with waits between',
      ),
      ...listWatch(
        'lists any state first, watches from there, and hands every change over in order',
      ),
      ...streamingBeside(
        'watches on from its last version when the stream of a streaming list ends',
        'reports a version that has expired when the watch is reopened, and begins a new round',
      ),
      {
        spec: 'client/rest/decode/object-decoder.spec.ts',
        title:
          'JsonObjectDecoder takes a bookmark for the end of a streaming list by its annotation "true" alone',
      },
    ],
    because:
      'A server that refuses streaming lists is not asked again, and streams that end without their bookmark are waited ' +
      'between and counted; client-go asks each round and at once.',
  },
];

/** The rows of client-go's tests of its reflector. */
export const reflectorRows: readonly ConformanceRow[] = [
  ...reflectorTests.map((row) => ({ file: 'reflector_test.go', ...row })),
  ...watchListTests.map((row) => ({ file: 'reflector_watchlist_test.go', ...row })),
  {
    file: 'reflector_data_consistency_detector_test.go',
    test: 'TestReflectorDataConsistencyDetector',
    specs: ['arrival', 'key'].flatMap((order) =>
      ['as they come', 'transformed once'].map((how) => ({
        spec: 'cache/informer/streaming-agrees.spec.ts',
        title: `A streaming list and a plain list fill a cache with the same objects, ${how}, in the order of ${order}`,
      })),
    ),
    because:
      'What client-go compares on its own in tests, an informer compares with the server whenever it is asked for an audit.',
  },
  {
    file: 'retry_with_deadline_test.go',
    test: 'TestRetryWithDeadline',
    specs: [
      ...retry(
        'allows nothing without a time',
        'allows retries until the time since the first failure is over, then says no once',
        'begins again after a gap of the reset time, counted from the last failure',
      ),
      ...beside('neither begins nor ends the time for internal errors with other failures'),
    ],
  },
];
