import type { Client } from '../../../lib/client/rest/client.ts';
import type {
  Container,
  NodeSpec,
  PersistentVolumeClaimSpec,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../lib/types/built-in/core-v1-kinds.ts';

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Long enough for a scheduler to see what is there. */
const PAUSE_MS = 700;

interface NodeShape {
  readonly labels?: Record<string, string>;
  readonly spec?: NodeSpec;
  readonly allocatable?: Record<string, string>;
}

interface PodShape extends Partial<PodSpec> {
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
}

/** Writes what a scenario has, to any server. */
export class ScenarioWriter {
  readonly client: Client;
  readonly pause: (ms: number) => Promise<void>;

  constructor(client: Client, pause: (ms: number) => Promise<void>) {
    this.client = client;
    this.pause = pause;
  }

  async node(name: string, { labels, spec, allocatable }: NodeShape = {}): Promise<void> {
    const nodes = this.client.resource('v1', 'nodes');
    const all = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '10Gi' };
    await nodes.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { [HOST]: name, ...labels } },
      spec: { unschedulable: true },
      status: { allocatable: { ...all, ...allocatable } },
    });
    const { taints = null, unschedulable = null } = spec ?? {};
    await nodes.patch(name, { spec: { taints, unschedulable } });
    await this.pause(PAUSE_MS);
  }

  async pod(name: string, { labels, requests, ...spec }: PodShape = {}): Promise<void> {
    const main: Container = { name: 'main', image: 'busybox', resources: { requests } };
    await this.client.resource('v1', 'pods', { namespace: 'default' }).create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: { containers: [main], terminationGracePeriodSeconds: 0, ...spec },
    });
    await this.pause(PAUSE_MS);
  }

  async claim(name: string, spec: PersistentVolumeClaimSpec): Promise<void> {
    await this.client.resource('v1', 'persistentvolumeclaims', { namespace: 'default' }).create({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...spec,
      },
    });
    await this.pause(PAUSE_MS);
  }

  async lateClass(name: string, provisioner: string): Promise<void> {
    await this.client.resource('storage.k8s.io/v1', 'storageclasses').create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
    });
  }

  async priorities(): Promise<void> {
    const classes = this.client.resource('scheduling.k8s.io/v1', 'priorityclasses');
    const kind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' } as const;
    await classes.create({ ...kind, metadata: { name: 'high' }, value: 1000 });
    await classes.create({ ...kind, metadata: { name: 'middle' }, value: 500 });
    const patient = { name: 'patient' };
    await classes.create({ ...kind, metadata: patient, value: 900, preemptionPolicy: 'Never' });
  }
}

