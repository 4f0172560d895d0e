import { expect } from 'chai';
import { ElectionReport } from '../../../lib/controller/election/election-report.ts';
import { HeldLease } from '../../../lib/controller/election/held-lease.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import type { LeaseLock } from '../../../lib/controller/election/lease-lock.ts';
import type { LeaseCall } from '../../../lib/controller/election/limited-call.ts';
import { INSTANCE_ANNOTATION } from '../../../lib/controller/election/lease-record.ts';
import { LeaseRenewal } from '../../../lib/controller/election/lease-renewal.ts';
import { PREEMPTION_ANNOTATION } from '../../../lib/controller/election/preemption.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/index.ts';
import { RecordedMetrics } from '../../client/support/recorded-metrics.ts';
import { lineLogger } from '../../support/line-logger.ts';
import { storedLease, type LeaseParts } from './stored-lease.ts';
import { UnspreadRuntime } from './unspread-runtime.ts';

const SPEC = { holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 3 };

function own(resourceVersion: string, spec: object = {}, parts: LeaseParts = {}): Stored<Lease> {
  const annotations = { [INSTANCE_ANNOTATION]: 'now', ...parts.annotations };
  return storedLease({ ...SPEC, ...spec }, { ...parts, resourceVersion, annotations });
}

describe('LeaseRenewal', () => {
  let runtime: UnspreadRuntime;
  let clock: LeaseClock;
  let metrics: RecordedMetrics;
  let log: string[];
  let report: ElectionReport;
  let asked: string[];
  let held: HeldLease;
  /** The time, the version that was renewed, and the limit of each renewal. */
  let renewals: [number, string | undefined, number][];

  beforeEach(() => {
    runtime = new UnspreadRuntime();
    clock = new LeaseClock(runtime);
    metrics = new RecordedMetrics();
    log = [];
    asked = [];
    renewals = [];
    report = new ElectionReport({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      logger: lineLogger((line) => log.push(line)),
      metrics,
      onLeader: undefined,
    });
  });

  afterEach(() => {
    expect(runtime.pending).to.equal(0);
  });

  type Renew = (call: LeaseCall) => Promise<Stored<Lease> | undefined>;

  function started(renew: Renew, found?: Stored<Lease>, validityMs: number = 10_000): LeaseRenewal {
    held = new HeldLease({
      namespace: 'default',
      name: 'program',
      identity: 'me',
      uid: 'u1',
      epoch: 3,
      validityMs,
      since: clock.now(),
      strict: false,
      clock,
      runtime,
    });
    const lock: Partial<LeaseLock> = {
      renew: async ({ metadata }, call) => {
        renewals.push([runtime.monotonicMs(), metadata.resourceVersion, call.timeoutMs]);
        // A loop that does not wait ends here, and fails the spec.
        if (renewals.length > 50) return await new Promise(() => {});
        return await renew(call);
      },
      read: () => Promise.resolve(found),
    };
    const renewal = new LeaseRenewal({
      lock: lock as LeaseLock,
      held,
      lease: own('1'),
      times: {
        leaseDurationMs: 15_000,
        renewDeadlineMs: 10_000,
        retryMs: 2000,
        requestMs: 5000,
        drainTimeoutMs: 1,
      },
      clock,
      report,
      runtime,
      onAsked: (identity) => asked.push(identity),
    });
    renewal.start();
    return renewal;
  }

  const counted = (result: string): number =>
    metrics.sum('listwatch_election_requests_total', { operation: 'renew', result });

  /** Answers each renewal with the next version. */
  function answering(): Renew {
    let version = 1;
    return () => {
      version += 1;
      return Promise.resolve(own(String(version)));
    };
  }

  it('renews each state from the one that was stored last, and counts the renewals', async () => {
    const renewal = started(answering());
    await runtime.advance(6000);
    expect(renewals).to.deep.equal([
      [2000, '1', 5000],
      [4000, '2', 5000],
      [6000, '3', 5000],
    ]);
    expect(held.leftMs).to.equal(10_000);
    expect([counted('ok'), counted('conflict'), counted('error')]).to.deep.equal([3, 0, 0]);
    expect(runtime.pending, 'the wait and the expiry').to.equal(2);
    const last = await runtime.run(renewal.stop());
    expect(last.metadata.resourceVersion).to.equal('4');
    await runtime.advance(10_000);
    expect(renewals).to.have.length(3);
    expect([log, report.failure, counted('error')]).to.deep.equal([[], undefined, 0]);
  });

  it('asks with the time that is left of the lease, and one millisecond at least', async () => {
    const renewal = started(() => Promise.reject(new Error('no answer')), undefined, 6000.5);
    await runtime.advance(6000);
    expect(renewals.map(([, , timeoutMs]) => timeoutMs)).to.deep.equal([4000.5, 2000.5, 1]);
    await runtime.run(renewal.stop());
  });

  it('reports a failure and its end, and goes on until the lease has ended', async () => {
    let fails = true;
    const renew = answering();
    const renewal = started(async (call) => {
      if (fails) throw new Error('no answer');
      return await renew(call);
    });
    await runtime.advance(4000);
    expect(report.failure).to.equal('no answer');
    expect(counted('error')).to.equal(2);
    fails = false;
    await runtime.advance(2000);
    expect(report.failure).to.equal(undefined);
    fails = true;
    await runtime.advance(9999);
    expect(held.lost.aborted).to.equal(false);
    await runtime.advance(1);
    expect(held.lost.aborted).to.equal(true);
    const sent = renewals.length;
    await runtime.advance(20_000);
    expect(renewals).to.have.length(sent);
    await runtime.run(renewal.stop());
  });

  it('ends the lease at its last moment while a renewal has no answer, and aborts that', async () => {
    let signal: AbortSignal | undefined;
    const renewal = started((call) => {
      ({ signal } = call);
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal?.reason as Error));
      });
    });
    await runtime.advance(9999);
    expect([held.lost.aborted, signal?.aborted]).to.deep.equal([false, false]);
    await runtime.advance(1);
    expect([held.lost.aborted, signal?.aborted]).to.deep.equal([true, true]);
    await runtime.run(renewal.stop());
    expect([counted('error'), log]).to.deep.equal([0, []]);
  });

  it('ends a lease of a part of a millisecond after one', async () => {
    const renewal = started(answering(), undefined, 0.25);
    await runtime.advance(1);
    expect(held.lost.aborted).to.equal(true);
    await runtime.run(renewal.stop());
  });

  it('counts a renewal from the moment when it was sent', async () => {
    const answer = deferred<Stored<Lease>>();
    const renewal = started(() => answer.promise);
    await runtime.advance(5000);
    answer.resolve(own('2'));
    await runtime.settle();
    expect(held.leftMs).to.equal(7000);
    await runtime.run(renewal.stop());
  });

  it('stops when the renewal under way has its answer, with the state of that', async () => {
    const answer = deferred<Stored<Lease>>();
    const renewal = started(() => answer.promise);
    await runtime.advance(2000);
    let last: Stored<Lease> | undefined;
    void renewal.stop().then((lease) => {
      last = lease;
    });
    await runtime.settle();
    expect(last).to.equal(undefined);
    answer.resolve(own('2'));
    await runtime.settle();
    expect(last?.metadata.resourceVersion).to.equal('2');
  });

  it('renews from a state that another program has written without taking the lease', async () => {
    const answers = [undefined, own('9')];
    const renewal = started(() => Promise.resolve(answers.shift()), own('8'));
    await runtime.advance(2000);
    expect(renewals).to.deep.equal([
      [2000, '1', 5000],
      [2000, '8', 5000],
    ]);
    expect([counted('ok'), counted('conflict'), asked]).to.deep.equal([1, 1, []]);
    const last = await runtime.run(renewal.stop());
    expect(last.metadata.resourceVersion).to.equal('9');
  });

  it('passes on which replica asks for the lease, and renews it', async () => {
    const annotations = { [PREEMPTION_ANNOTATION]: '2024 laptop' };
    const answers = [undefined, own('9')];
    const renewal = started(() => Promise.resolve(answers.shift()), own('8', {}, { annotations }));
    await runtime.advance(2000);
    expect([asked, counted('ok')]).to.deep.equal([['laptop'], 1]);
    await runtime.run(renewal.stop());
  });

  const annotations = { [PREEMPTION_ANNOTATION]: '2024 laptop' };
  const taken: readonly (readonly [string, Stored<Lease> | undefined, string])[] = [
    ['is gone', undefined, 'it was deleted; do not delete the Lease of a running program'],
    [
      'has another uid',
      own('8', {}, { uid: 'u2', annotations }),
      'it was deleted, and created again by another replica',
    ],
    ['has another holder', own('8', { holderIdentity: 'b' }, { annotations }), 'b holds it'],
    ['has no holder', own('8', { holderIdentity: '' }), 'another program has given it back'],
    [
      'has another epoch',
      own('8', { leaseTransitions: 4 }),
      'it went from epoch 3 to 4: it was restored or edited, or another process has the same identity',
    ],
    [
      'was written by another run',
      own('8', {}, { annotations: { [INSTANCE_ANNOTATION]: 'other' } }),
      'another process has the same identity; give each replica one of its own',
    ],
  ];
  for (const [what, found, why] of taken) {
    it(`has lost a Lease that ${what}`, async () => {
      const renewal = started(() => Promise.resolve(undefined), found);
      await runtime.advance(2000);
      expect(String(held.lost.reason)).to.match(
        new RegExp(`me has lost the lease default/program: ${why}$`),
      );
      await runtime.advance(20_000);
      expect([renewals.length, asked, log]).to.deep.equal([1, [], []]);
      const last = await runtime.run(renewal.stop());
      expect(last.metadata.resourceVersion, 'as it was held').to.equal('1');
    });
  }
});
