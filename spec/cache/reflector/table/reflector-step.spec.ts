import { expect } from 'chai';
import {
  initialState,
  listRequest,
  watchRequest,
} from '../../../../lib/cache/reflector/table/reflector-state.ts';
import { step } from '../../../../lib/cache/reflector/table/reflector-step.ts';
import {
  FAILURE_KINDS,
  failedStream,
  failure,
  listing,
  memory,
  specRows,
  streaming,
  watching,
  type RowGroups,
} from './step-support.ts';

const plain = { settings: { watchList: false } };

const ROWS: RowGroups = {
  'a round begins': [
    {
      title: 'with a streaming list where they are supported',
      state: initialState({ watchList: true }),
      input: { type: 'start' },
      next: 'streaming-list 0 at=',
    },
    {
      title: 'with a list of any state, in pages, where they are not',
      state: initialState({ watchList: false }),
      input: { type: 'start' },
      next: 'listing {limit:500,resourceVersion:0} at=',
    },
    {
      title: 'with a list of any state once streaming lists have proved unusable',
      state: { name: 'stopped', memory: memory({ watchListUnusable: true }) },
      input: { type: 'start' },
      next: 'listing {limit:500,resourceVersion:0} at= [no-watch-list]',
    },
    {
      title: 'from the last version and without pages, so that a cache can answer',
      state: { name: 'stopped', memory: memory({ ...plain, resourceVersion: '10' }) },
      input: { type: 'start' },
      next: 'listing {resourceVersion:10} at=10',
    },
    {
      title: 'in pages at the last version when there is no cache that could answer',
      state: { name: 'stopped', memory: memory({ ...plain, resourceVersion: '10', paged: true }) },
      input: { type: 'start' },
      next: 'listing {limit:500,resourceVersion:10} at=10 [paged]',
    },
    {
      title: 'at the most recent state, in pages, when the last version was refused',
      state: {
        name: 'stopped',
        memory: memory({ ...plain, resourceVersion: '10', unavailable: true }),
      },
      input: { type: 'start' },
      next: 'listing {limit:500} at=10 [unavailable]',
    },
    {
      title: 'with pages of the size asked for, whatever the version',
      state: {
        name: 'stopped',
        memory: memory({ settings: { watchList: false, pageSize: 4 }, resourceVersion: '10' }),
      },
      input: { type: 'start' },
      next: 'listing {limit:4,resourceVersion:10} at=10',
    },
    {
      title: 'without pages at all for page size 0',
      state: initialState({ watchList: false, pageSize: 0 }),
      input: { type: 'start' },
      next: 'listing {resourceVersion:0} at=',
    },
  ],
  'a list': [
    {
      title: 'goes on with the token of a page, and names no version with it',
      state: listing(),
      input: { type: 'page', resourceVersion: '7', continueToken: 't' },
      next: 'listing {limit:500,continueToken:t} at=',
      effects: 'keep-page',
    },
    {
      title: 'carries the version of its first page',
      state: listing({ continueToken: 't', listedVersion: '7' }),
      input: { type: 'page', resourceVersion: '9' },
      next: 'watching fresh lost=0 hasty=0 at=7 [paged]',
      effects: 'keep-page, replace 7',
    },
    {
      title: 'in one page says nothing about the cache',
      state: listing(),
      input: { type: 'page', resourceVersion: '7' },
      next: 'watching fresh lost=0 hasty=0 at=7',
      effects: 'keep-page, replace 7',
    },
    {
      title: 'in pages at a concrete version says nothing about the cache',
      state: listing({ resourceVersion: '5', continueToken: 't', listedVersion: '7' }),
      input: { type: 'page', resourceVersion: '7', continueToken: '' },
      next: 'watching fresh lost=0 hasty=0 at=7',
      effects: 'keep-page, replace 7',
    },
    {
      title: 'that succeeds makes its version available again',
      state: listing({
        memory: memory({ resourceVersion: '5', unavailable: true }),
        resourceVersion: '',
      }),
      input: { type: 'page', resourceVersion: '7' },
      next: 'watching fresh lost=0 hasty=0 at=7',
      effects: 'keep-page, replace 7',
    },
    {
      title: 'without a version leads to a watch whose first objects come in no order',
      state: listing(),
      input: { type: 'page', resourceVersion: '' },
      next: 'watching unordered fresh lost=0 hasty=0 at=',
      effects: 'keep-page, replace ',
    },
    {
      title: 'whose token expired is taken again in one piece, at its own version',
      state: listing({ resourceVersion: '10', limit: 4, continueToken: 't', listedVersion: '11' }),
      input: { type: 'list-failed', failure: failure('expired') },
      next: 'listing {resourceVersion:10} whole at=',
      effects: 'report',
    },
    {
      title: 'that is gone on a later page is not, for only Expired means the token',
      state: listing({ resourceVersion: '10', limit: 4, continueToken: 't', listedVersion: '11' }),
      input: { type: 'list-failed', failure: failure('gone') },
      next: 'listing {limit:4} at= [unavailable]',
      effects: 'report',
    },
    {
      title: 'taken in one piece at "0" proves that there is no cache',
      state: listing({ whole: true }),
      input: { type: 'page', resourceVersion: '7' },
      next: 'watching fresh lost=0 hasty=0 at=7 [paged]',
      effects: 'keep-page, replace 7',
    },
    {
      title:
        'at an expired version is repeated at once at the most recent state, with the same pages',
      state: listing({
        memory: memory({ resourceVersion: '10' }),
        resourceVersion: '10',
        limit: 0,
      }),
      input: { type: 'list-failed', failure: failure('expired') },
      next: 'listing {} at=10 [unavailable]',
      effects: 'report',
    },
    {
      title: 'at a version ahead of the server is repeated at once at the most recent state',
      state: listing({
        memory: memory({ resourceVersion: '10' }),
        resourceVersion: '10',
        limit: 0,
      }),
      input: { type: 'list-failed', failure: failure('too-large') },
      next: 'listing {} at=10 [unavailable]',
      effects: 'report',
    },
    {
      title: 'that is refused at the most recent state too waits, and stays there',
      state: listing({
        memory: memory({ ...plain, resourceVersion: '10', unavailable: true }),
        resourceVersion: '',
        limit: 0,
      }),
      input: { type: 'list-failed', failure: failure('expired') },
      next: 'backing-off 0 then listing {limit:500} at=10 [unavailable]',
      effects: 'report',
    },
    {
      title: 'that fails otherwise waits, as long as the server asks for at least',
      state: listing({
        memory: memory({ ...plain, resourceVersion: '10' }),
        resourceVersion: '10',
      }),
      input: { type: 'list-failed', failure: failure('too-many-requests', 3000) },
      next: 'backing-off 3000 then listing {resourceVersion:10} at=10',
      effects: 'report',
    },
    {
      title: 'in place of a streaming list is one for this round only',
      state: listing(),
      input: { type: 'list-failed', failure: failure('other') },
      next: 'backing-off 0 then streaming-list 0 at=',
      effects: 'report',
    },
  ],
  'a streaming list': [
    {
      title: 'records no version of its initial events',
      state: streaming(),
      input: { type: 'progress', resourceVersion: '99' },
      next: 'streaming-list 0 at=',
    },
    {
      title: 'ends with its bookmark, whose version counts, and goes on as a watch',
      state: streaming({ resourceVersion: '5', unavailable: true }),
      input: { type: 'initial-events-end', resourceVersion: '7' },
      next: 'watching lost=0 hasty=0 at=7',
      effects: 'replace 7',
    },
    {
      title: 'waits when nobody listens, and tries again',
      state: streaming({}, 1),
      input: { type: 'watch-refused', failure: failure('connection-refused') },
      next: 'backing-off 0 then streaming-list 1 at=',
      effects: 'report',
    },
    {
      title: 'waits when there are too many requests, and tries again',
      state: streaming(),
      input: { type: 'watch-refused', failure: failure('too-many-requests', 1000) },
      next: 'backing-off 1000 then streaming-list 0 at=',
      effects: 'report',
    },
    {
      title: 'asks for the most recent state when its version is refused',
      state: streaming({ resourceVersion: '10' }),
      input: { type: 'watch-refused', failure: failure('expired') },
      next: 'streaming-list 0 at=10 [unavailable]',
      effects: 'report',
    },
    {
      title: 'gives way to a list when even the most recent state is refused',
      state: streaming({ resourceVersion: '10', unavailable: true }),
      input: { type: 'watch-refused', failure: failure('too-large') },
      next: 'listing {limit:500} at=10 [unavailable]',
      effects: 'report',
    },
    {
      title: 'gives way to a list, for good, when the server does not know it',
      state: streaming(),
      input: { type: 'watch-refused', failure: failure('invalid') },
      next: 'listing {limit:500,resourceVersion:0} at= [no-watch-list]',
      effects: 'close-stream, report',
    },
    {
      title: 'gives way to a list, for good, when its end bookmark is overdue',
      state: streaming(),
      input: failedStream('bookmark-overdue'),
      next: 'listing {limit:500,resourceVersion:0} at= [no-watch-list]',
      effects: 'close-stream, report',
    },
    {
      title: 'gives way to a list, for this round, on any other error',
      state: streaming(),
      input: { type: 'watch-refused', failure: failure('other') },
      next: 'listing {limit:500,resourceVersion:0} at=',
      effects: 'report',
    },
    {
      title: 'gives way to a list when it ends at once and empty',
      state: streaming(),
      input: { type: 'stream-ended', durationMs: 999, events: 0, delayMs: 0 },
      next: 'listing {limit:500,resourceVersion:0} at=',
      effects: 'report VERY_SHORT_WATCH',
    },
    {
      title: 'that ends without its bookmark waits before the next one',
      state: streaming(),
      input: { type: 'stream-ended', durationMs: 999, events: 1, delayMs: 0 },
      next: 'backing-off 0 then streaming-list 1 at=',
      effects: 'report WATCH_LIST_INCOMPLETE',
    },
    {
      title: 'that breaks counts as one without its bookmark',
      state: streaming({}, 1),
      input: failedStream('connection-lost'),
      next: 'backing-off 0 then streaming-list 2 at=',
      effects: 'report',
    },
    {
      title: 'gives way to a list, for good, after three without a bookmark',
      state: streaming({}, 2),
      input: { type: 'stream-ended', durationMs: 5000, events: 0, delayMs: 0 },
      next: 'listing {limit:500,resourceVersion:0} at= [no-watch-list]',
      effects: 'report WATCH_LIST_INCOMPLETE',
    },
    {
      title: 'gives way to a list, for this round, after three broken connections',
      state: streaming({}, 2),
      input: failedStream('connection-lost'),
      next: 'listing {limit:500,resourceVersion:0} at=',
      effects: 'report',
    },
  ],
  'a watch': [
    {
      title: 'records the version of the last event',
      state: watching({ lost: 2, hasty: 1, fresh: true }),
      input: { type: 'progress', resourceVersion: '12' },
      next: 'watching lost=0 hasty=1 at=12',
    },
    {
      title: 'never takes its version back',
      state: watching(),
      input: { type: 'progress', resourceVersion: '9' },
      next: 'watching lost=0 hasty=0 at=10',
    },
    {
      title: 'keeps its version through events without one',
      state: watching(),
      input: { type: 'progress', resourceVersion: '' },
      next: 'watching lost=0 hasty=0 at=10',
    },
    {
      title: 'that began without a version stays unordered until a change comes',
      state: watching({ memory: memory(), unordered: true }),
      input: { type: 'progress', resourceVersion: '' },
      next: 'watching unordered lost=0 hasty=0 at=',
    },
    {
      title: 'is in order from the first change on',
      state: watching({ memory: memory(), unordered: true }),
      input: { type: 'progress', resourceVersion: '12' },
      next: 'watching lost=0 hasty=0 at=12',
    },
    {
      title: 'that ended normally is reopened at once from its last version',
      state: watching({ lost: 2, answered: true, hasty: 4 }),
      input: { type: 'stream-ended', durationMs: 1000, events: 0, delayMs: 5000 },
      next: 'watching lost=0 hasty=0 at=10',
      effects: 'reset-backoff',
    },
    {
      title: 'that ended within a second and empty is reopened at once, with a report',
      state: watching(),
      input: { type: 'stream-ended', durationMs: 200, events: 0, delayMs: 5000 },
      next: 'watching lost=0 hasty=0 at=10',
      effects: 'reset-backoff, report VERY_SHORT_WATCH',
    },
    {
      title: 'that ended at once and empty is reopened after a wait, and counts as lost',
      state: watching(),
      input: { type: 'stream-ended', durationMs: 199, events: 0, delayMs: 0 },
      next: 'backing-off reopen 0 then watching lost=1 hasty=0 at=10',
      effects: 'report VERY_SHORT_WATCH',
    },
    {
      title: 'that ended at once, but with events, is reopened 200 ms after it began',
      state: watching(),
      input: { type: 'stream-ended', durationMs: 5, events: 1, delayMs: 0 },
      next: 'backing-off none 195 then watching lost=0 hasty=1 at=10',
      effects: 'reset-backoff',
    },
    {
      title: 'that ended within a second five times in a row is reopened after a wait',
      state: watching({ hasty: 4 }),
      input: { type: 'stream-ended', durationMs: 999, events: 1, delayMs: 0 },
      next: 'backing-off 0 then watching lost=0 hasty=0 at=10',
      effects: 'reset-backoff, report VERY_SHORT_WATCH',
    },
    {
      title: 'that nobody listens to is reopened after a wait, without a list',
      state: watching(),
      input: { type: 'watch-refused', failure: failure('connection-refused') },
      next: 'backing-off 0 then watching lost=0 hasty=0 at=10',
      effects: 'report',
    },
    {
      title: 'refused for too many requests is reopened when the server says, without a list',
      state: watching(),
      input: { type: 'watch-refused', failure: failure('too-many-requests', 2000) },
      next: 'backing-off 2000 then watching lost=0 hasty=0 at=10',
      effects: 'report',
    },
    {
      title: 'with too many requests in its stream is reopened after a wait, without a list',
      state: watching(),
      input: failedStream('too-many-requests'),
      next: 'backing-off 0 then watching lost=0 hasty=0 at=10',
      effects: 'report',
    },
    {
      title: 'whose connection broke is reopened at once',
      state: watching({ lost: 3, answered: true }),
      input: failedStream('connection-lost', 200),
      next: 'watching lost=0 hasty=0 at=10',
      effects: 'reset-backoff, report',
    },
    {
      title: 'whose connection broke at once is reopened after a short wait',
      state: watching({ fresh: true }),
      input: failedStream('connection-lost', 199),
      next: 'backing-off reopen 0 then watching fresh lost=1 hasty=0 at=10',
      effects: 'report',
    },
    {
      title: 'whose connection broke at once, but with events, is reopened 200 ms after it began',
      state: watching(),
      input: { ...failedStream('connection-lost', 50), events: 1 },
      next: 'backing-off none 150 then watching lost=0 hasty=0 at=10',
      effects: 'reset-backoff, report',
    },
    {
      title: 'that is lost before it is accepted is asked for again after a wait',
      state: watching({ lost: 2 }),
      input: { type: 'watch-refused', failure: failure('connection-lost') },
      next: 'backing-off 0 then watching lost=3 hasty=0 at=10',
      effects: 'report',
    },
    {
      title: 'lost four times in a row leads to a question, not to a list: it may be an outage',
      state: watching({ lost: 3, fresh: true }),
      input: { type: 'watch-refused', failure: failure('connection-lost') },
      next: 'backing-off 0 then asking fresh at=10',
      effects: 'report',
    },
    {
      title: 'lost again and again while the server answers leads to a list',
      state: watching({ lost: 3, answered: true }),
      input: { type: 'watch-refused', failure: failure('connection-lost') },
      next: 'backing-off 0 then streaming-list 0 at=10',
      effects: 'report',
    },
    {
      title: 'keeps in mind that the server answered',
      state: watching({ answered: true }),
      input: { type: 'watch-refused', failure: failure('connection-lost') },
      next: 'backing-off 0 then watching lost=1 answered hasty=0 at=10',
      effects: 'report',
    },
    {
      title: 'that fails after it lasted longer than the wait before it resets the back-off',
      state: watching(),
      input: { ...failedStream('other', 6001) },
      next: 'backing-off 0 then streaming-list 0 at=10',
      effects: 'reset-backoff, report',
    },
    {
      title: 'that fails after it brought something resets the back-off',
      state: watching(),
      input: { ...failedStream('other', 5), events: 1 },
      next: 'backing-off 0 then streaming-list 0 at=10',
      effects: 'reset-backoff, report',
    },
    {
      title: 'that expired leads to a new round at its last version after a wait',
      state: watching({ memory: memory({ ...plain, resourceVersion: '10' }) }),
      input: failedStream('expired'),
      next: 'backing-off 0 then listing {resourceVersion:10} at=10',
      effects: 'report',
    },
    {
      title: 'that is gone leads to a new round after a wait',
      state: watching(),
      input: { type: 'watch-refused', failure: failure('gone') },
      next: 'backing-off 0 then streaming-list 0 at=10',
      effects: 'report',
    },
    {
      title: 'with any other error leads to a new round after a wait',
      state: watching(),
      input: failedStream('other'),
      next: 'backing-off 0 then streaming-list 0 at=10',
      effects: 'report',
    },
  ],
  'a question after lost watches': [
    {
      title: 'that is answered leads back to the watch at its old version',
      state: { name: 'asking', memory: memory({ resourceVersion: '10' }), fresh: true },
      input: { type: 'page', resourceVersion: '12', continueToken: 't' },
      next: 'watching fresh lost=0 answered hasty=0 at=10',
    },
    {
      title: 'whose answer lies behind what was seen leads to a new round',
      state: {
        name: 'asking',
        memory: memory({ ...plain, resourceVersion: '10' }),
        fresh: false,
      },
      input: { type: 'page', resourceVersion: '9' },
      next: 'listing {resourceVersion:10} at=10',
      effects: 'report RESOURCE_VERSION_WENT_BACK',
    },
    {
      title: 'that gets no answer is asked again after a wait',
      state: { name: 'asking', memory: memory({ resourceVersion: '10' }), fresh: false },
      input: { type: 'list-failed', failure: failure('connection-lost') },
      next: 'backing-off 0 then asking at=10',
      effects: 'report',
    },
    {
      title: 'that a server refuses for now is asked again when it says',
      state: { name: 'asking', memory: memory({ resourceVersion: '10' }), fresh: false },
      input: { type: 'list-failed', failure: failure('unavailable', 3000) },
      next: 'backing-off 3000 then asking at=10',
      effects: 'report',
    },
    {
      title: 'that is refused is answered all the same',
      state: { name: 'asking', memory: memory({ resourceVersion: '10' }), fresh: false },
      input: { type: 'list-failed', failure: failure('other') },
      next: 'backing-off 0 then watching lost=0 answered hasty=0 at=10',
      effects: 'report',
    },
  ],
  'in any state': [
    {
      title: 'a wait is followed by what it was for',
      state: {
        name: 'backing-off',
        memory: memory(),
        next: watching(),
        retryAfterMs: 5,
        pace: 'retry',
      },
      input: { type: 'waited' },
      next: 'watching lost=0 hasty=0 at=10',
    },
    {
      title: 'a sink that throws leads to a new round after a wait',
      state: watching({ memory: memory({ ...plain, resourceVersion: '10' }) }),
      input: { type: 'sink-failed', failure: failure('other') },
      next: 'backing-off 0 then listing {resourceVersion:10} at=10',
      effects: 'close-stream, report',
    },
    {
      title: 'an abort stops, and the version is kept',
      state: {
        name: 'backing-off',
        memory: memory({ resourceVersion: '10' }),
        next: watching(),
        retryAfterMs: 0,
        pace: 'retry',
      },
      input: { type: 'abort' },
      next: 'stopped at=10',
      effects: 'close-stream',
    },
  ],
};

