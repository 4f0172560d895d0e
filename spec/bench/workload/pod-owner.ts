import { SeededRandom } from './random.ts';

/** The common parts of the pods of one owner. */
export interface PodOwner {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';
  readonly name: string;
  readonly namespace: string;
  /** Of the object that is in the owner references: for a deployment its replica set. */
  readonly reference: OwnerReference;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[] | undefined;
  readonly volumes: readonly object[];
  readonly priority: number;
  /** Whether its pods have a token of their service account. */
  readonly token: boolean;
  /** Whether its pods say how long they stay on a node that is gone. */
  readonly tolerates: boolean;
}

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: true;
  readonly blockOwnerDeletion: true;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string }[] | undefined;
  readonly volumeMounts: readonly object[];
  readonly [field: string]: unknown;
}

const APPLICATIONS = [
  'api-gateway',
  'billing',
  'cart',
  'catalog',
  'checkout',
  'fraud-check',
  'image-resizer',
  'inventory',
  'kafka',
  'ledger',
  'log-shipper',
  'mailer',
  'metrics-agent',
  'notifications',
  'orders',
  'postgres',
  'pricing',
  'recommendations',
  'redis',
  'reports',
  'search',
  'sessions',
  'shipping',
  'storefront',
  'user-profile',
];
const TEAMS = ['core', 'data', 'growth', 'payments', 'platform', 'shop'];
const TIERS = ['backend', 'frontend', 'batch', 'cache', 'storage'];
const NAMESPACES = 50;
const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const SIDECARS = ['istio-proxy', 'config-reloader', 'vault-agent', 'fluent-bit'];

/** The owner with this number; the same one for the same number. */
export function podOwner(number: number): PodOwner {
  const random = new SeededRandom(0x10000 + number);
  const application = random.pick(APPLICATIONS);
  const namespace = namespaceOf(number % NAMESPACES);
  const kind = kindOf(random);
  const name = `${application}-${random.hex(4)}`;
  const hash = random.hex(10);
  const version = `v${1 + random.below(4)}.${random.below(30)}.${random.below(10)}`;
  const sidecars = SIDECARS.slice(0, sidecarsOf(random));
  const containers = [application, ...sidecars].map((one) => containerOf(one, version, random));
  const initContainers = random.chance(3)
    ? [containerOf('migrate', version, random, true)]
    : undefined;
  return {
    kind,
    name,
    namespace,
    reference: referenceOf(kind, name, hash, random),
    labels: labelsOf({ kind, name, application, version, hash, random }),
    annotations: annotationsOf(application, namespace, random),
    containers,
    initContainers,
    volumes: volumesOf(name, random),
    priority: random.pick([0, 0, 0, 1000, 2_000_001_000]),
    token: random.chance(5),
    tolerates: random.chance(10),
  };
}

function namespaceOf(number: number): string {
  return `${TEAMS[number % TEAMS.length]}-${String(number).padStart(2, '0')}`;
}

function sidecarsOf(random: SeededRandom): number {
  const share = random.below(100);
  if (share < 85) return 0;
  return share < 95 ? 1 : 2;
}

function kindOf(random: SeededRandom): PodOwner['kind'] {
  const share = random.below(100);
  if (share < 65) return 'Deployment';
  if (share < 80) return 'StatefulSet';
  return share < 92 ? 'DaemonSet' : 'Job';
}

function referenceOf(
  kind: PodOwner['kind'],
  name: string,
  hash: string,
  random: SeededRandom,
): OwnerReference {
  const deployment = kind === 'Deployment';
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind: deployment ? 'ReplicaSet' : kind,
    name: deployment ? `${name}-${hash}` : name,
    uid: random.uuid(),
    controller: true,
    blockOwnerDeletion: true,
  };
}

interface LabelSource {
  readonly kind: PodOwner['kind'];
  readonly name: string;
  readonly application: string;
  readonly version: string;
  readonly hash: string;
  readonly random: SeededRandom;
}

