import { KUBERNETES_VERSIONS, NEWEST_MINOR } from '../../meta/releases/kubernetes-releases.ts';
import { serverVersion } from '../../server/api/server-version.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { runServer } from '../serve/serve-command.ts';
import { GATE_NAMES } from '../serve/feature-gate-flag.ts';
import { apiServerOptions } from './flag-options.ts';
import { API_SERVER_FLAGS } from './known-flags.ts';
import { readFlags, type Flags, type FlagWords } from './read-flags.ts';

const WORDS: FlagWords = {
  program: 'kube-apiserver',
  unknown: (name) => `unknown flag: --${name}`,
};

/** The flags that the server goes by, with what the help says of them. */
const USED: Readonly<Record<string, string>> = {
  'secure-port': 'the port; otherwise 6443',
  'bind-address': 'the address; otherwise 127.0.0.1, for this machine only',
  'cert-dir': 'where apiserver.crt and apiserver.key are, or are written',
  'tls-cert-file': 'the certificate to present',
  'tls-private-key-file': 'the key of that certificate',
  'client-ca-file': 'the authorities of client certificates',
  'authorization-mode': 'RBAC or AlwaysAllow; Node beside RBAC changes nothing',
  'emulated-version': `the minor version of Kubernetes that the server is: ${KUBERNETES_VERSIONS.join(', ')}`,
  'allow-privileged': 'whether containers may be privileged',
  'feature-gates': `${GATE_NAMES.join(', ')}; others change nothing`,
  'disable-admission-plugins': 'ServiceAccount; others stay on',
  'etcd-servers':
    'listwatch envtest-etcd: the objects are in memory; a real etcd: they are in it, which needs @grpc/grpc-js',
  'etcd-cafile': 'the authorities of a real etcd',
  'etcd-certfile': 'the client certificate for a real etcd',
  'etcd-keyfile': 'the key of that certificate',
  'encryption-provider-config': 'how objects are encrypted at rest',
  v: 'from 2 on, requests and steps are printed',
  help: 'this text; -h as well',
  version: 'the version of Kubernetes that it stands for',
};

/** Given by envtest itself; the server behaves so without them. */
const EXPECTED: ReadonlySet<string> = new Set([
  'advertise-address',
  'service-account-issuer',
  'service-account-key-file',
  'service-account-signing-key-file',
  'service-cluster-ip-range',
]);

const HELP = `listwatch envtest-apiserver: stands where envtest starts kube-apiserver.

Usage: listwatch envtest-apiserver [flags of kube-apiserver]

Flags that have an effect:
${Object.entries(USED)
  .map(([name, text]) => `  ${`--${name}`.padEnd(28)}  ${text}`)
  .join('\n')}

Other flags of kube-apiserver are accepted, and named on standard error once. Anything else is refused.
`;

/** The stand-in for kube-apiserver that envtest starts. */
export function envtestApiServerCommand(): Command {
  return { help: HELP, options: {}, run: runApiServer };
}

async function runApiServer(parameters: readonly string[], host: CommandHost): Promise<number> {
  const flags = readFlags(parameters, API_SERVER_FLAGS, WORDS);
  if (flags.has('version')) {
    host.stdout.write(`Kubernetes ${serverVersion(NEWEST_MINOR).gitVersion}\n`);
    return EXIT.ok;
  }
  const options = await apiServerOptions(flags, host.runtime);
  const unused = unusedFlags(flags);
  if (unused.length > 0) {
    host.stderr.write(`kube-apiserver: without effect here: ${unused.join(', ')}\n`);
  }
  return await runServer(options, host);
}

function unusedFlags(flags: Flags): readonly string[] {
  return [...flags.keys()]
    .filter((name) => USED[name] === undefined && !EXPECTED.has(name))
    .map((name) => `--${name}`);
}
