import { expect } from 'chai';
import { LeaseWatch } from '../../../lib/controller/election/lease-watch.ts';
import { deferred, type Deferred } from '../../../lib/kernel/time/latch.ts';
import { conflict, forbidden } from '../../../lib/meta/failure/failures.ts';
import { lineLogger } from '../../support/line-logger.ts';
import { storedLease } from './stored-lease.ts';
import { UnspreadRuntime } from './unspread-runtime.ts';

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' };

/** A watch that was asked for. */
interface Asked {
  readonly atMs: number;
  readonly options: { readonly fieldSelector?: string; readonly signal: AbortSignal };
  /** Sends events and ends the watch, or fails it. */
  readonly events: Deferred<readonly object[]>;
}

describe('LeaseWatch', () => {
  let runtime: UnspreadRuntime;
  let asked: Asked[];
  let seen: string[];
  let log: string[];
  let watch: LeaseWatch;

  beforeEach(() => {
    runtime = new UnspreadRuntime();
    asked = [];
    seen = [];
    log = [];
    const leases = {
      async *watch(options: Asked['options']): AsyncGenerator<object, undefined> {
        const events = deferred<readonly object[]>();
        asked.push({ atMs: runtime.monotonicMs(), options, events });
        yield* await events.promise;
      },
    };
    watch = new LeaseWatch({
      leases: leases as never,
      selector: { fieldSelector: 'metadata.name=program' },
      onChange: ({ metadata }, type) => void seen.push(`${type} ${metadata.resourceVersion}`),
      runtime,
      logger: lineLogger((line) => log.push(line)),
      what: 'the lease default/program',
    });
  });

  afterEach(() => {
    watch[Symbol.dispose]();
    expect(runtime.pending).to.equal(0);
  });

  const event = (type: string, resourceVersion: string): object => ({
    type,
    object: storedLease({}, { resourceVersion }),
  });
  const end = async (...events: object[]): Promise<void> => {
    asked.at(-1)?.events.resolve(events);
    await runtime.settle();
  };
  const fail = async (error: Error): Promise<void> => {
    asked.at(-1)?.events.reject(error);
    await runtime.settle();
  };

  it('reports what was added, changed and deleted, of the leases that its selector names', async () => {
    expect(asked[0]?.options.fieldSelector).to.equal('metadata.name=program');
    await end(
      event('ADDED', '1'),
      event('MODIFIED', '2'),
      event('BOOKMARK', '3'),
      event('DELETED', '4'),
    );
    expect(seen).to.deep.equal(['added 1', 'updated 2', 'deleted 4']);
    expect(log).to.deep.equal([]);
  });

  it('pauses longer from failure to failure, and briefly again once a watch has ended without one', async () => {
    const failure = new Error('no answer');
    for (const [pauseMs, error] of [
      [500, failure],
      [1000, conflict(LEASES, 'program', 'another failure of the server')],
      [2000, failure],
    ] as const) {
      await fail(error);
      expect(runtime.pending, 'a pause keeps no process alive').to.equal(0);
      await runtime.advance(pauseMs);
    }
    await end();
    await runtime.advance(500);
    expect(asked.map(({ atMs }) => atMs)).to.deep.equal([0, 500, 1500, 3500, 4000]);
    expect(log).to.deep.equal([]);
  });

  it('logs once that the server refuses it, and asks no more', async () => {
    await fail(forbidden(LEASES, 'program', 'no'));
    await runtime.advance(120_000);
    expect(asked).to.have.length(1);
    expect(log).to.have.length(1);
    expect(log[0]).to.match(/^leases cannot be watched; changes are seen later: .*forbidden/);
    expect(log[0]).to.include('what="the lease default/program"');
  });

  it('ends its request when it is disposed, and says nothing of the end', async () => {
    watch[Symbol.dispose]();
    expect(asked[0]?.options.signal.aborted).to.equal(true);
    await fail(forbidden(LEASES, 'program', 'no'));
    await runtime.advance(120_000);
    expect([asked.length, log]).to.deep.equal([1, []]);
  });

  it('asks no more when it is disposed in a pause', async () => {
    await end();
    watch[Symbol.dispose]();
    await runtime.advance(120_000);
    expect(asked).to.have.length(1);
  });
});