describe('the table of the reflector', () => {
  specRows(ROWS);

  it('has no state in which a failure is answered by the same request at once', () => {
    const listings = ['', '0', '10'].flatMap((resourceVersion) =>
      [undefined, 't'].flatMap((continueToken) =>
        [true, false].map((whole) => listing({ resourceVersion, continueToken, whole })),
      ),
    );
    const streams = ['', '10'].flatMap((resourceVersion) =>
      [0, 1, 2].flatMap((incomplete) =>
        [true, false].map((unavailable) => streaming({ resourceVersion, unavailable }, incomplete)),
      ),
    );
    const watches = [0, 1, 2, 3].map((lost) => watching({ lost }));
    for (const kind of FAILURE_KINDS) {
      for (const state of listings) {
        const next = step(state, { type: 'list-failed', failure: failure(kind) }).state;
        if (next.name === 'listing')
          expect(listRequest(next)).to.not.deep.equal(listRequest(state));
      }
      for (const state of [...streams, ...watches]) {
        const next = step(state, { type: 'watch-refused', failure: failure(kind) }).state;
        if (next.name !== 'watching' && next.name !== 'streaming-list') continue;
        expect(watchRequest(next)).to.not.deep.equal(watchRequest(state));
      }
    }
  });

  it('refuses an input that cannot occur in the state', () => {
    expect(() => step(listing(), { type: 'waited' })).to.throw('listing got "waited"');
    expect(() => step(watching(), { type: 'start' })).to.throw('watching got "start"');
    expect(() => step(streaming(), { type: 'start' })).to.throw('streaming-list got "start"');
  });
});
