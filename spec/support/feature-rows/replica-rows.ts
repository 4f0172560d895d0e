import { later, type FeatureRow } from './feature-row.ts';

/** One leader among replicas. */
export const electionRows: readonly FeatureRow[] = [
  later(
    79,
    'One of several replicas leads, by a Lease',
    'Leader election is written as a part of the manager, with lock, elector and fences; it is not in this version yet.',
  ),
  later(
    80,
    'Clocks of the replicas may differ',
    'It belongs to leader election: a lease is judged by the time since it was seen to change, on the own clock.',
  ),
  later(
    81,
    'The lease is given back when the work has ended, and renewed until then',
    'It belongs to leader election: the manager stops its parts first, and the elector renews meanwhile.',
  ),
  later(
    82,
    'A replica that does not lead keeps its caches filled',
    'It belongs to leader election: caches of the manager start before it leads, controllers after that.',
  ),
  later(
    83,
    'Each write carries the epoch of its lease, and an older one is refused',
    'It belongs to leader election: the client checks its lease before it sends, the embedded server the epoch.',
  ),
  later(
    84,
    'A health check that fails when the lease is not renewed',
    'It belongs to leader election: it becomes one of the checks of the manager, beside those of the program.',
  ),
  later(
    85,
    'A deployed program pauses while a developer runs it',
    'It needs leader election first; then a mark on the Lease makes the leader drain and step down until it is removed.',
  ),
];