const near = (topologyKey: string = HOST): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app: 'web' } },
});
const using = (claimName: string): PodShape => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});
const spread = (more: Partial<TopologySpreadConstraint> = {}): PodShape => ({
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
const named = (...names: readonly string[]): PodShape => ({
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
const withPort = (hostPort: number): PodShape => ({
  containers: [{ name: 'main', image: 'busybox', ports: [{ containerPort: 80, hostPort }] }],
});
const cordoned: NodeShape = { spec: { unschedulable: true } };

/** The scenarios whose words were recorded from a real kube-scheduler. */
export const SCENARIOS: Readonly<Record<string, (cluster: ScenarioWriter) => Promise<void>>> = {
  'there are no nodes': (cluster) => cluster.pod('a'),
  'the pod fits': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a');
  },
  'resources are short': async (cluster) => {
    await cluster.node('n1', { allocatable: { cpu: '1', memory: '1Gi' } });
    await cluster.node('n2', { allocatable: { cpu: '1' } });
    await cluster.pod('a', { requests: { cpu: '2', memory: '2Gi' } });
  },
  'an extended resource is missing': async (cluster) => {
    await cluster.node('n1');
    const amount = { 'example.com/gpu': '1' };
    const resources = { requests: amount, limits: amount };
    await cluster.pod('a', { containers: [{ name: 'main', image: 'busybox', resources }] });
  },
  'storage is short': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', { requests: { 'ephemeral-storage': '20Gi' } });
  },
  'the pod as a whole asks for too much': async (cluster) => {
    await cluster.node('n1', { allocatable: { cpu: '1' } });
    await cluster.pod('a', { resources: { requests: { cpu: '2' } } });
  },
  'a sidecar asks for too much': async (cluster) => {
    await cluster.node('n1', { allocatable: { cpu: '1500m' } });
    const resources = { requests: { cpu: '1' } };
    const sidecar: Container = {
      name: 'side',
      image: 'busybox',
      restartPolicy: 'Always',
      resources,
    };
    await cluster.pod('a', { initContainers: [sidecar], requests: { cpu: '1' } });
  },
  'nodes are tainted': async (cluster) => {
    await cluster.node('n1', {
      spec: { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
    });
    await cluster.node('n2', cordoned);
    await cluster.node('n3', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await cluster.pod('a');
  },
  'no node has the label': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', { nodeSelector: { x: 'y' } });
  },
  'two names are asked for': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', named('n1', 'n2'));
  },
  'the named node is missing': async (cluster) => {
    await cluster.node('n1');
    await cluster.node('n2');
    await cluster.pod('a', named('n3'));
  },
  'the named node is cordoned': async (cluster) => {
    await cluster.node('n1', cordoned);
    await cluster.node('n2');
    await cluster.pod('a', named('n1'));
  },
  'a port is taken': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', withPort(80));
    await cluster.pod('b', withPort(80));
  },
  'no wanted pod is there': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', { affinity: { podAffinity: { [REQUIRED]: [near()] } } });
  },
  'the pod wants pods like itself': async (cluster) => {
    await cluster.node('n1');
    const affinity = { podAffinity: { [REQUIRED]: [near()] } };
    await cluster.pod('a', { labels: { app: 'web' }, affinity });
  },
  'the node has no zone to be near in': async (cluster) => {
    await cluster.node('n1');
    const affinity = { podAffinity: { [REQUIRED]: [near(ZONE)] } };
    await cluster.pod('a', { labels: { app: 'web' }, affinity });
  },
  'an unwanted pod is there': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', { labels: { app: 'web' } });
    await cluster.pod('b', { affinity: { podAntiAffinity: { [REQUIRED]: [near()] } } });
  },
  'a pod that is there does not want it': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', { affinity: { podAntiAffinity: { [REQUIRED]: [near()] } } });
    await cluster.pod('b', { labels: { app: 'web' } });
  },
  'the skew is reached': async (cluster) => {
    await cluster.node('n1', { labels: { [ZONE]: 'a' } });
    await cluster.node('n2', { labels: { [ZONE]: 'b' }, ...cordoned });
    await cluster.node('n3');
    await cluster.pod('a', spread());
    await cluster.pod('b', spread());
  },
  'tainted nodes do not count for the skew': async (cluster) => {
    await cluster.node('n1', { labels: { [ZONE]: 'a' } });
    const taints: NodeSpec['taints'] = [{ key: 'a', effect: 'NoSchedule' }];
    await cluster.node('n2', { labels: { [ZONE]: 'b' }, spec: { taints } });
    await cluster.pod('a', spread({ nodeTaintsPolicy: 'Honor' }));
    await cluster.pod('b', spread({ nodeTaintsPolicy: 'Honor' }));
  },
  'there are too few domains': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', spread({ minDomains: 2, topologyKey: HOST }));
    await cluster.pod('b', spread({ minDomains: 2, topologyKey: HOST }));
  },
  'the claim is missing': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', using('data'));
  },
  'the claim is not bound': async (cluster) => {
    await cluster.node('n1');
    await cluster.claim('data', { storageClassName: '' });
    await cluster.pod('a', using('data'));
  },
  'the claim of the pod itself is missing': async (cluster) => {
    await cluster.node('n1');
    const spec: PersistentVolumeClaimSpec = {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    };
    const ephemeral = { volumeClaimTemplate: { spec } };
    await cluster.pod('a', { volumes: [{ name: 'data', ephemeral }] });
  },
  'the claim is being deleted': async (cluster) => {
    await cluster.node('n1');
    await cluster.claim('data', { storageClassName: '' });
    const claims = cluster.client.resource('v1', 'persistentvolumeclaims', {
      namespace: 'default',
    });
    await claims.patch('data', { metadata: { finalizers: ['example.com/wait'] } });
    await claims.delete('data');
    await cluster.pause(PAUSE_MS);
    await cluster.pod('a', using('data'));
  },
  'the claim has lost its volume': async (cluster) => {
    await cluster.node('n1');
    await cluster.claim('data', { storageClassName: '', volumeName: 'gone' });
    const claims = cluster.client.resource('v1', 'persistentvolumeclaims', {
      namespace: 'default',
    });
    const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
    await claims.patch('data', { metadata: { annotations } });
    await cluster.pause(PAUSE_MS);
    await cluster.pod('a', using('data'));
  },
  'no volume suits the claim': async (cluster) => {
    await cluster.node('n1');
    await cluster.lateClass('late', 'kubernetes.io/no-provisioner');
    await cluster.claim('data', { storageClassName: 'late' });
    await cluster.pod('a', using('data'));
  },
  'the volume is being made': async (cluster) => {
    await cluster.node('n1');
    await cluster.lateClass('made', 'example.com/disks');
    await cluster.claim('data', { storageClassName: 'made' });
    await cluster.pod('a', using('data'));
  },
  'a less important pod has to go': async (cluster) => {
    await cluster.priorities();
    await cluster.node('n1', { allocatable: { cpu: '1' } });
    await cluster.pod('a', { requests: { cpu: '1' }, terminationGracePeriodSeconds: 60 });
    await cluster.pod('b', { requests: { cpu: '1' }, priorityClassName: 'high' });
  },
  'the pod may not make others go': async (cluster) => {
    await cluster.priorities();
    await cluster.node('n1', { allocatable: { cpu: '1' } });
    await cluster.pod('a', { requests: { cpu: '1' } });
    await cluster.pod('b', { requests: { cpu: '1' }, priorityClassName: 'patient' });
  },
  'it does not help if others go': async (cluster) => {
    await cluster.priorities();
    await cluster.node('n1', { allocatable: { cpu: '2' } });
    await cluster.node('n2', { allocatable: { cpu: '1' } });
    const here = { nodeSelector: { [HOST]: 'n1' } };
    await cluster.pod('a', { requests: { cpu: '1' }, priorityClassName: 'high', ...here });
    await cluster.pod('c', { requests: { cpu: '500m' }, ...here });
    await cluster.pod('b', { requests: { cpu: '1500m' }, priorityClassName: 'middle' });
  },
  'the node has enough pods': async (cluster) => {
    await cluster.node('n1', { allocatable: { pods: '1' } });
    await cluster.pod('a');
    await cluster.pod('b');
  },
  'the pod is gated': async (cluster) => {
    await cluster.node('n1');
    await cluster.pod('a', { schedulingGates: [{ name: 'mine' }] });
  },
  'the pod before it goes': async (cluster) => {
    await cluster.node('n1', { allocatable: { pods: '1' } });
    await cluster.pod('a');
    await cluster.pod('b');
    await cluster.client.resource('v1', 'pods', { namespace: 'default' }).delete('a');
  },
  'another node comes': async (cluster) => {
    await cluster.node('n1', cordoned);
    await cluster.pod('a');
    await cluster.node('n2');
  },
};

