/**
 * All metrics of leader election. The label `name` is the name of the lease.
 * @see component-base metrics/prometheus/clientgo/leaderelection/metrics.go @ eed236c for the first one
 */
export const electionMetrics = {
  leads: {
    name: 'leader_election_master_status',
    type: 'gauge',
    unit: 'replicas',
    labels: ['name'],
    help: '1 while this replica leads, otherwise 0.',
  },
  requests: {
    name: 'listwatch_election_requests_total',
    type: 'counter',
    unit: 'requests',
    labels: ['name', 'operation', 'result'],
    help: 'Requests for the lease: `acquire`, `renew` or `release`, with the result `ok`, `conflict` or `error`.',
  },
  epoch: {
    name: 'listwatch_election_epoch',
    type: 'gauge',
    unit: 'holders',
    labels: ['name'],
    help: 'The epoch of the lease, which grows with each holder, as this replica has seen it last.',
  },
} as const;
