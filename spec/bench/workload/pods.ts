/**
 * Pods for the client workloads: the same ones in every run, of varied shape, as a Go API server writes them. `node --import tsx
 * spec/bench/workload/pods.ts` prints how long they are, and one of them.
 */
import { podOwner, type Container, type PodOwner } from './pod-owner.ts';
import { SeededRandom } from './random.ts';

/** The beginning of every pod in a watch event; items of a list have none. */
export const TYPE_META = '"kind":"Pod","apiVersion":"v1",';
/** Resource versions are this and the number of the pod, so that all of them have the same length. */
export const FIRST_RESOURCE_VERSION = 1_000_000_000;
/** Resource versions of paced events are this and the microseconds since an epoch of their contest. */
export const PACED_RESOURCE_VERSION = 2_000_000_000;

const NODES = 1000;
const PODS_OF_AN_OWNER = 12;
/** The letters of which Kubernetes makes the ends of names. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const TAG_LENGTH = 5;
/** Spreads numbers over the tags, each number to a tag of its own. */
const TAG_STEP = 7_368_787;
const DAY_MS = 86_400_000;
const BEGIN_MS = Date.UTC(2026, 2, 1);

const owners = new Map<number, PodOwner>();

/** The end of the name of a pod. Five letters, different for every number below 14 million. */
export function podTag(index: number): string {
  let rest = (index * TAG_STEP) % LETTERS.length ** TAG_LENGTH;
  let tag = '';
  for (let letter = 0; letter < TAG_LENGTH; letter += 1) {
    tag += LETTERS[rest % LETTERS.length];
    rest = Math.floor(rest / LETTERS.length);
  }
  return tag;
}

/** Last twelve digits of the uid of a pod. */
export function uidTail(index: number): string {
  return index.toString(16).padStart(12, '0');
}

/** One pod as JSON of Go: fields in the order of the structs, without space, `<>&` escaped. */
export function podJson(index: number): string {
  const json = JSON.stringify(podOf(index));
  return json.replace(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}

/** The owner of a pod; there are more of them in bigger clusters. */
function ownerOf(index: number): PodOwner {
  // Neighbours in a list are not of one owner only.
  const block = PODS_OF_AN_OWNER * 64;
  const number = Math.floor(index / block) * 64 + (index % 64);
  let owner = owners.get(number);
  if (owner === undefined) {
    owner = podOwner(number);
    owners.set(number, owner);
  }
  return owner;
}

function podOf(index: number): object {
  const random = new SeededRandom(index);
  const owner = ownerOf(index);
  const created = BEGIN_MS + random.below(60 * DAY_MS);
  const { reference } = owner;
  const tokenVolume = `kube-api-access-${random.hex(5)}`;
  const tokenMount = {
    name: tokenVolume,
    readOnly: true,
    mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
  };
  const mounted = (container: Container): object => ({
    ...container,
    volumeMounts: owner.token ? [...container.volumeMounts, tokenMount] : container.volumeMounts,
  });
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: `${reference.name}-${podTag(index)}`,
      generateName: `${reference.name}-`,
      namespace: owner.namespace,
      uid: `${random.uuid().slice(0, 24)}${uidTail(index)}`,
      resourceVersion: String(FIRST_RESOURCE_VERSION + index),
      creationTimestamp: at(created),
      labels: owner.labels,
      annotations: owner.annotations,
      ownerReferences: [reference],
      managedFields: managedFieldsOf(owner, created),
    },
    spec: {
      volumes: owner.token
        ? [...owner.volumes, { name: tokenVolume, projected: TOKEN_PROJECTION }]
        : owner.volumes,

      initContainers: owner.initContainers?.map(mounted),
      containers: owner.containers.map(mounted),
      restartPolicy: owner.kind === 'Job' ? 'OnFailure' : 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      nodeName: `ip-10-0-${random.below(NODES)}.eu-central-1.compute.internal`,
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: owner.tolerates ? TOLERATIONS : undefined,
      priority: owner.priority,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: statusOf(owner, created, random),
  };
}

const TOKEN_PROJECTION = {
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  ],
  defaultMode: 420,
};

const TOLERATIONS = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

function at(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** Managed fields; some fields stand for all, so that it is a fifth of the pod and not half of it. */
function managedFieldsOf(owner: PodOwner, created: number): object[] {
  const [first] = owner.containers;
  const labels = Object.keys(owner.labels).map((name) => [`f:${name}`, {}] as const);
  const conditions = ['ContainersReady', 'Ready'].map(
    (type) => [`k:{"type":"${type}"}`, { '.': {}, 'f:status': {} }] as const,
  );
  const spec = {
    'f:metadata': {
      'f:generateName': {},
      'f:labels': { '.': {}, ...Object.fromEntries(labels.slice(0, 2)) },
    },
    'f:spec': {
      'f:containers': { [`k:{"name":"${first?.name ?? ''}"}`]: { '.': {}, 'f:image': {} } },
      'f:restartPolicy': {},
    },
  };
  const status = {
    'f:status': {
      'f:conditions': Object.fromEntries(conditions),
      'f:containerStatuses': {},
      'f:phase': {},
      'f:podIP': {},
    },
  };
  return [
    managed('kube-controller-manager', at(created), spec),
    { ...managed('kubelet', at(created + 20_000), status), subresource: 'status' },
  ];
}

function managed(manager: string, time: string, fieldsV1: object): object {
  return { manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1 };
}

function statusOf(owner: PodOwner, created: number, random: SeededRandom): object {
  const running = !random.chance(5);
  const changed = at(created + 15_000 + random.below(30) * 1000);
  const podIP = `10.${64 + random.below(64)}.${random.below(256)}.${random.below(256)}`;
  const hostIP = `10.0.${random.below(256)}.${random.below(256)}`;
  const ready = running ? 'True' : 'False';
  const condition = (type: string, status: string): object => ({
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: changed,
  });
  return {
    phase: owner.kind === 'Job' && random.chance(50) ? 'Succeeded' : 'Running',
    conditions: [
      condition('Initialized', 'True'),
      condition('Ready', ready),
      condition('ContainersReady', ready),
      condition('PodScheduled', 'True'),
    ],
    hostIP,
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: at(created),
    containerStatuses: owner.containers.map(({ name, image }) => ({
      name,
      state: running
        ? { running: { startedAt: changed } }
        : { waiting: { reason: 'CrashLoopBackOff', message: `back-off 5m0s restarting ${name}` } },
      lastState: {},
      ready: running,
      restartCount: running ? 0 : 1 + random.below(50),
      image,
      imageID: `${image.slice(0, image.lastIndexOf(':'))}@sha256:${random.hex(64)}`,
      containerID: `containerd://${random.hex(64)}`,
      started: running,
    })),
    qosClass: 'Burstable',
  };
}

if (process.argv[1] === import.meta.filename) {
  const count = Number(process.argv[2] ?? 10_000);
  const startedMs = performance.now();
  let bytes = 0;
  let longest = 0;
  for (let index = 0; index < count; index += 1) {
    const length = Buffer.byteLength(podJson(index));
    bytes += length;
    longest = Math.max(longest, length);
  }
  const tookMs = performance.now() - startedMs;
  console.log(
    `${count} pods: ${(bytes / count).toFixed(0)} bytes on average, ${longest} at most, made in ${tookMs.toFixed(0)} ms`,
  );
  console.log(podJson(4));
}

/** The time in microseconds since 1970, the same in all processes of a machine. */
export function nowUs(): number {
  return Math.round((performance.timeOrigin + performance.now()) * 1000);
}
