import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { ambientEnvironment } from '../../client/config/ambient-environment.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import {
  KUBECONFIG,
  type ClientCertificateOptions,
  type KubeconfigOptions,
} from '../../server/api/api-server-options.ts';
import {
  CertificateAuthority,
  type Certificate,
} from '../../kernel/certificates/certificate-authority.ts';
import { writeKubeconfig } from '../../server/api/kubeconfig-writer.ts';
import { apiServerFlags, etcdFlags } from './server-flags.ts';
import { probe } from './probe.ts';
import type { RunningApiServer, RunningServerAddress } from './running-api-server.ts';
import { serverBinaries, type ServerBinaries } from './server-binaries.ts';
import { ServerProcess } from './server-process.ts';

export interface RealApiServerOptions {
  /**
   * The folder with the programs `kube-apiserver` and `etcd`. @defaultValue the environment variable KUBEBUILDER_ASSETS, and without it
   * `/usr/local/kubebuilder/bin`, as for envtest
   */
  readonly binaries?: string | undefined;
  /** The path of an etcd that is not in that folder. */
  readonly etcd?: string | undefined;
  /** The addresses of an etcd that runs already; it stays when the server ends. @defaultValue one is started, and is empty */
  readonly etcdServers?: readonly string[] | undefined;
  /** Further flags of kube-apiserver, `--name=value`; one that is set here anyway is replaced. @defaultValue none */
  readonly flags?: readonly string[] | undefined;
  /** The authority of its certificates, from `storedAuthority` of an `ApiServer`, so that clients keep their trust. @defaultValue a new one */
  readonly authority?: Certificate | undefined;
  /** The folder for keys, logs and the data of etcd; it stays. @defaultValue a temporary one, removed by `close` */
  readonly folder?: string | undefined;
  /** Longest wait for each program to be ready, milliseconds, 1 or more. @defaultValue 120 000 */
  readonly startTimeoutMs?: number | undefined;
  /** Time that each program gets to stop before it is killed, milliseconds, 0 or more. @defaultValue 20 000 */
  readonly stopTimeoutMs?: number | undefined;
  /** Ends the start. */
  readonly signal?: AbortSignal | undefined;
  /** @defaultValue the machine's clock and timers */
  readonly runtime?: Runtime | undefined;
}

const OWNER = 'startRealApiServer';
const AUTHORITY = 'listwatch real API server';
const OPTIONS = optionsOf<RealApiServerOptions>()(OWNER, {
  binaries: is.text(),
  etcd: is.text(),
  etcdServers: is.texts(),
  flags: is.texts(),
  authority: is.object(),
  folder: is.text(),
  startTimeoutMs: is.number({ min: 1 }).default(120_000),
  stopTimeoutMs: is.number({ min: 0 }).default(20_000),
  signal: is.abortSignal(),
  runtime: is.object(),
});
/** Another process may take a port between the choice and the start. */
const MOST_STARTS = 3;
const TAKEN = /address already in use/;
/** The groups that a real API server lets do everything. */
const ADMIN = 'admin,admin,"system:masters"';

interface Settings {
  readonly binaries: ServerBinaries;
  readonly folder: string;
  readonly ownFolder: boolean;
  readonly etcdServers: readonly string[] | undefined;
  readonly flags: readonly string[];
  readonly authority: Certificate | undefined;
  readonly startTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly runtime: Runtime;
}

/**
 * A kube-apiserver and an etcd as processes of this machine, for tests: `startRealApiServer` makes it. It has no controllers beside it, so
 * that, as with an `ApiServer`, no deleted namespace is ever empty, and there are no service accounts unless a test makes them.
 *
 * Guarantees:
 * - It listens on loopback only; its keys, tokens and logs are in a folder that only its owner can read.
 * - After `close` both processes are gone, and so is its temporary folder.
 *
 * Not guaranteed: that the processes end when this one is killed.
 */
