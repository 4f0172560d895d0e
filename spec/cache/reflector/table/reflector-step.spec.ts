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
      title: 'with a list of the newest state, in pages, where that is asked for',
      state: initialState({ watchList: false, firstIsNewest: true }),
      input: { type: 'start' },
      next: 'listing {limit:500} at=',
    },
    {
      title: 'from the last version also where the first list was of the newest state',
      state: {
        name: 'stopped',
        memory: memory({
          settings: { watchList: false, firstIsNewest: true },
          resourceVersion: '10',
        }),
      },
      input: { type: 'start' },
      next: 'listing {resourceVersion:10} at=10',
    },
    {
      title: 'with a watch from the version that an earlier run has saved',
      state: initialState({ watchList: true }, '10'),
      input: { type: 'start' },
      next: 'watching lost=0 hasty=0 at=10',
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
      title: 'waits when the connection is refused, and tries again',
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
  'a refusal for good': [
    {
      title: 'of a list at a version is followed by one at the most recent state, at once',
      state: listing({ memory: memory(plain) }),
      input: { type: 'list-failed', failure: failure('invalid') },
      next: 'listing {limit:500} at= [unavailable]',
      effects: 'report',
    },
    {
      title: 'of a list at the most recent state ends in failure, for a bad selector',
      state: listing({ memory: memory({ ...plain, unavailable: true }), resourceVersion: '' }),
      input: { type: 'list-failed', failure: failure('invalid') },
      next: 'failed at= [unavailable]',
      effects: 'close-stream, report',
    },
    {
      title: 'of a list ends in failure, for a verb or a format',
      state: listing({ memory: memory(plain), resourceVersion: '' }),
      input: { type: 'list-failed', failure: failure('unsupported') },
      next: 'failed at=',
      effects: 'close-stream, report',
    },
    {
      title: 'of a continue token is followed by a wait, for the list may work without it',
      state: listing({ memory: memory(plain), resourceVersion: '', continueToken: 't' }),
      input: { type: 'list-failed', failure: failure('invalid') },
      next: 'backing-off 0 then listing {limit:500,resourceVersion:0} at=',
      effects: 'report',
    },
    {
      title: 'of a watch ends in failure, for a resource that has no watch',
      state: watching({ memory: memory({ ...plain, resourceVersion: '10' }) }),
      input: { type: 'watch-refused', failure: failure('unsupported') },
      next: 'failed at=10',
      effects: 'close-stream, report',
    },
    {
      title: 'of a watch is followed by a list, for a bad request',
      state: watching({ memory: memory({ ...plain, resourceVersion: '10' }) }),
      input: { type: 'watch-refused', failure: failure('invalid') },
      next: 'backing-off 0 then listing {resourceVersion:10} at=10',
      effects: 'report',
    },
    {
      title: 'of a watch beside a list ends in failure',
      state: listing({ memory: memory({ ...plain, expiredLists: 2 }), overlapFrom: '5' }),
      input: { type: 'watch-refused', failure: failure('unsupported') },
      next: 'failed at= [expired=2]',
      effects: 'close-stream, report',
    },
    {
      title: 'of the request before an overlapped list ends in failure',
      state: { name: 'reading-version', memory: memory({ ...plain, expiredLists: 2 }) },
      input: { type: 'list-failed', failure: failure('invalid') },
      next: 'failed at= [expired=2]',
      effects: 'close-stream, report',
    },
    {
      title: 'of a streaming list leads to a plain list, for this round',
      state: streaming(),
      input: { type: 'watch-refused', failure: failure('unsupported') },
      next: 'listing {limit:500,resourceVersion:0} at=',
      effects: 'report',
    },
    {
      title: 'is followed by a wait, with the option to retry',
      state: listing({
        memory: memory({ settings: { watchList: false, retryRefused: true } }),
        resourceVersion: '',
      }),
      input: { type: 'list-failed', failure: failure('invalid', 700) },
      next: 'backing-off 700 then listing {limit:500,resourceVersion:0} at=',
      effects: 'close-stream, report',
    },
    {
      title: 'lets a reflector that failed start again',
      state: { name: 'failed', memory: memory(plain) },
      input: { type: 'start' },
      next: 'listing {limit:500,resourceVersion:0} at=',
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
