import { yes, type FeatureRow } from './feature-row.ts';

/** One leader among replicas. */
export const electionRows: readonly FeatureRow[] = [
  yes(
    79,
    'One of several replicas leads, by a Lease that client-go, kopf and client-node understand',
    'controller/election/leader-elector.ts',
    [
      'controller/election/leader-elector.spec.ts',
      'LeaderElector lets one of three replicas lead, and writes a Lease as client-go does',
    ],
  ),
  yes(
    80,
    'Clocks of the replicas may differ: a lease counts by the time since it was seen to change',
    'controller/election/lease-clock.ts',
    [
      'controller/election/leader-elector.spec.ts',
      'LeaderElector compares no time of another replica: clocks may differ by hours',
    ],
  ),
  yes(
    81,
    'The lease is renewed while the work ends, and given back only then',
    'controller/election/leader-elector.ts',
    [
      'controller/election/leader-elector.spec.ts',
      'LeaderElector renews while its work ends, and gives the lease back only then',
    ],
  ),
  yes(
    82,
    'A replica that does not lead keeps its caches filled and reconciles nothing',
    'controller/manager/leadership.ts',
    [
      'controller/manager/manager-election.spec.ts',
      'A Manager with leader election fills the cache of a standby, which is ready and reconciles nothing; runnables of every replica run',
    ],
  ),
  yes(
    83,
    "Each write carries the epoch of its lease, and the server refuses an older one (`fencing: 'strict'`)",
    'server/api/fencing/lease-guard.ts',
    [
      'server/api/fencing/lease-guard.spec.ts',
      'A write that carries the epoch of a lease is refused at another epoch, and changes nothing: each verb, also a dry run',
    ],
  ),
  yes(
    84,
    'A health check that fails while the work of a lost lease goes on',
    'controller/election/leader-elector.ts',
    [
      'controller/election/leader-elector.spec.ts',
      'LeaderElector is unhealthy while the work of a lost lease goes on for longer than the lease lasts',
    ],
  ),
  yes(
    85,
    'A deployed program pauses while a developer runs it (`preempt`)',
    'controller/election/preemption.ts',
    [
      'controller/election/preemption.spec.ts',
      'A replica with preempt leads while it runs, and leaves the lease to those that wait when it stops',
    ],
  ),
];