/** The words about pods, without what differs from run to run. */
export interface ScenarioWords {
  readonly pods: Readonly<Record<string, readonly string[]>>;
  readonly events: readonly string[];
}

/** Reads what was said about the pods of the namespace `default`. */
export async function scenarioWords(client: Client): Promise<ScenarioWords> {
  const { items } = await client.resource('v1', 'pods', { namespace: 'default' }).list();
  const masked = (text: string = ''): string =>
    items.reduce((left, { metadata }) => left.replaceAll(metadata.uid, metadata.name), text);
  const pods = items.map(({ metadata, spec, status }) => {
    const conditions = (status?.conditions ?? []).map(
      ({ type, status: is, reason, message, observedGeneration: generation, lastProbeTime }) =>
        [type, is, reason, masked(message), generation, lastProbeTime].join(' | '),
    );
    const node = `node ${spec?.nodeName ?? '-'}, nominated ${status?.nominatedNodeName ?? '-'}`;
    const end = metadata.deletionTimestamp === undefined ? '' : ', being deleted';
    return [metadata.name, [`${node}${end}`, ...conditions.toSorted()]] as const;
  });
  const events = client.resource('events.k8s.io/v1', 'events', { namespace: 'default' });
  const texts = (await events.list()).items.map((event) =>
    [
      event.regarding?.name,
      event.type,
      event.reason,
      event.action,
      masked(event.note),
      event.reportingController,
      event.related?.name,
    ].join(' | '),
  );
  return { pods: Object.fromEntries(pods), events: [...new Set(texts)].toSorted() };
}
