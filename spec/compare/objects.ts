import { clusterKind, kind, type Draft, type Kind } from './kind.ts';
import { rareKinds } from './rare-kinds.ts';

export type { Draft, Kind } from './kind.ts';

const container = { name: 'main', image: 'registry.example/app:1' };
const podSpec = { containers: [container] };
const labels = { app: 'demo' };

const template = { metadata: { labels }, spec: podSpec };
const workload = { selector: { matchLabels: labels }, template };
const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } };
const subject = { kind: 'ServiceAccount', name: 'robot', namespace: '{ns}' };
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
const rbac = 'rbac.authorization.k8s.io';

export const configMaps: Kind = kind('v1', 'ConfigMap', 'configmaps', { data: { key: 'value' } });
export const secrets: Kind = kind('v1', 'Secret', 'secrets', {
  stringData: { password: 'hidden' },
});
export const pods: Kind = kind('v1', 'Pod', 'pods', { spec: podSpec });
export const services: Kind = kind('v1', 'Service', 'services', {
  spec: { selector: labels, ports: [{ port: 80 }] },
});
export const deployments: Kind = kind('apps/v1', 'Deployment', 'deployments', { spec: workload });
export const jobs: Kind = kind('batch/v1', 'Job', 'jobs', jobTemplate);
export const leases: Kind = kind('coordination.k8s.io/v1', 'Lease', 'leases', {
  spec: { holderIdentity: 'one', leaseDurationSeconds: 15 },
});
export const serviceAccounts: Kind = kind('v1', 'ServiceAccount', 'serviceaccounts');
export const statefulSets: Kind = kind('apps/v1', 'StatefulSet', 'statefulsets', {
  spec: { ...workload, serviceName: 'demo' },
});

const core: readonly Kind[] = [
  configMaps,
  secrets,
  pods,
  services,
  serviceAccounts,
  kind('v1', 'Endpoints', 'endpoints', {
    subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 80 }] }],
  }),
  kind('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  kind('v1', 'LimitRange', 'limitranges', {
    spec: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] },
  }),
  kind('v1', 'ResourceQuota', 'resourcequotas', { spec: { hard: { pods: '10' } } }),
  kind('v1', 'PodTemplate', 'podtemplates', { template }),
  kind('v1', 'ReplicationController', 'replicationcontrollers', {
    spec: { replicas: 1, selector: labels, template },
  }),
  kind('v1', 'Event', 'events', {
    involvedObject: { kind: 'Pod', name: 'demo', namespace: '{ns}', apiVersion: 'v1' },
    reason: 'Started',
    message: 'it began',
    type: 'Normal',
    source: { component: 'demo' },
    firstTimestamp: '2024-05-01T10:00:00Z',
    lastTimestamp: '2024-05-01T10:00:00Z',
    count: 1,
  }),
];

const groups: readonly Kind[] = [
  deployments,
  statefulSets,
  kind('apps/v1', 'ReplicaSet', 'replicasets', { spec: workload }),
  kind('apps/v1', 'DaemonSet', 'daemonsets', { spec: workload }),
  kind('apps/v1', 'ControllerRevision', 'controllerrevisions', { revision: 1, data: { a: 1 } }),
  jobs,
  kind('batch/v1', 'CronJob', 'cronjobs', { spec: { schedule: '*/5 * * * *', jobTemplate } }),
  leases,
  kind('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' },
      maxReplicas: 3,
    },
  }),
  kind('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', {
    spec: { minAvailable: 1, selector: { matchLabels: labels } },
  }),
  kind('networking.k8s.io/v1', 'Ingress', 'ingresses', {
    spec: { defaultBackend: { service: { name: 'demo', port: { number: 80 } } } },
  }),
  kind('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', {
    spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
  }),
  kind(`${rbac}/v1`, 'Role', 'roles', { rules }),
  kind(`${rbac}/v1`, 'RoleBinding', 'rolebindings', {
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'demo' },
    subjects: [subject],
  }),
  kind('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.7'] }],
    ports: [{ port: 80 }],
  }),
  kind('events.k8s.io/v1', 'Event', 'events', {
    eventTime: '2024-05-01T10:00:00.000000Z',
    reportingController: 'demo.example/one',
    reportingInstance: 'demo-1',
    action: 'Start',
    reason: 'Started',
    type: 'Normal',
    regarding: { kind: 'Pod', name: 'demo', namespace: '{ns}', apiVersion: 'v1' },
  }),
  kind('storage.k8s.io/v1', 'CSIStorageCapacity', 'csistoragecapacities', {
    storageClassName: 'fast',
    capacity: '1Gi',
  }),
];

const cluster: readonly Kind[] = [
  clusterKind('v1', 'Node', 'nodes'),
  clusterKind('v1', 'PersistentVolume', 'persistentvolumes', {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/data' },
    },
  }),
  clusterKind(`${rbac}/v1`, 'ClusterRole', 'clusterroles', { rules }),
  clusterKind(`${rbac}/v1`, 'ClusterRoleBinding', 'clusterrolebindings', {
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    subjects: [subject],
  }),
  clusterKind('storage.k8s.io/v1', 'StorageClass', 'storageclasses', {
    provisioner: 'demo.example/disk',
  }),
  clusterKind('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', { spec: {} }),
  clusterKind('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', { value: 100 }),
  clusterKind('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', { handler: 'demo' }),
  clusterKind('networking.k8s.io/v1', 'IngressClass', 'ingressclasses', {
    spec: { controller: 'demo.example/ingress' },
  }),
];

/** Every kind that scenarios create. */
export const allKinds: readonly Kind[] = [...core, ...groups, ...cluster, ...rareKinds];

/** Those whose collection belongs to the scenario alone. */
export const kindsInNamespaces: readonly Kind[] = allKinds.filter(({ namespaced }) => namespaced);

/** Kinds with a spec of some depth: what most clients write. */
export const richKinds: readonly Kind[] = [
  pods,
  services,
  ...groups.filter(({ resource }) => resource !== 'controllerrevisions'),
  ...core.filter(({ resource }) => /^(persist|limit|resourceq|repl|endpoints)/.test(resource)),
];

export function nameOf({ namespaced }: Kind, name: string): string {
  return namespaced ? name : `{ns}-${name}`;
}

export function collectionPath(kind: Kind): string {
  const { apiVersion } = kind.make('any');
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return kind.namespaced ? `${root}/namespaces/{ns}/${kind.resource}` : `${root}/${kind.resource}`;
}

export function objectPath(kind: Kind, name: string): string {
  return `${collectionPath(kind)}/${nameOf(kind, name)}`;
}

/** The object with its name in its collection. */
export function draftOf(kind: Kind, name: string): Draft {
  return kind.make(nameOf(kind, name));
}

/** Sets a member below, e.g. `spec.containers.0.image`; an undefined value removes it. */
export function withMember(draft: Draft, path: string, value: unknown): Draft {
  const copy = structuredClone(draft);
  const names = path.split('.');
  let at = copy as Record<string, unknown>;
  for (const name of names.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  const last = names.at(-1) as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}
