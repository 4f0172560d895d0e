import {
  failedStream,
  failure,
  listing,
  memory,
  specRows,
  streaming,
  watching,
} from './step-support.ts';

const plain = { settings: { watchList: false } };
const at10 = memory({ ...plain, resourceVersion: '10' });
const shortHistory = memory({ ...plain, resourceVersion: '10', expiredLists: 2 });
const beside = listing({
  memory: shortHistory,
  resourceVersion: '',
  overlapFrom: '20',
});

describe('the table of the reflector, fault by fault', () => {
  specRows({
    'a history shorter than a list': [
      {
        title: 'counts when the first watch after a list has expired',
        state: watching({ memory: at10, fresh: true }),
        input: failedStream('expired', 5),
        next: 'backing-off 0 then listing {resourceVersion:10} at=10 [expired=1]',
        effects: 'report',
      },
      {
        title: 'does not count when a watch expired that had brought something',
        state: watching({ memory: at10 }),
        input: failedStream('expired', 5),
        next: 'backing-off 0 then listing {resourceVersion:10} at=10',
        effects: 'report',
      },
      {
        title: 'counts through refusals of the first watch',
        state: watching({ memory: at10, fresh: true }),
        input: { type: 'watch-refused', failure: failure('too-many-requests', 1000) },
        next: 'backing-off 1000 then watching fresh lost=0 hasty=0 at=10',
        effects: 'report',
      },
      {
        title: 'does not count once the first watch has ended as it should',
        state: watching({ memory: at10, fresh: true }),
        input: { type: 'stream-ended', durationMs: 300_000, events: 0, delayMs: 0 },
        next: 'watching lost=0 hasty=0 at=10',
        effects: 'reset-backoff',
      },
      {
        title: 'is forgotten when something comes',
        state: watching({ memory: shortHistory, fresh: true }),
        input: { type: 'progress', resourceVersion: '11' },
        next: 'watching lost=0 hasty=0 at=11',
      },
      {
        title: 'leads, after two such lists, to a watch that is opened before the list',
        state: watching({ memory: memory({ ...at10, expiredLists: 1 }), fresh: true }),
        input: { type: 'watch-refused', failure: failure('gone') },
        next: 'backing-off 0 then reading-version at=10 [expired=2]',
        effects: 'report',
      },
    ],
    'an overlapped list': [
      {
        title: 'begins with a watch from where the server is, and lists the most recent state',
        state: { name: 'reading-version', memory: shortHistory },
        input: { type: 'page', resourceVersion: '20', continueToken: 't' },
        next: 'listing {limit:500} beside 20 at=10 [expired=2]',
      },
      {
        title: 'is a plain one where there are no versions',
        state: { name: 'reading-version', memory: shortHistory },
        input: { type: 'page', resourceVersion: '' },
        next: 'listing {limit:500} at=10 [expired=2]',
      },
      {
        title: 'waits when the server does not say where it is',
        state: { name: 'reading-version', memory: shortHistory },
        input: { type: 'list-failed', failure: failure('too-many-requests', 2000) },
        next: 'backing-off 2000 then reading-version at=10 [expired=2]',
        effects: 'report',
      },
      {
        title: 'keeps its watch from page to page',
        state: beside,
        input: { type: 'page', resourceVersion: '22', continueToken: 't' },
        next: 'listing {limit:500,continueToken:t} beside 20 at=10 [expired=2]',
        effects: 'keep-page',
      },
      {
        title: 'keeps its watch when its token expires',
        state: { ...beside, continueToken: 't', listedVersion: '22' },
        input: { type: 'list-failed', failure: failure('expired') },
        next: 'listing {} whole beside 20 at=10 [expired=2]',
        effects: 'report',
      },
      {
        title: 'goes on with its watch when it is complete',
        state: { ...beside, continueToken: 't', listedVersion: '22' },
        input: { type: 'page', resourceVersion: '22' },
        next: 'watching lost=0 hasty=0 at=22 [expired=2]',
        effects: 'keep-page, replace 22',
      },
      {
        title: 'begins again after a wait when its watch cannot be opened',
        state: beside,
        input: { type: 'watch-refused', failure: failure('unavailable', 3000) },
        next: 'backing-off 3000 then reading-version at=10 [expired=2]',
        effects: 'close-stream, report',
      },
      {
        title: 'begins again after a wait when its watch breaks',
        state: beside,
        input: failedStream('connection-lost'),
        next: 'backing-off 0 then reading-version at=10 [expired=2]',
        effects: 'close-stream, report',
      },
      {
        title: 'closes its watch when a page fails',
        state: beside,
        input: { type: 'list-failed', failure: failure('other') },
        next: 'backing-off 0 then reading-version at=10 [expired=2]',
        effects: 'close-stream, report',
      },
    ],
    'a server that went back': [
      {
        title: 'and lists less than was seen is asked for its most recent state',
        state: listing({ memory: at10, resourceVersion: '10', limit: 0 }),
        input: { type: 'page', resourceVersion: '9' },
        next: 'listing {} at=10 [unavailable]',
        effects: 'report RESOURCE_VERSION_WENT_BACK',
      },
      {
        title: 'is asked again before further pages are read',
        state: listing({ memory: at10, resourceVersion: '10', limit: 4 }),
        input: { type: 'page', resourceVersion: '9', continueToken: 't' },
        next: 'listing {limit:4} at=10 [unavailable]',
        effects: 'report RESOURCE_VERSION_WENT_BACK',
      },
      {
        title: 'is followed when its most recent state is what it lists',
        state: listing({ memory: memory({ ...at10, unavailable: true }), resourceVersion: '' }),
        input: { type: 'page', resourceVersion: '9' },
        next: 'watching fresh lost=0 hasty=0 at=9',
        effects: 'keep-page, replace 9',
      },
      {
        title: 'is not suspected for versions that are no decimal numbers',
        state: listing({
          memory: memory({ ...plain, resourceVersion: 'zz' }),
          resourceVersion: 'zz',
        }),
        input: { type: 'page', resourceVersion: '9' },
        next: 'watching fresh lost=0 hasty=0 at=9',
        effects: 'keep-page, replace 9',
      },
      {
        title: 'and streams less than was seen is asked for its most recent state, in a new stream',
        state: streaming({ resourceVersion: '10' }),
        input: { type: 'initial-events-end', resourceVersion: '9' },
        next: 'streaming-list 0 at=10 [unavailable]',
        effects: 'close-stream, report RESOURCE_VERSION_WENT_BACK',
      },
      {
        title: 'is followed when its most recent state is what it streams',
        state: streaming({ resourceVersion: '10', unavailable: true }),
        input: { type: 'initial-events-end', resourceVersion: '9' },
        next: 'watching lost=0 hasty=0 at=9',
        effects: 'replace 9',
      },
      {
        title: 'and says so in a watch is listed, not older than what was seen if it can',
        state: watching({ memory: at10 }),
        input: failedStream('went-back'),
        next: 'backing-off 0 then listing {resourceVersion:10} at=10',
        effects: 'report',
      },
      {
        title: 'and does not have the version of a watch is listed at its most recent state',
        state: watching({ memory: at10 }),
        input: failedStream('too-large'),
        next: 'backing-off 0 then listing {limit:500} at=10 [unavailable]',
        effects: 'report',
      },
    ],
    'a server that cannot answer for the moment': [
      {
        title: 'and says when to come back is asked for the watch then, however often',
        state: watching({ memory: at10, lost: 3 }),
        input: { type: 'watch-refused', failure: failure('unavailable', 7000) },
        next: 'backing-off 7000 then watching lost=0 hasty=0 at=10',
        effects: 'report',
      },
      {
        title: 'in the middle of a watch is waited for without a list as well',
        state: watching({ memory: at10 }),
        input: {
          type: 'stream-failed',
          failure: failure('unavailable', 7000),
          durationMs: 60_000,
          events: 3,
          delayMs: 0,
        },
        next: 'backing-off 7000 then watching lost=0 hasty=0 at=10',
        effects: 'reset-backoff, report',
      },
      {
        title: 'and says nothing is asked for the watch three times',
        state: watching({ memory: at10, lost: 2 }),
        input: { type: 'watch-refused', failure: failure('unavailable') },
        next: 'backing-off 0 then watching lost=3 hasty=0 at=10',
        effects: 'report',
      },
      {
        title: 'and says nothing is asked a question after three attempts',
        state: watching({ memory: at10, lost: 3 }),
        input: failedStream('unavailable'),
        next: 'backing-off 0 then probing at=10',
        effects: 'report',
      },
      {
        title: 'and says nothing is listed once it has answered the question, but no watch',
        state: watching({ memory: at10, lost: 3, answered: true }),
        input: failedStream('unavailable'),
        next: 'backing-off 0 then listing {resourceVersion:10} at=10',
        effects: 'report',
      },
      {
        title: 'is asked for a streaming list again when it says so',
        state: streaming({ resourceVersion: '10' }),
        input: { type: 'watch-refused', failure: failure('unavailable', 7000) },
        next: 'backing-off 7000 then streaming-list 1 at=10',
        effects: 'report',
      },
      {
        title: 'is asked for a list in place of a third streaming list, no sooner than it says',
        state: streaming({ resourceVersion: '10' }, 2),
        input: { type: 'watch-refused', failure: failure('unavailable', 7000) },
        next: 'backing-off 7000 then listing {resourceVersion:10} at=10',
        effects: 'report',
      },
    ],
    'a server that fails by itself': [
      {
        title: 'leads to a new round, as long as it is given no time',
        state: watching({ memory: at10 }),
        input: failedStream('internal'),
        next: 'backing-off 0 then listing {resourceVersion:10} at=10',
        effects: 'report',
      },
      {
        title: 'is asked for the watch again while its time lasts, after a wait',
        state: watching({ memory: at10, fresh: true }),
        input: { ...failedStream('internal'), retryInternal: true },
        next: 'backing-off 0 then watching fresh lost=0 hasty=0 at=10',
        effects: 'report',
      },
    ],
  });
});
