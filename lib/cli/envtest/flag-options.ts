import {
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
} from '../../meta/releases/kubernetes-releases.ts';
import { join } from 'node:path';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { Authorization } from '../../server/registry/contract/access-parts.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { ServeOptions } from '../serve/serve-options.ts';
import { dataDirAt } from './data-dir.ts';
import { switchedGates } from '../serve/feature-gate-flag.ts';
import { lastValue, listValue, type Flags } from './read-flags.ts';
import { access, writeFile } from 'node:fs/promises';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { CertificateAuthority } from '../../kernel/certificates/certificate-authority.ts';

/** The paths of a certificate and its key. */
interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
}

/**
 * The pair `apiserver.crt` and `apiserver.key` of a directory. If neither is there they are made, with the authority after the
 * leaf, so that clients that trust the file trust the server.
 * @throws {UsageError} when the directory cannot be written to.
 */
async function servingCertificate(
  dir: string,
  hosts: readonly string[],
  runtime: Pick<Runtime, 'wallMs'>,
): Promise<CertificatePaths> {
  const paths = { cert: join(dir, 'apiserver.crt'), key: join(dir, 'apiserver.key') };
  if ((await exists(paths.cert)) || (await exists(paths.key))) return paths;
  const nowMs = runtime.wallMs();
  const authority = new CertificateAuthority({ name: 'listwatch CA', nowMs });
  const leaf = authority.issue({ usage: 'server', name: 'kube-apiserver', hosts, nowMs });
  try {
    await makeFolders(dir, { mode: 0o700 });
    await writeFile(paths.key, leaf.privateKey, { mode: 0o600, flag: 'wx' });
    await writeFile(paths.cert, leaf.certificate + authority.certificate, { mode: 0o644 });
  } catch (error) {
    throw new UsageError(`--cert-dir ${dir} cannot be written: ${errorMessage(error)}`);
  }
  return paths;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

/** The options of a server of this package for the flags of kube-apiserver. @throws {UsageError} */
export async function apiServerOptions(flags: Flags, runtime: Runtime): Promise<ServeOptions> {
  const port = portOf(lastValue(flags, 'secure-port') ?? '6443');
  const bind = lastValue(flags, 'bind-address') ?? '127.0.0.1';
  const authorization = authorizationOf(listValue(flags, 'authorization-mode'));
  const version = emulatedVersion(lastValue(flags, 'emulated-version'));
  const allowPrivileged = switchOf(flags, 'allow-privileged', false);
  const dir = lastValue(flags, 'cert-dir');
  const certificate = await certificateOf(flags, bind, runtime);
  return {
    port,
    bind,
    kubeconfig: dir === undefined ? undefined : join(dir, 'listwatch.kubeconfig'),
    token: undefined,
    tokenFile: undefined,
    ...(await storeOf(flags, runtime)),
    tls: {
      cert: certificate?.cert,
      key: certificate?.key,
      clientCa: lastValue(flags, 'client-ca-file'),
      dir: undefined,
    },
    authorization,
    controllers: new Set(),
    serviceAccountAdmission: !listValue(flags, 'disable-admission-plugins').includes(
      'ServiceAccount',
    ),
    version,
    allowPrivileged,
    // Other gates are those of features that are always on here, or not there.
    ...switchedGates(listValue(flags, 'feature-gates'), 'ignore'),
    clientCertificate: false,
    manifests: undefined,
    audit: undefined,
    encryptionConfig: lastValue(flags, 'encryption-provider-config'),
    json: false,
    verbose: Number(lastValue(flags, 'v') ?? '0') >= 2,
  };
}

/** `1.36`, or `kube=1.36`. @throws {UsageError} for a version that the server does not have. */
function emulatedVersion(text: string | undefined): KubernetesVersion | undefined {
  const named = text?.replace(/^kube=/, '');
  const version = KUBERNETES_VERSIONS.find((one) => one === named);
  if (version !== undefined || text === undefined) return version;
  throw new UsageError(
    `--emulated-version is one of ${KUBERNETES_VERSIONS.join(', ')}, not ${JSON.stringify(text)}`,
  );
}

async function certificateOf(
  flags: Flags,
  bind: string,
  runtime: Runtime,
): Promise<CertificatePaths | undefined> {
  const cert = lastValue(flags, 'tls-cert-file');
  const key = lastValue(flags, 'tls-private-key-file');
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined || key !== undefined) {
    throw new UsageError('--tls-cert-file and --tls-private-key-file need each other; give both');
  }
  const dir = lastValue(flags, 'cert-dir');
  if (dir === undefined) return undefined;
  const hosts = new Set([bind, '127.0.0.1', 'localhost', 'kubernetes.default.svc', 'kubernetes']);
  return await servingCertificate(dir, [...hosts], runtime);
}

/** In memory, kept in the directory of the stand-in for etcd; or in a real etcd. */
async function storeOf(
  flags: Flags,
  runtime: Runtime,
): Promise<Pick<ServeOptions, 'etcd' | 'etcdFiles' | 'snapshot'>> {
  const servers = listValue(flags, 'etcd-servers');
  const [first] = servers;
  // The real one's words.
  if (first === undefined) throw new UsageError('--etcd-servers must be specified');
  const dir = await dataDirAt(first, runtime);
  const none = { ca: undefined, cert: undefined, key: undefined };
  if (dir !== undefined) {
    return { etcd: [], etcdFiles: none, snapshot: join(dir, 'listwatch.snapshot') };
  }
  const ca = lastValue(flags, 'etcd-cafile');
  const cert = lastValue(flags, 'etcd-certfile');
  const key = lastValue(flags, 'etcd-keyfile');
  return { etcd: servers, etcdFiles: { ca, cert, key }, snapshot: undefined };
}

/** Without the flag everything is allowed, as by the real one. Node is for kubelets, which are not here. */
function authorizationOf(modes: readonly string[]): Authorization {
  const isRbac = modes.includes('RBAC');
  const rest = modes.filter((mode) => mode !== 'RBAC' && mode !== 'Node');
  if (isRbac && rest.length === 0) return 'rbac';
  if (modes.length === 0 || (!isRbac && rest.every((mode) => mode === 'AlwaysAllow')))
    return 'always-allow';
  throw new UsageError(
    `--authorization-mode ${modes.join(',')} is not supported; give RBAC, or AlwaysAllow`,
  );
}

function switchOf(flags: Flags, name: string, otherwise: boolean): boolean {
  const text = lastValue(flags, name) ?? String(otherwise);
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw new UsageError(`--${name} must be true or false, not ${JSON.stringify(text)}`);
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(
    `--secure-port must be a number from 1 to 65535, not ${JSON.stringify(text)}`,
  );
}
