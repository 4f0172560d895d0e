import { expect } from 'chai';
import { Candidacy } from '../../../lib/controller/election/candidacy.ts';
import { ElectionReport } from '../../../lib/controller/election/election-report.ts';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import type { LeaseLock } from '../../../lib/controller/election/lease-lock.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { silentMetrics } from '../../../lib/kernel/report/metrics.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Lease } from '../../../lib/types/index.ts';

const INSTANCE = 'election.listwatch.dev/instance';

function leaseOf(
  holderIdentity: string,
  resourceVersion: string,
  instance?: string,
): Stored<Lease> {
  const annotations = instance === undefined ? {} : { [INSTANCE]: instance };
  const metadata = {
    name: 'program',
    namespace: 'default',
    uid: 'u1',
    resourceVersion,
    annotations,
  };
  const spec = { holderIdentity, leaseDurationSeconds: 15, leaseTransitions: 3 };
  return { metadata, spec } as unknown as Stored<Lease>;
}

class UnspreadRuntime extends VirtualRuntime {
  override random(): number {
    return 0;
  }
}

/** A candidate whose every request is answered at once, and whose waits are not spread. */
function candidate(
  lock: Partial<LeaseLock>,
  retryMs: number,
): { candidacy: Candidacy; runtime: VirtualRuntime } {
  const runtime = new UnspreadRuntime();
  const names = { namespace: 'default', name: 'program', identity: 'me' };
  const silent = { logger: silentLogger, metrics: silentMetrics, onLeader: undefined };
  const silence = { next: () => new Promise<never>(() => {}) };
  const watch = (): object => ({ [Symbol.asyncIterator]: () => silence });
  const candidacy = new Candidacy({
    lock: {
      what: 'default/program',
      name: 'program',
      leases: { watch },
      ...lock,
    } as unknown as LeaseLock,
    identity: 'me',
    instance: 'now',
    times: {
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryMs,
      requestMs: 5000,
      drainTimeoutMs: 1,
    },
    preempts: false,
    clock: new LeaseClock(runtime),
    report: new ElectionReport({ ...names, ...silent }),
    runtime,
    logger: silentLogger,
  });
  return { candidacy, runtime };
}

describe('Candidacy', () => {
  it('takes the lease of another process when its duration is over, and not a millisecond before', async () => {
    const looks: number[] = [];
    const taken: number[] = [];
    const { candidacy, runtime } = candidate(
      {
        read: () => {
          looks.push(runtime.monotonicMs());
          return Promise.resolve(leaseOf('other', '7'));
        },
        take: () => {
          taken.push(runtime.monotonicMs());
          return Promise.resolve(leaseOf('me', '8', 'now'));
        },
      },
      14_999,
    );
    const won = await runtime.run(candidacy.run(undefined));
    expect(won?.since.monotonicMs).to.equal(15_000);
    expect(looks).to.deep.equal([0, 14_999, 15_000]);
    expect(taken).to.deep.equal([15_000]);
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
      const { candidacy, runtime } = candidate(
        {
          release: (lease) => {
            const isNewest = lease.metadata.resourceVersion === String(version);
            if (left > 0) {
              left -= 1;
              version += 1;
              return Promise.resolve(undefined);
            }
            freed = isNewest;
            return Promise.resolve(isNewest ? leaseOf('', '99') : undefined);
          },
          read: () => Promise.resolve(leaseOf('me', String(version), 'now')),
        },
        2000,
      );
      await runtime.run(candidacy.release(leaseOf('me', '7', 'now')));
      expect(freed, `${writes} writes`).to.equal(isFree);
    }
  });
});
