import type { ConformanceRow, SpecReference } from './conformance-row.ts';

type Cases = readonly SpecReference[];

const inFile =
  (spec: string, suite: string) =>
  (...titles: readonly string[]): Cases =>
    titles.map((title) => ({ spec, title: `${suite} ${title}` }));

const watcher = inFile('cache/wait/retry-watcher.spec.ts', 'RetryWatcher');
const loop = inFile('cache/wait/retry-watcher.spec.ts', 'RetryWatcher a loop');
const afterFailure = inFile('cache/wait/retry-watcher.spec.ts', 'RetryWatcher after a failure');
const ends = inFile('cache/wait/retry-watcher-end.spec.ts', 'RetryWatcher ends');
const closed = inFile('cache/wait/retry-watcher-end.spec.ts', 'RetryWatcher is closed');
const until = inFile('cache/wait/until.spec.ts', 'until, on a stream of events');
const withSync = inFile('cache/wait/until-with-sync.spec.ts', 'untilWithSync');
const CHANGES = 'cache/informer/changes/informer-changes.spec.ts';
const changes = inFile(CHANGES, 'an informer as a stream of changes');
const changesEnd = inFile(CHANGES, 'an informer as a stream of changes ends');
const pager = inFile('client/rest/read/pager.spec.ts', 'the pager');
const items = inFile('client/rest/read/pager-items.spec.ts', 'going through a list item by item');
const history = inFile(
  'testing/scripted-history.spec.ts',
  'the history of a ScriptedListerWatcher',
);
const streaming = inFile(
  'cache/reflector/list/streaming-list.spec.ts',
  'Reflector with streaming lists',
);
const requests = inFile(
  'cache/reflector/table/reflector-state.spec.ts',
  'the requests of the reflector',
);
const AUDIT = 'cache/informer/audit/informer-audit.spec.ts';
const audit = inFile(AUDIT, 'the audit of an informer');
const auditRetries = inFile(AUDIT, 'the audit of an informer tries again');
const auditDeep = inFile(AUDIT, 'the audit of an informer with deep');

const failuresToSurvive = [
  'a broken connection',
  'a timeout of the server',
  'an internal error',
  'an unknown status',
  'an error that is no status',
].map((what) => `goes on after ${what}, at the start and in the stream`);

const capability: Cases = streaming(
  'lists when the source says that it does not know streaming lists',
  'makes one request, replaces once at the end bookmark, and watches on in the same stream',
);
const capabilityDiffers =
  'The capability is an optional property of the lister-watcher; one that says nothing is taken to know streaming lists.';

const retryWatcherRows: readonly ConformanceRow[] = [
  {
    file: 'tools/watch/retrywatcher_test.go',
    test: 'TestNewRetryWatcher',
    specs: watcher('refuses an invalid resource version'),
  },
  {
    file: 'tools/watch/retrywatcher_test.go',
    test: 'TestRetryWatcher',
    specs: [
      ...afterFailure(
        ...failuresToSurvive,
        'continues after a source that gave no stream',
        'waits as long as the server asks, up to five minutes',
      ),
      ...loop(
        'gets what directly follows its version, and then what happens',
        'gets nothing when its version is the newest',
        'gets each event once and in order across watches that the server ends',
        'never gets an event at or before its position again when a watch repeats events',
        'leaves at least a second between two starts, and more when watches end at once and empty',
      ),
      ...['EXPIRED', 'GONE', 'FORBIDDEN', 'UNAUTHORIZED'].flatMap((code) =>
        ends(
          `with the error itself on ${code} at the start`,
          `with the error itself on ${code} in the stream, after the events before it`,
        ),
      ),
    ],
    because:
      'Differs on purpose: a 410 ends the loop at the start of a watch as it does in the stream, since the same request would be refused for ever; what ends it is thrown, not sent as an event.',
  },
  {
    file: 'tools/watch/retrywatcher_test.go',
    test: 'TestRetryWatcherToFinishWithUnreadEvents',
    specs: closed(
      'at once, also with events that were not read',
      'while it waits: for an event, for an answer, and for its next turn',
    ),
  },
];

const untilRows: readonly ConformanceRow[] = [
  {
    file: 'tools/watch/until_test.go',
    test: 'TestUntil',
    specs: until(
      'takes conditions one after the other',
      'resolves with the event that satisfies the condition, and leaves the stream',
    ),
  },
  {
    file: 'tools/watch/until_test.go',
    test: 'TestUntilMultipleConditions',
    specs: until('tries a new condition on the event that satisfied the one before it'),
  },
  {
    file: 'tools/watch/until_test.go',
    test: 'TestUntilMultipleConditionsFail',
    specs: until(
      'says at its deadline that those before it are satisfied, and by how much it has seen',
      'rejects when the stream ends first, saying which condition waits',
      'rejects with the reason of the signal, aborted before or meanwhile',
    ),
  },
  {
    file: 'tools/watch/until_test.go',
    test: 'TestUntilTimeout',
    specs: until(
      'waits without a limit when there is none, and notices nothing of a limit that is not reached',
    ),
  },
  {
    file: 'tools/watch/until_test.go',
    test: 'TestUntilErrorCondition',
    specs: until('rejects with what a condition throws, and with what the stream throws'),
  },
  {
    file: 'tools/watch/until_test.go',
    test: 'TestUntilWithSync',
    specs: withSync(
      'asks no precondition when there is none, and waits for the first change of an informer that cannot sync',
      'does not call the precondition before the first list, even if that takes long',
      'resolves with nothing when the precondition is true, and asks no condition',
      'continues with the conditions when it is false, beginning with the present objects',
    ),
  },
];

