import {
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
} from '../../meta/releases/kubernetes-releases.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { AUTHORIZATIONS, type Authorization } from '../../server/registry/contract/access-parts.ts';
import {
  CLUSTER_CONTROLLERS,
  type ClusterController,
  selectedControllers,
} from '../../cluster/cluster-controller-names.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { GATE_NAMES, switchedGates, type SwitchedGates } from './feature-gate-flag.ts';

/** The options of `listwatch serve`. */
export interface ServeOptions extends SwitchedGates {
  /** 0: a free port. */
  readonly port: number;
  readonly bind: string;
  /** Left out: a file below the home directory, removed at the stop. */
  readonly kubeconfig: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  /** The members of an etcd cluster; empty: in memory. */
  readonly etcd: readonly string[];
  readonly etcdFiles: EtcdFiles;
  readonly tls: TlsFiles;
  /** The authorization mode; left out: the default of `ApiServer`. */
  readonly authorization: Authorization | undefined;
  /** The controllers of a cluster that work in it. */
  readonly controllers: ReadonlySet<ClusterController>;
  /** The number of nodes whose kubelets run pods, where those are among the controllers. @defaultValue 1 */
  readonly nodes?: number | undefined;
  /** Whether pods need a service account. @defaultValue when the controller is there that makes them */
  readonly serviceAccountAdmission?: boolean | undefined;
  /** Undefined for the newest one. */
  readonly version: KubernetesVersion | undefined;
  /** Whether containers may be privileged. */
  readonly allowPrivileged: boolean;
  /** Whether the kubeconfig has a client certificate in place of the token. */
  readonly clientCertificate: boolean;
  readonly snapshot: string | undefined;
  readonly manifests: string | undefined;
  readonly audit: string | undefined;
  readonly encryptionConfig: string | undefined;
  readonly json: boolean;
  readonly verbose: boolean;
}

/** Paths of PEM files, and of a folder with some. */
export interface TlsFiles {
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly clientCa: string | undefined;
  /** The folder of the server's own authority. */
  readonly dir: string | undefined;
}