export class RealApiServer implements RunningApiServer {
  readonly url: string;
  readonly token: string;
  /** Keys, data of etcd, and the logs `kube-apiserver.log` and `etcd.log`. */
  readonly folder: string;
  readonly #authority: CertificateAuthority;
  readonly #processes: readonly ServerProcess[];
  readonly #settings: Settings;
  #closed: Promise<void> | undefined;

  /** @internal Use `startRealApiServer`. */
  constructor(parts: {
    readonly url: string;
    readonly token: string;
    readonly authority: CertificateAuthority;
    readonly processes: readonly ServerProcess[];
    readonly settings: Settings;
  }) {
    this.url = parts.url;
    this.token = parts.token;
    this.folder = parts.settings.folder;
    this.#authority = parts.authority;
    this.#processes = parts.processes;
    this.#settings = parts.settings;
  }

  /** The authority of the server's certificate, PEM. */
  get certificateAuthority(): string {
    return this.#authority.certificate;
  }

  /** The options for `connect`. */
  clientConfig(): RunningServerAddress {
    return { server: this.url, token: this.token, tls: { ca: this.certificateAuthority } };
  }

  /** A certificate with which a client authenticates, valid for a year. The groups decide what it may do. */
  issueClientCertificate({ user, groups = [] }: ClientCertificateOptions): Certificate {
    const nowMs = this.#settings.runtime.wallMs();
    return this.#authority.issue({ usage: 'client', name: user, organizations: groups, nowMs });
  }