const informerWatcherRows: readonly ConformanceRow[] = [
  {
    file: 'tools/watch/informerwatcher_test.go',
    test: 'TestEventProcessorExit',
    specs: changesEnd(
      'when it is left while it waits',
      'when the informer stops, after what was read in by then, even for a reader that is busy',
    ),
  },
  {
    file: 'tools/watch/informerwatcher_test.go',
    test: 'TestEventProcessorOrdersEvents',
    specs: changes('keeps the order of thousands of changes, whenever they are read'),
  },
  {
    file: 'tools/watch/informerwatcher_test.go',
    test: 'TestNewInformerWatcher',
    specs: [
      ...changes(
        'looks the same when the first list comes in one answer',
        'looks the same when the first list comes as a stream',
        'shows no bookmark',
      ),
      ...changesEnd('for the informer when the loop is left'),
    ],
    because:
      'An informer may have many readers, so leaving one of them ends its registration and not the informer.',
  },
  {
    file: 'tools/watch/informerwatcher_test.go',
    test: 'TestInformerWatcherDeletedFinalStateUnknown',
    specs: changes('delivers a missed deletion with the last state that was seen'),
  },
];

const pagerRows: readonly ConformanceRow[] = [
  {
    file: 'tools/pager/pager_test.go',
    test: 'TestListPager_List',
    specs: pager(
      'hands on a single page as it is',
      'reads as many pages as there are, and one when they end together',
      'joins pages under the resource version of the first, and names a version only there',
      'reads the whole list once more when a token has expired',
      'passes an expired later page on to a reader of pages',
      'hands on an expired first page, and any other failure',
    ),
  },
  {
    file: 'tools/pager/pager_test.go',
    test: 'TestListPager_EachListItem',
    specs: [
      ...items(
        'sends resource version and match for the first page only, also when it reads ahead',
      ),
      ...[0, 1, 10].flatMap((ahead) =>
        items(`hands on every item once and in order, ${ahead} pages ahead`),
      ),
      ...[0, 3].flatMap((ahead) =>
        items(
          `hands on an expired page after the items before it, ${ahead} pages ahead`,
          `finishes the page in use when the signal aborts, ${ahead} pages ahead`,
          `leaves the list with what the loop throws, ${ahead} pages ahead`,
        ),
      ),
    ],
    because: 'Differs on purpose: later pages never name the resource version of the first one.',
  },
  {
    file: 'tools/pager/pager_test.go',
    test: 'TestListPager_eachListPageBuffered',
    specs: [
      ...(
        [
          [0, 1, 1],
          [0, 2, 2],
          [0, 5, 5],
          [1, 1, 2],
          [1, 4, 5],
          [1, 5, 5],
          [10, 1, 5],
        ] as const
      ).flatMap(([ahead, page, read]) =>
        items(
          `has read ${read} of 5 pages while page ${page} is in use, when it may be ${ahead} ahead`,
        ),
      ),
      ...items('refuses to read a negative number of pages ahead'),
    ],
    because:
      'Differs on purpose: the number is the number of pages ahead, where client-go reads one more and waits with it in hand.',
  },
];

const sourceRows: readonly ConformanceRow[] = [
  {
    file: 'tools/cache/listwatch_test.go',
    test: 'TestToListWatcherWithWatchListSemantics',
    specs: capability,
    because: capabilityDiffers,
  },
  {
    file: 'tools/cache/testing/fake_controller_source_test.go',
    test: 'TestRCNumber',
    specs: history(
      'shows each watch exactly what follows its version, and numbers lists by the last write',
    ),
  },
  {
    file: 'tools/cache/testing/fake_controller_source_test.go',
    test: 'TestResetWatch',
    specs: history('refuses what lies before a reset, and serves from there on'),
  },
];

const streamingListRows: readonly ConformanceRow[] = [
  {
    file: 'util/watchlist/watch_list_test.go',
    test: 'TestDoesClientNotSupportWatchListSemantics',
    specs: capability,
    because: capabilityDiffers,
  },
  {
    file: 'util/watchlist/watch_list_test.go',
    test: 'TestPrepareWatchListOptionsFromListOptions',
    specs: requests('asks for a streaming list from its last version, and never at "0"'),
    because:
      'The request is the same, but only a reflector makes it: a list that a caller asks for is never turned into a stream, so there is nothing to refuse.',
  },
];

const auditRows: readonly ConformanceRow[] = [
  {
    file: 'util/consistencydetector/data_consistency_detector_test.go',
    test: 'TestDataConsistencyChecker',
    specs: [
      ...audit(
        'finds a cache consistent that equals the server at its version',
        'finds an empty cache consistent with an empty collection',
        'reads in pages that all show one state, and names the version for the first only',
        'finds missing, extra and different objects, even if the watch keeps events back',
      ),
      ...auditDeep('finds an object that was modified in the cache'),
    ],
    because:
      'An audit is for production: it reports instead of ending the process, and makes its own requests, so no options of a caller have to be rewritten or left out.',
  },
  {
    file: 'util/consistencydetector/data_consistency_detector_test.go',
    test: 'TestDataConsistencyCheckerRetry',
    specs: [
      ...auditRetries(
        'after a pause when the server is behind, busy or away',
        'at a newer version when history is gone',
        'until its deadline, and says what it waits for',
      ),
      ...audit('hands on what the server refuses the list with'),
    ],
    because:
      'Differs on purpose: it tries again, within its deadline, only where that can help; a refusal is handed on at once.',
  },
];

/** Watching without a cache, waiting, paging, the scripted source, and comparing a cache with its server. */
export const watchRows: readonly ConformanceRow[] = [
  ...sourceRows,
  ...informerWatcherRows,
  ...retryWatcherRows,
  ...untilRows,
  ...pagerRows,
  ...streamingListRows,
  ...auditRows,
];