/** Paths of PEM files. */
export interface EtcdFiles {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

const DEFAULT_PORT = 6443;
const LOOPBACK = '127.0.0.1';
export const TOKEN_VARIABLE = 'LISTWATCH_TOKEN';

export const SERVE_OPTIONS: OptionTable = {
  port: {
    type: 'string',
    value: 'N',
    help: `the port; 0: a free one; otherwise ${DEFAULT_PORT}`,
  },
  bind: {
    type: 'string',
    value: 'ADDRESS',
    help: `the address to listen on; otherwise ${LOOPBACK}, for this machine only`,
  },
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'the kubeconfig to write; otherwise ~/.listwatch/kubeconfig-PORT, removed at the stop',
  },
  token: {
    type: 'string',
    value: 'TOKEN',
    help: 'the token of clients; it is visible in the list of processes; otherwise random',
  },
  'token-file': { type: 'string', value: 'FILE', help: 'a file with the token' },
  'tls-cert-file': {
    type: 'string',
    value: 'FILE',
    help: 'the certificate to present, PEM; otherwise one of an authority that the server makes',
  },
  'tls-private-key-file': {
    type: 'string',
    value: 'FILE',
    help: 'the key of that certificate, PEM',
  },
  'client-ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'the authorities of client certificates, PEM: the common name is the user, organisations are groups',
  },
  'cert-dir': {
    type: 'string',
    value: 'DIR',
    help: 'keeps the authority (ca.crt, ca.key) and the key of account tokens (sa.key) in a folder; otherwise they end with the server',
  },
  authorization: {
    type: 'string',
    value: 'MODE',
    help: 'rbac: roles decide who may do what, as on a cluster; always-allow: every client with credentials may do everything; otherwise rbac',
  },
  controllers: {
    type: 'string',
    value: 'LIST',
    help: `the controllers of a cluster that work in it: all, workloads, none, or some of ${CLUSTER_CONTROLLERS.join(',')}; workloads: pods run, and Deployments get them; none is kube-apiserver alone; otherwise all`,
  },
  nodes: {
    type: 'string',
    value: 'N',
    help: 'with --controllers workloads: how many nodes there are, 0 to 10000; otherwise 1',
  },
  'kubernetes-version': {
    type: 'string',
    value: 'VERSION',
    help: `the minor version of Kubernetes that the server is: ${KUBERNETES_VERSIONS.join(', ')}; otherwise the newest`,
  },
  'allow-privileged': {
    type: 'string',
    value: 'BOOL',
    help: 'false: pods with privileged containers are refused, as by kube-apiserver without this flag; otherwise true',
  },
  'feature-gates': {
    type: 'string',
    value: 'GATE=BOOL',
    help: `features that are off otherwise, as in kube-apiserver, with commas between: ${GATE_NAMES.join(', ')}`,
  },
  'client-certificate': {
    type: 'boolean',
    help: 'the kubeconfig gets a client certificate in place of the token',
  },
  etcd: {
    type: 'string',
    multiple: true,
    value: 'URL',
    help: 'a member of the etcd cluster that holds the state; several times; otherwise in memory',
  },
  'etcd-ca': {
    type: 'string',
    value: 'FILE',
    help: 'the authorities of the certificates of etcd, PEM',
  },
  'etcd-cert': { type: 'string', value: 'FILE', help: 'the client certificate for etcd, PEM' },
  'etcd-key': { type: 'string', value: 'FILE', help: 'the key of the client certificate, PEM' },
  snapshot: {
    type: 'string',
    value: 'FILE',
    help: 'keeps the state in memory in a file: loaded if it exists, written at the stop',
  },
  manifests: {
    type: 'string',
    value: 'DIR',
    help: 'a folder of YAML and JSON manifests, applied at the start',
  },
  audit: {
    type: 'string',
    value: 'FILE',
    help: 'appends one JSON line a request; at 64 MiB it becomes FILE.1',
  },
  'encryption-config': {
    type: 'string',
    value: 'FILE',
    help: 'an EncryptionConfiguration: which resources are stored encrypted, with which keys',
  },
  json: { type: 'boolean', help: 'the ready line as JSON' },
  verbose: { type: 'boolean', short: 'v', help: 'also prints each request and each step' },
};

export const SERVE_HELP: string = `listwatch serve: a Kubernetes API server for kubectl, controllers and tests, with the clean-up of a cluster. With --controllers workloads
its pods run too: as a model, without real containers.

Usage: listwatch serve [options]

Options:
${optionsHelp(SERVE_OPTIONS)}

The token may also be in ${TOKEN_VARIABLE}. When clients can connect, one line with the kubectl command is on standard output;
everything else is on standard error. SIGINT or SIGTERM stops the server; a second one ends it at once, without a snapshot.

Examples:
  npx listwatch serve
  npx listwatch serve --controllers workloads --nodes 3
  npx listwatch serve --port 0 --json --manifests crds/
  npx listwatch serve --snapshot dev.snapshot --token-file token --kubeconfig dev.kubeconfig

Exit code: 0 after a stop, 1 when the server cannot start or the snapshot cannot be written, 2 for wrong arguments, 130 when
stopped before it was ready.
`;

/** @throws {UsageError} for a version that the server does not have. */
function versionOf(text: string | undefined): KubernetesVersion | undefined {
  const version = KUBERNETES_VERSIONS.find((one) => one === text);
  if (version !== undefined || text === undefined) return version;
  throw new UsageError(
    `--kubernetes-version is one of ${KUBERNETES_VERSIONS.join(', ')}, not ${JSON.stringify(text)}`,
  );
}

