import { expect } from 'chai';
import { Candidacy, type WonLease } from '../../../lib/controller/election/candidacy.ts';
import { ElectionReport } from '../../../lib/controller/election/election-report.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import type { LeaseLock } from '../../../lib/controller/election/lease-lock.ts';
import { PREEMPTION_ANNOTATION } from '../../../lib/controller/election/preemption.ts';
import type { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { onAbort } from '../../../lib/kernel/time/abort.ts';
import { deferred, type Deferred } from '../../../lib/kernel/time/latch.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/index.ts';
import { RecordedMetrics } from '../../client/support/recorded-metrics.ts';
import { lineLogger } from '../../support/line-logger.ts';
import { storedLease } from './stored-lease.ts';
import { UnspreadRuntime } from './unspread-runtime.ts';

const INSTANCE = 'election.listwatch.dev/instance';

interface LeaseChange {
  readonly version?: string;
  readonly instance?: string;
  readonly uid?: string;
  readonly asking?: string;
  readonly spec?: object;
}

function leaseOf(holderIdentity: string, change: LeaseChange = {}): Stored<Lease> {
  const { version = '7', instance, uid = 'u1', asking, spec = {} } = change;
  const annotations = {
    ...(instance === undefined ? {} : { [INSTANCE]: instance }),
    ...(asking === undefined ? {} : { [PREEMPTION_ANNOTATION]: asking }),
  };
  const fields = { holderIdentity, leaseDurationSeconds: 15, leaseTransitions: 3, ...spec };
  return storedLease(fields, { uid, resourceVersion: version, annotations });
}

/** A watch of the candidate. */
interface Watched {
  readonly options: { readonly fieldSelector?: string; readonly signal: AbortSignal };
  next: Deferred<object>;
}

interface CandidateOptions {
  readonly retryMs?: number;
  readonly preempts?: boolean;
  /** Of each random number. */
  readonly share?: number;
}

/** A candidate whose requests the spec answers, and what it reports. */
class Candidate {
  readonly runtime: UnspreadRuntime;
  readonly candidacy: Candidacy;
  readonly report: ElectionReport;
  readonly metrics = new RecordedMetrics();
  readonly log: string[] = [];
  readonly looks: number[] = [];
  readonly taken: { readonly atMs: number; readonly version: unknown; readonly epoch: number }[] =
    [];
  readonly watches: Watched[] = [];
  won: WonLease | undefined;
  failure: unknown;
  isOver = false;

  constructor(lock: Partial<LeaseLock>, options: CandidateOptions = {}) {
    const { retryMs = 2000, preempts = false, share = 0 } = options;
    const runtime = new UnspreadRuntime(share);
    this.runtime = runtime;
    const logger = lineLogger((line) => this.log.push(line), ['info', 'warn', 'error']);
    this.report = new ElectionReport({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      logger,
      metrics: this.metrics,
      onLeader: undefined,
    });
    const read = lock.read ?? (() => Promise.resolve(undefined));
    const take = lock.take ?? (() => Promise.resolve(leaseOf('me', { instance: 'now' })));
    const requests: Partial<LeaseLock> = {
      ...lock,
      what: 'default/program',
      name: 'program',
      leases: { watch: (given: Watched['options']) => this.#watch(given) } as never,
      read: async (call) => {
        this.looks.push(runtime.monotonicMs());
        // A loop that does not wait ends here, and fails the spec.
        if (this.looks.length > 50) return await new Promise(() => {});
        return await read(call);
      },
      take: async (lease, epoch, call) => {
        const version = lease.metadata.resourceVersion;
        this.taken.push({ atMs: runtime.monotonicMs(), version, epoch });
        return await take(lease, epoch, call);
      },
    };
    this.candidacy = new Candidacy({
      lock: requests as LeaseLock,
      identity: 'me',
      instance: 'now',
      times: {
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryMs,
        requestMs: 5000,
        drainTimeoutMs: 1,
      },
      preempts,
      clock: new LeaseClock(runtime),
      report: this.report,
      runtime,
      logger,
    });
  }

  /** Begins; `won` or `failure` is set when it ends. */
  async start(signal?: AbortSignal): Promise<void> {
    void this.candidacy
      .run(signal)
      .then(
        (won) => {
          this.won = won;
        },
        (error: unknown) => {
          this.failure = error;
        },
      )
      .finally(() => {
        this.isOver = true;
      });
    await this.runtime.settle();
  }

  /** The watch sends an event. */
  async sends(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored<Lease>): Promise<void> {
    this.watches.at(-1)?.next.resolve({ type, object });
    await this.runtime.settle();
  }

  requests(result: string): number {
    return this.metrics.sum('listwatch_election_requests_total', { operation: 'acquire', result });
  }

  async *#watch(options: Watched['options']): AsyncGenerator<object, undefined> {
    const watched: Watched = { options, next: deferred() };
    this.watches.push(watched);
    onAbort(options.signal, () => watched.next.reject(new Error('stopped')));
    for (;;) {
      const event = await watched.next.promise;
      watched.next = deferred();
      yield event;
    }
  }
}

describe('Candidacy', () => {
  let candidate: Candidate;
  let stop: AbortController;

  beforeEach(() => {
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await candidate.runtime.settle();
    if (candidate.looks.length > 0) expect(candidate.runtime.pending).to.equal(0);
  });

  async function started(lock: Partial<LeaseLock>, options?: CandidateOptions): Promise<Candidate> {
    candidate = new Candidate(lock, options);
    await candidate.start(stop.signal);
    return candidate;
  }

  const found = (lease: Stored<Lease> | undefined) => () => Promise.resolve(lease);

  it('takes the lease of another process when its duration is over, and not a millisecond before', async () => {
    const one = await started({ read: found(leaseOf('other')) }, { retryMs: 14_999 });
    await one.runtime.advance(15_000);
    expect(one.won?.since.monotonicMs).to.equal(15_000);
    expect(one.looks).to.deep.equal([0, 14_999, 15_000]);
    expect(one.taken).to.deep.equal([{ atMs: 15_000, version: '7', epoch: 4 }]);
  });

  it('creates a Lease that is not there, and opens no watch when the first look wins', async () => {
    const created = leaseOf('me', { instance: 'now' });
    const runtime = (): UnspreadRuntime => candidate.runtime;
    const one = await started({
      read: async () => {
        await sleep(runtime(), 100);
        return undefined;
      },
      create: async ({ timeoutMs }) => {
        await sleep(runtime(), 40);
        return timeoutMs === 5000 ? created : undefined;
      },
    });
    await one.runtime.advance(140);
    expect(one.won?.lease).to.equal(created);
    expect(one.won?.since.monotonicMs, 'before the request was sent').to.equal(100);
    expect([one.watches.length, one.requests('ok'), one.requests('conflict')]).to.deep.equal([
      0, 1, 0,
    ]);
  });

  it('holds a lease from the moment before the request that took it', async () => {
    const one = await started({
      read: found(leaseOf('')),
      take: async () => {
        await sleep(candidate.runtime, 40);
        return leaseOf('me');
      },
    });
    await one.runtime.advance(40);
    expect([one.won?.since.monotonicMs, one.requests('ok')]).to.deep.equal([0, 1]);
  });

  it('takes its own lease again in the same epoch: the answer to its request was lost', async () => {
    const one = await started({ read: found(leaseOf('me', { instance: 'now' })) });
    expect(one.taken).to.deep.equal([{ atMs: 0, version: '7', epoch: 3 }]);
  });

  it('waits for a lease of its identity that another run holds, and for one of another identity', async () => {
    for (const lease of [
      leaseOf('me', { instance: 'before' }),
      leaseOf('other', { instance: 'now' }),
    ]) {
      const one = await started({ read: found(lease) });
      await one.runtime.advance(14_999);
      expect(one.taken).to.deep.equal([]);
      await one.runtime.advance(1);
      expect(one.taken).to.deep.equal([{ atMs: 15_000, version: '7', epoch: 4 }]);
    }
  });

  it('waits for another retry when another process was faster', async () => {
    let takes = 0;
    const one = await started({
      read: found(leaseOf('')),
      take: () => {
        takes += 1;
        return Promise.resolve(takes < 3 ? undefined : leaseOf('me'));
      },
    });
    await one.runtime.advance(4000);
    expect(one.taken.map(({ atMs }) => atMs)).to.deep.equal([0, 2000, 4000]);
    expect([one.requests('conflict'), one.requests('ok')]).to.deep.equal([2, 1]);
    expect(one.won).not.to.equal(undefined);
  });

  it('adds a share of 1.2 retries to a wait, and of 200 ms to the wait for an expiry', async () => {
    const one = await started({ read: found(leaseOf('other')) }, { share: 0.5 });
    await one.runtime.advance(20_000);
    expect(one.looks).to.deep.equal([0, 3200, 6400, 9600, 12_800, 15_100]);
    expect(one.taken.map(({ atMs }) => atMs)).to.deep.equal([15_100]);
  });

  it('adds no less to the wait behind a conflict', async () => {
    const lock = { read: found(leaseOf('')), take: found(undefined) };
    const one = await started(lock, { share: 0.5 });
    await one.runtime.advance(6400);
    expect(one.looks).to.deep.equal([0, 3200, 6400]);
  });

  it('watches the one Lease from the first look on that does not win, until it ends', async () => {
    const one = await started({ read: found(leaseOf('other')) });
    await one.runtime.advance(6000);
    expect(one.watches).to.have.length(1);
    expect(one.watches[0]?.options).to.include({ fieldSelector: 'metadata.name=program' });
    stop.abort();
    await one.runtime.settle();
    expect(one.watches[0]?.options.signal.aborted).to.equal(true);
  });

  it('looks at once when the lease is given back or deleted, once for each, and not when it is renewed', async () => {
    let now: Stored<Lease> | undefined = leaseOf('other');
    const one = await started({
      read: () => Promise.resolve(now),
      take: found(undefined),
      create: found(undefined),
    });
    await one.runtime.advance(500);
    await one.sends('MODIFIED', leaseOf('other', { version: '8', spec: { renewTime: '2' } }));
    expect(one.looks).to.deep.equal([0]);
    now = leaseOf('', { version: '9' });
    await one.sends('MODIFIED', now);
    expect([one.looks, one.taken.length]).to.deep.equal([[0, 500], 1]);
    await one.runtime.advance(1000);
    expect(one.looks, 'it does not look again and again').to.deep.equal([0, 500]);
    now = undefined;
    await one.sends('DELETED', leaseOf('other', { version: '10' }));
    expect(one.looks).to.deep.equal([0, 500, 1500]);
    expect(one.report.leader, 'a Lease that is gone is not read').to.equal(undefined);
  });

  it('does not look for a state that it has seen, in the last millisecond of a lease', async () => {
    const one = await started({ read: found(leaseOf('other')) }, { retryMs: 14_000 });
    await one.runtime.advance(14_999);
    await one.sends('ADDED', leaseOf('other'));
    expect(one.looks).to.deep.equal([0, 14_000]);
  });

  it('looks when an event shows a state whose duration is over', async () => {
    const one = await started({ read: found(leaseOf('other')), take: found(undefined) });
    await one.runtime.advance(15_500);
    expect(one.looks.at(-1)).to.equal(15_000);
    await one.sends('ADDED', leaseOf('other'));
    expect(one.looks.at(-1)).to.equal(15_500);
  });

  it('says once that its requests fail, and when they are answered again', async () => {
    let fails = true;
    const one = await started({
      read: () =>
        fails ? Promise.reject(new Error('no answer')) : Promise.resolve(leaseOf('other')),
    });
    await one.runtime.advance(4000);
    expect([one.looks, one.report.failure]).to.deep.equal([[0, 2000, 4000], 'no answer']);
    expect(one.watches).to.deep.equal([]);
    fails = false;
    await one.runtime.advance(2000);
    expect(one.report.failure).to.equal(undefined);
    expect(one.log.slice(0, 2)).to.deep.equal([
      'lease failed: no answer (lease=default/program)',
      'another replica leads; this one is a standby (lease=default/program identity=me leader=other)',
    ]);
    expect(one.log.slice(2)).to.deep.equal(['lease is answered again (lease=default/program)']);
  });

  it('ends without a failure when it is stopped in a request, in a wait, or before', async () => {
    const inRequest = await started({
      read: ({ signal }) =>
        new Promise((_, reject) => {
          onAbort(signal, () => reject(signal?.reason as Error));
        }),
    });
    const inWait = new Candidate({ read: found(leaseOf('other')) });
    await inWait.start(stop.signal);
    stop.abort();
    const before = new Candidate({});
    for (const one of [inRequest, inWait]) await one.runtime.settle();
    await before.start(stop.signal);
    for (const one of [inRequest, inWait, before]) {
      expect([one.isOver, one.won, one.failure]).to.deep.equal([true, undefined, undefined]);
      expect(one.report.failure).to.equal(undefined);
      expect(one.log.join('\n')).not.to.include('lease failed');
    }
    expect(before.looks).to.deep.equal([]);
    expect(inWait.looks).to.deep.equal([0]);
  });

  it('does not cut off a write by a stop, and keeps what it has won', async () => {
    const signals: unknown[] = [];
    const one = await started({
      read: found(leaseOf('')),
      take: async (_lease, _epoch, call) => {
        signals.push(call.signal);
        await sleep(candidate.runtime, 100);
        return leaseOf('me');
      },
    });
    stop.abort();
    await one.runtime.advance(100);
    expect(signals).to.deep.equal([undefined]);
    expect(one.won?.lease.spec?.holderIdentity).to.equal('me');
  });

  for (const [what, strategy] of [
    ['a text', 'OldestEmulationVersion'],
    ['none', ''],
    ['no text', null],
  ] as const) {
    const isRefused = strategy === 'OldestEmulationVersion';
    it(`${isRefused ? 'refuses' : 'takes'} a Lease whose strategy is ${what}`, async () => {
      const one = await started({ read: found(leaseOf('', { spec: { strategy } })) });
      expect(one.taken).to.have.length(isRefused ? 0 : 1);
      expect((one.failure as ListwatchError | undefined)?.code).to.equal(
        isRefused ? 'LEASE_INVALID' : undefined,
      );
    });
  }

  /** Looks at the first state, and then at the second. */
  async function sawTwo(first: Stored<Lease>, second: Stored<Lease>): Promise<Candidate> {
    const states = [first];
    const one = await started({ read: () => Promise.resolve(states.shift() ?? second) });
    await one.runtime.advance(2000);
    return one;
  }

  const mine = (version: string, change: LeaseChange = {}): Stored<Lease> =>
    leaseOf('me', { version, instance: 'other run', spec: { renewTime: version }, ...change });

  it('refuses to go on when another process renews the lease under its identity, in a look', async () => {
    const one = await sawTwo(mine('1'), mine('2'));
    expect(one.failure).to.have.property('code', 'IDENTITY_TAKEN');
    expect(one.looks).to.deep.equal([0, 2000]);
  });

  it('refuses to go on when another process renews the lease under its identity, in an event, at once', async () => {
    const one = await started({ read: found(mine('1')) });
    await one.runtime.advance(500);
    await one.sends('MODIFIED', mine('2'));
    const { failure } = one;
    expect(failure).to.have.property('code', 'IDENTITY_TAKEN');
    expect(one.looks).to.deep.equal([0]);
  });

  it('does not refuse what is unchanged, new, of another holder, or its own', async () => {
    for (const [what, first, second] of [
      ['unchanged', mine('1'), mine('1')],
      ['a new Lease', mine('1'), mine('2', { uid: 'u2' })],
      ['after another holder', leaseOf('other'), mine('2')],
      ['of another holder', mine('1'), leaseOf('other', { version: '2' })],
      ['its own', mine('1'), mine('2', { instance: 'now' })],
    ] as const) {
      const one = await sawTwo(first, second);
      expect([one.failure, one.looks], what).to.deep.equal([undefined, [0, 2000]]);
      stop.abort();
      await one.runtime.settle();
      stop = new AbortController();
    }
  });

  it('reports the leader and the epoch that it sees, and a Lease that goes back', async () => {
    const one = await started({ read: found(leaseOf('other')) });
    expect(one.report).to.include({ leader: 'other', epoch: 3 });
    await one.sends('MODIFIED', leaseOf('older', { spec: { leaseTransitions: 2 } }));
    expect(one.report).to.include({ leader: 'older', epoch: 2 });
    expect(one.log.filter((line) => line.startsWith('lease went back'))).to.have.length(1);
  });

  it('does not log itself as another replica when the event of its write comes before the answer', async () => {
    const one = await started({ read: found(leaseOf('other')) });
    await one.sends('MODIFIED', leaseOf('me', { version: '8', instance: 'now' }));
    const standby = (leader: string): string =>
      `another replica leads; this one is a standby (lease=default/program identity=me leader=${leader})`;
    expect(one.log).to.deep.equal([standby('other')]);
    // An earlier run of this replica may hold the lease until it expires.
    await one.sends('MODIFIED', leaseOf('me', { version: '9', instance: 'before' }));
    expect(one.log).to.deep.equal([standby('other'), standby('me')]);
  });

  it('asks the holder for the lease at each look with preempt, and takes it when it is free', async () => {
    const asked: unknown[] = [];
    let now = leaseOf('other');
    const one = await started(
      {
        read: () => Promise.resolve(now),
        askFor: ({ spec }, { timeoutMs }) => {
          asked.push([candidate.runtime.monotonicMs(), spec?.holderIdentity, timeoutMs]);
          return Promise.resolve(undefined);
        },
      },
      { preempts: true },
    );
    await one.runtime.advance(2000);
    expect(asked).to.deep.equal([
      [0, 'other', 5000],
      [2000, 'other', 5000],
    ]);
    expect(one.log.filter((line) => line.includes('identity=me holder=other'))).to.have.length(1);
    expect(one.taken).to.deep.equal([]);
    now = leaseOf('', { asking: '2 me' });
    await one.sends('MODIFIED', now);
    expect(one.taken).to.have.length(1);
    expect(asked).to.have.length(2);
  });

  it('does not ask without preempt, and leaves a free lease to the replica that asks for it', async () => {
    const one = await started({ read: found(leaseOf('', { asking: '1 laptop' })) });
    await one.runtime.advance(14_999);
    expect(one.taken).to.deep.equal([]);
    expect(one.log).to.deep.equal([
      'lease is given to a replica that asks for it (lease=default/program by=laptop)',
    ]);
    await one.runtime.advance(2000);
    expect(one.taken.map(({ atMs }) => atMs)).to.deep.equal([16_000]);
  });

  it('takes its own lease also while another replica asks for it', async () => {
    const one = await started({
      read: found(leaseOf('me', { instance: 'now', asking: '1 laptop' })),
    });
    expect(one.taken).to.have.length(1);
  });

  it('gives a lease back that others have written meanwhile, twice at most', async () => {
    for (const [writes, isFree] of [
      [0, true],
      [2, true],
      [3, false],
    ] as const) {
      let version = 7;
      let left: number = writes;
      let freed = false;
      let releases = 0;
      candidate = new Candidate({
        release: (lease, { timeoutMs }) => {
          releases += 1;
          const isNewest = lease.metadata.resourceVersion === String(version) && timeoutMs === 5000;
          if (left > 0) {
            left -= 1;
            version += 1;
            return Promise.resolve(undefined);
          }
          freed = isNewest;
          return Promise.resolve(isNewest ? leaseOf('') : undefined);
        },
        read: () => Promise.resolve(leaseOf('me', { version: String(version), instance: 'now' })),
      });
      const lease = leaseOf('me', { instance: 'now' });
      await candidate.runtime.run(candidate.candidacy.release(lease));
      expect(freed, `${writes} writes`).to.equal(isFree);
      expect(releases).to.equal(Math.min(writes + 1, 3));
      expect(candidate.looks.length).to.equal(Math.min(writes, 3));
    }
  });

  it('does not give a lease back that is gone, or that another process or run holds', async () => {
    for (const now of [
      undefined,
      leaseOf('other', { instance: 'now' }),
      leaseOf('me', { instance: 'other run' }),
    ]) {
      let releases = 0;
      candidate = new Candidate({
        release: () => {
          releases += 1;
          return Promise.resolve(undefined);
        },
        read: found(now),
      });
      const lease = leaseOf('me', { instance: 'now' });
      await candidate.runtime.run(candidate.candidacy.release(lease));
      expect(releases).to.equal(1);
    }
  });
});