  /**
   * Writes a kubeconfig for kubectl and other clients, readable by its owner only.
   * @throws {ListwatchError} code INVALID_OPTION when the file contains other clusters; KUBECONFIG_FILE when it cannot be written.
   */
  async writeKubeconfig(path: string, options: KubeconfigOptions = {}): Promise<void> {
    KUBECONFIG.read(options);
    const { url: server, token, certificateAuthority } = this;
    const entry = { server, token, certificateAuthority, ...options };
    await writeKubeconfig(path, entry, this.#settings.runtime);
  }

  /** Stops the server, and then its etcd. May be called again. */
  async close(): Promise<void> {
    this.#closed ??= stopAll(this.#processes, this.#settings);
    await this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Starts a real API server, of binaries that are on this machine, behind the same interface as an `ApiServer` that listens.
 *
 * @example
 * await using server: RunningApiServer = await startRealApiServer({ binaries: 'bin' });
 * await using client = await connect(server.clientConfig());
 *
 * @throws {ListwatchError} code BINARIES_MISSING; PROGRAM_FAILED when a program ends before it is ready, with its last lines; TIMEOUT
 * naming what it waited for; INVALID_OPTION; the signal's reason.
 */
export async function startRealApiServer(
  options: RealApiServerOptions = {},
): Promise<RealApiServer> {
  const { startTimeoutMs, stopTimeoutMs, etcdServers, signal } = OPTIONS.read(options);
  const checked = { startTimeoutMs, stopTimeoutMs };
  const { env } = ambientEnvironment();
  const withoutEtcd = etcdServers !== undefined;
  const binaries = await serverBinaries({ ...options, env, withoutEtcd });
  for (let left = MOST_STARTS; ; left -= 1) {
    const settings: Settings = {
      binaries,
      ...(await folderOf(options.folder)),
      etcdServers,
      flags: options.flags ?? [],
      authority: options.authority,
      ...checked,
      signal,
      runtime: options.runtime ?? realRuntime,
    };
    const processes: ServerProcess[] = [];
    try {
      return await start(settings, processes);
    } catch (error) {
      const isTaken = processes.some(({ printed }) => TAKEN.test(printed));
      await stopAll(processes, settings);
      if (left <= 1 || !isTaken || !isListwatchError(error, 'PROGRAM_FAILED')) throw error;
    }
  }
}

async function folderOf(
  given: string | undefined,
): Promise<Pick<Settings, 'folder' | 'ownFolder'>> {
  if (given === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'listwatch-real-'));
    return { folder, ownFolder: true };
  }
  await mkdir(given, { recursive: true, mode: 0o700 });
  return { folder: resolve(given), ownFolder: false };
}

async function start(settings: Settings, processes: ServerProcess[]): Promise<RealApiServer> {
  const { binaries, folder, runtime, startTimeoutMs: timeoutMs, signal } = settings;
  const [port = 0, etcdPort = 0, peerPort = 0] = await freePorts(3);
  const run = (name: string, path: string, flags: readonly string[]): ServerProcess => {
    const log = join(folder, `${name}.log`);
    const keepsLog = !settings.ownFolder;
    const process = new ServerProcess({ path, flags, name, log, keepsLog, runtime });
    processes.push(process);
    return process;
  };
  const etcdServers = settings.etcdServers ?? [`http://127.0.0.1:${etcdPort}`];
  if (settings.etcdServers === undefined) {
    const ports = { client: etcdPort, peer: peerPort };
    const etcd = run('etcd', binaries.etcd, etcdFlags(join(folder, 'etcd'), ports));
    await etcd.whenReady(async () => await probe({ url: `${etcdServers[0]}/health` }), {
      timeoutMs,
      signal,
    });
  }
  const { authority, token } = await writeKeys(settings);
  const url = `https://127.0.0.1:${port}`;
  const flags = apiServerFlags({ folder, port, etcdServers, further: settings.flags });
  const server = run('kube-apiserver', binaries.apiServer, flags);
  const ca = authority.certificate;
  await server.whenReady(
    async () =>
      (await probe({ url: `${url}/readyz`, token, ca })) ??
      // A moment later than it says that it is ready.
      (await probe({ url: `${url}/api/v1/namespaces/default`, token, ca })),
    { timeoutMs, signal },
  );
  return new RealApiServer({ url, token, authority, processes, settings });
}

interface Keys {
  readonly authority: CertificateAuthority;
  readonly token: string;
}

async function writeKeys({ folder, runtime, authority: stored }: Settings): Promise<Keys> {
  const nowMs = runtime.wallMs();
  const name = stored === undefined ? AUTHORITY : commonNameOf(stored);
  const authority = new CertificateAuthority({ name, nowMs, stored });
  const hosts = ['127.0.0.1', 'localhost', 'kubernetes.default.svc', '10.96.0.1'];
  const server = authority.issue({ usage: 'server', name: 'kube-apiserver', hosts, nowMs });
  const accounts = authority.issue({ usage: 'client', name: 'service-accounts', nowMs });
  const token = randomBytes(24).toString('base64url');
  const files = {
    'ca.crt': authority.certificate,
    'server.crt': server.certificate,
    'server.key': server.privateKey,
    'accounts.key': accounts.privateKey,
    'accounts.pub': publicKeyOf(accounts),
    'tokens.csv': `${token},${ADMIN}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o600 });
  }
  return { authority, token };
}

/** @throws {ListwatchError} code INVALID_OPTION. */
function commonNameOf({ certificate }: Certificate): string {
  try {
    return new X509Certificate(certificate).subject.replace(/^CN=/, '');
  } catch (error) {
    const text = `${OWNER}: authority is no certificate: ${errorMessage(error)}; give what storedAuthority returns`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
}

function publicKeyOf({ privateKey }: Certificate): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

/** The last that was started is the first to stop. */
async function stopAll(processes: readonly ServerProcess[], settings: Settings): Promise<void> {
  for (const process of processes.toReversed()) await process.stop(settings.stopTimeoutMs);
  if (settings.ownFolder) await rm(settings.folder, { recursive: true, force: true });
}

/** Ports that are free on loopback, each another one. Another process may take one before it is used. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  // All are held until all are known, so that none is given twice.
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(
    servers.map(async (server) => {
      server.close();
      await once(server, 'close');
    }),
  );
  return ports;
}