function labelsOf(source: LabelSource): Record<string, string> {
  const { kind, name, application, version, hash, random } = source;
  return {
    app: application,
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/version': version,
    ...(kind === 'Job' ? { 'batch.kubernetes.io/job-name': name } : {}),
    ...(kind === 'DaemonSet' ? { 'controller-revision-hash': hash } : {}),
    ...(kind === 'Deployment' ? { 'pod-template-hash': hash } : {}),
    tier: random.pick(TIERS),
  };
}

function annotationsOf(
  application: string,
  namespace: string,
  random: SeededRandom,
): Record<string, string> | undefined {
  const annotations: Record<string, string> = {};
  if (random.chance(20)) annotations['checksum/config'] = random.hex(64);
  if (random.chance(40)) {
    annotations['kubectl.kubernetes.io/restartedAt'] = `2026-03-${10 + random.below(20)}T08:15:30Z`;
  }
  if (random.chance(40)) {
    annotations['prometheus.io/port'] = '9090';
    annotations['prometheus.io/scrape'] = 'true';
  }
  if (random.chance(30)) {
    const sidecar = {
      rules: [{ match: `<${application}> & "${namespace}"`, path: 'C:\\logs\\*' }],
    };
    annotations['sidecar.example.com/config'] = `${JSON.stringify(sidecar)}\n`;
  }
  if (random.chance(10)) annotations['team.example.com/note'] = 'Größe prüfen – rückfragen ✓';
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

function containerOf(name: string, version: string, random: SeededRandom, once = false): Container {
  const port = 8000 + random.below(1000);
  const probe = (path: string): object => ({
    httpGet: { path, port, scheme: 'HTTP' },
    initialDelaySeconds: 5 + random.below(20),
    ...PROBE,
  });
  return {
    name,
    image: `registry.example.com/${random.pick(TEAMS)}/${name}:${version}`,
    ...(random.chance(30) ? { args: [`--listen=:${port}`, '--log-level=info'] } : {}),
    ...(once ? {} : { ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }] }),
    ...environmentOf(name, random),
    resources: {
      limits: { cpu: random.pick(['500m', '1', '2']), memory: random.pick(['256Mi', '1Gi']) },
      requests: { cpu: random.pick(['50m', '100m', '250m']), memory: '128Mi' },
    },
    volumeMounts: [{ name: 'config', readOnly: true, mountPath: '/etc/config' }],
    ...(once || random.chance(65) ? {} : { livenessProbe: probe('/healthz') }),
    ...(once || random.chance(60) ? {} : { readinessProbe: probe('/readyz') }),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

function environmentOf(name: string, random: SeededRandom): object {
  const env: { name: string; [field: string]: unknown }[] = [];
  if (random.chance(35)) {
    const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.name' };
    env.push({ name: 'POD_NAME', valueFrom: { fieldRef } });
  }
  if (random.chance(50)) {
    env.push({
      name: 'DATABASE_URL',
      value: `postgres://${name}@db.internal:5432/${name}?pool=10`,
    });
  }
  if (random.chance(40)) {
    env.push({
      name: 'TOKEN',
      valueFrom: { secretKeyRef: { name: `${name}-secrets`, key: 'token' } },
    });
  }
  if (random.chance(20)) env.push({ name: 'JAVA_OPTS', value: '-Xmx512m -XX:+UseG1GC' });
  return env.length > 0 ? { env } : {};
}

function volumesOf(name: string, random: SeededRandom): object[] {
  const volumes: object[] = [
    { name: 'config', configMap: { name: `${name}-config`, defaultMode: 420 } },
  ];
  if (random.chance(30)) volumes.push({ name: 'tmp', emptyDir: {} });
  if (random.chance(20)) {
    volumes.push({ name: 'certs', secret: { secretName: `${name}-tls`, defaultMode: 420 } });
  }
  return volumes;
}
