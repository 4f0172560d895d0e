import type { PodAffinityTerm, TopologySpreadConstraint } from '../../../lib/types/index.ts';
import type { NodeShape, PodShape } from './scheduling-place.ts';

export const HOST = 'kubernetes.io/hostname';
export const ZONE = 'topology.kubernetes.io/zone';
export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

export const near = (topologyKey: string = HOST): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app: 'web' } },
});
export const using = (claimName: string): PodShape => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});
export const spread = (more: Partial<TopologySpreadConstraint> = {}): PodShape => ({
  labels: { app: 'web' },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
      ...more,
    },
  ],
});
export const named = (...names: readonly string[]): PodShape => ({
  affinity: {
    nodeAffinity: {
      [REQUIRED]: {
        nodeSelectorTerms: [
          {
            matchFields: names.map((name) => ({
              key: 'metadata.name',
              operator: 'In' as const,
              values: [name],
            })),
          },
        ],
      },
    },
  },
});
export const withPort = (hostPort: number): PodShape => ({
  containers: [{ name: 'main', image: 'busybox', ports: [{ containerPort: 80, hostPort }] }],
});
export const CORDONED: NodeShape = { spec: { unschedulable: true } };
