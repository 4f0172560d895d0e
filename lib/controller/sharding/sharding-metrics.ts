/**
 * All metrics of sharding. The label `name` is the name of the group.
 *
 * @experimental
 */
export const shardingMetrics = {
  slots: {
    name: 'listwatch_sharding_slots',
    type: 'gauge',
    unit: 'slots',
    labels: ['name'],
    help: 'How many of the 256 parts of all keys this replica works on.',
  },
  members: {
    name: 'listwatch_sharding_members',
    type: 'gauge',
    unit: 'replicas',
    labels: ['name'],
    help: 'The replicas of the group, as this one has seen them last.',
  },
} as const;