/** @throws {UsageError} */
export function readServeOptions(parameters: readonly string[]): ServeOptions {
  const { options, positionals } = parseArguments(parameters, SERVE_OPTIONS);
  const [extra] = positionals;
  if (extra !== undefined) {
    throw new UsageError(`serve takes options only, not ${JSON.stringify(extra)}`);
  }
  const text = (name: string): string | undefined => options.get(name)?.[0];
  const excluded = (one: string, other: string): void => {
    if (!options.has(one) || !options.has(other)) return;
    throw new UsageError(`--${one} excludes --${other}; give one or the other`);
  };
  excluded('etcd', 'snapshot');
  excluded('token', 'token-file');
  excluded('tls-cert-file', 'cert-dir');
  for (const [one, other] of [
    ['tls-cert-file', 'tls-private-key-file'],
    ['tls-private-key-file', 'tls-cert-file'],
  ] as const) {
    if (options.has(one) && !options.has(other)) {
      throw new UsageError(`--${one} needs --${other}; give both`);
    }
  }
  const etcd = options.get('etcd') ?? [];
  const etcdFiles = { ca: text('etcd-ca'), cert: text('etcd-cert'), key: text('etcd-key') };
  const file = Object.entries(etcdFiles).find(([, path]) => path !== undefined);
  if (file !== undefined && etcd.length === 0) {
    throw new UsageError(`--etcd-${file[0]} is for --etcd https://...; give that too`);
  }
  return {
    port: portOf(text('port')),
    bind: text('bind') ?? LOOPBACK,
    kubeconfig: text('kubeconfig'),
    token: text('token'),
    tokenFile: text('token-file'),
    etcd,
    etcdFiles,
    tls: {
      cert: text('tls-cert-file'),
      key: text('tls-private-key-file'),
      clientCa: text('client-ca-file'),
      dir: text('cert-dir'),
    },
    authorization: authorizationOf(text('authorization')),
    ...runningPods(text('controllers') ?? 'all', text('nodes')),
    version: versionOf(text('kubernetes-version')),
    allowPrivileged: booleanOf('allow-privileged', text('allow-privileged') ?? 'true'),
    ...switchedGates((text('feature-gates') ?? '').split(','), 'refuse'),
    clientCertificate: options.has('client-certificate'),
    snapshot: text('snapshot'),
    manifests: text('manifests'),
    audit: text('audit'),
    encryptionConfig: text('encryption-config'),
    json: options.has('json'),
    verbose: options.has('verbose'),
  };
}

function authorizationOf(text: string | undefined): Authorization | undefined {
  const known = AUTHORIZATIONS.find((mode) => mode === text);
  if (known !== undefined || text === undefined) return known;
  throw new UsageError(
    `--authorization must be ${AUTHORIZATIONS.join(' or ')}, not ${JSON.stringify(text)}`,
  );
}

const MOST_NODES = 10_000;

/** The controllers, and the nodes for those that run pods. @throws {UsageError} */
function runningPods(
  controllersText: string,
  nodesText: string | undefined,
): Pick<ServeOptions, 'controllers' | 'nodes'> {
  const controllers = controllersOf(controllersText);
  if (nodesText === undefined) return { controllers };
  const nodes = /^\d{1,5}$/.test(nodesText) ? Number(nodesText) : NaN;
  if (!(nodes <= MOST_NODES)) {
    const given = JSON.stringify(nodesText);
    throw new UsageError(`--nodes must be a number from 0 to ${MOST_NODES}, not ${given}`);
  }
  if (controllers.has('kubelet')) return { controllers, nodes };
  throw new UsageError('--nodes is for --controllers workloads; give that too');
}

function controllersOf(text: string): ReadonlySet<ClusterController> {
  const isWord = ['all', 'workloads', 'none'].includes(text);
  try {
    return selectedControllers(isWord ? text : text.split(','));
  } catch {
    const names = CLUSTER_CONTROLLERS.join(', ');
    throw new UsageError(
      `--controllers must be all, workloads, none, or some of ${names} with commas between, not ${JSON.stringify(text)}`,
    );
  }
}

function booleanOf(option: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`--${option} must be true or false, not ${JSON.stringify(text)}`);
}

function portOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError(
    `--port must be a number from 0 to 65535, not ${JSON.stringify(text)}; 0 is a free port`,
  );
}
