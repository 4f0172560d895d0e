import { rm, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { ApiServer } from '../../cluster/server/api-server.ts';
import { clusterKinds } from '../../cluster/metrics/metrics-kinds.ts';
import type { ApiServerOptions } from '../../server/api/api-server-options.ts';
import type { RequestRecord } from '../../server/api/port/request-record.ts';
import { isLoopback } from '../../kernel/failure/loopback.ts';
import type { EncryptionConfiguration } from '../../server/storage/encryption/configuration/encryption-configuration.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { CommandHost } from '../contract/command.ts';
import { applyManifests } from '../manifests/apply-manifests.ts';
import { readManifestFiles } from '../manifests/manifest-files.ts';
import { countOf } from '../terminal/shown-text.ts';
import { AuditFile } from './audit-file.ts';
import { withNpxLine } from './npx-line.ts';
import type { ReadyReport } from './ready-line.ts';
import { requestVerb } from './request-verb.ts';
import type { ServerClients } from './server-clients.ts';
import { serveLogger } from './serve-logger.ts';
import { type ServeOptions, TOKEN_VARIABLE } from './serve-options.ts';
import { openServerStore } from './open-server-store.ts';
import type { ServerStore } from './server-store.ts';
import { storedAccountKey } from './account-key.ts';
import { keepAuthority, readTlsFiles, tlsProblem } from './serve-tls.ts';

/** The user of a kubeconfig with a client certificate. */
const USER = 'listwatch:admin';
const GROUPS = ['system:masters'];
/** The packages that an encryption configuration may need. */
const ENCRYPTION_PEERS = ['@noble/ciphers', '@grpc/grpc-js'] as const;

/** One run of `listwatch serve`: start, stop, and in every case release. */
export class ServerRun {
  readonly #serve: ServeOptions;
  readonly #host: CommandHost;
  readonly #logger: Logger;
  #audit: AuditFile | undefined;
  #encryption: EncryptionConfiguration | undefined;
  #store: ServerStore | undefined;
  #server: ApiServer | undefined;
  #clients: ServerClients | undefined;
  #wasReachable = false;
  /** A kubeconfig below the home directory, which goes with the run. */
  #ownKubeconfig: string | undefined;

  constructor(serve: ServeOptions, host: CommandHost) {
    this.#serve = serve;
    this.#host = host;
    this.#logger = serveLogger(host, serve.verbose);
  }

  /**
   * Resolves when clients can connect and the manifests are applied. With a state in memory, whose start has nothing to reach,
   * the first request or `finishStart` starts the server.
   * @throws {UsageError}; {ListwatchError} of the part that cannot start; the reason of the signal.
   */
  async start(): Promise<ReadyReport> {
    const { manifests: folder, audit } = this.#serve;
    const { signal, runtime } = this.#host;
    const logger = this.#logger;
    // Everything that can be wrong is read before the port is taken and the state is changed.
    const token = await serverToken(this.#serve, this.#host.env);
    const tls = await readTlsFiles(this.#serve.tls);
    const serviceAccountKey = await storedAccountKey(this.#serve.tls.dir);
    const manifests = folder === undefined ? [] : await readManifestFiles(folder);
    const encryption = await this.#loadEncryption();
    if (audit !== undefined) this.#audit = await AuditFile.open(audit, { logger });
    const serve = this.#serve;
    const fixedToken = token !== undefined;
    this.#store = await openServerStore({ serve, fixedToken, runtime, logger });
    logger.info('state', { store: this.#store.description });
    signal.throwIfAborted();
    const { keyValueStore } = this.#store;
    const onRequest = this.#requestHook();
    const { authorization, version, allowPrivileged, controllers } = this.#serve;
    const { unsafeObjectDeletion, featureGates } = this.#serve;
    const { serviceAccountAdmission = controllers.has('service-account') } = this.#serve;
    const given = {
      runtime,
      logger,
      token,
      keyValueStore,
      onRequest,
      tls,
      ...encryptionOptions(encryption),
    };
    const access = { authorization, serviceAccountAdmission, serviceAccountKey };
    const kinds = clusterKinds(controllers);
    const rules = { kinds, version, allowPrivileged, unsafeObjectDeletion, featureGates };
    const server = this.#newServer({ ...given, ...access, ...rules });
    this.#server = server;
    await keepAuthority(this.#serve.tls, server);
    await this.#listen(server);
    if (folder !== undefined) {
      // Pods need their accounts.
      await this.#startClients(server);
      await applyManifests(manifests, { handler: server.handler, runtime, signal });
      this.#say(`${countOf(manifests.length, 'object')} of ${folder} applied`);
    }
    const address = `https://${new URL(server.url).host}`;
    const kubeconfig = await this.#writeKubeconfig(server);
    return { address, kubeconfig, controllers: [...controllers] };
  }

  /**
   * Starts the server before its first request, and its clients; resolves too when the signal aborts.
   * @throws {ListwatchError} of the part that cannot start.
   */
  async finishStart(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const { signal } = this.#host;
    try {
      await this.#untilStopped(server, server.start());
      await this.#startClients(server);
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
    }
  }

  /** Ends watches, lets other requests finish and keeps the state. @throws {ListwatchError} SNAPSHOT_FILE. */
  async close(): Promise<void> {
    await this.#clients?.[Symbol.asyncDispose]();
    await this.#server?.close();
    const kept = await this.#store?.keep();
    this.#say(kept === undefined ? 'stopped' : `stopped; ${kept}`);
  }

  /** Releases everything, also after a start or a stop that failed. */
  async release(): Promise<void> {
    await this.#clients?.[Symbol.asyncDispose]();
    await this.#server?.close();
    await this.#store?.close({ unused: !this.#wasReachable });
    this.#encryption?.destroy();
    await this.#audit?.close();
    if (this.#ownKubeconfig !== undefined) await rm(this.#ownKubeconfig, { force: true });
  }

  #newServer(options: ApiServerOptions): ApiServer {
    try {
      return new ApiServer(options);
    } catch (error) {
      throw tlsProblem(error, this.#serve.tls);
    }
  }

  /** A start repeats its writes to a store that does not answer; a stop ends that. @throws the reason of the signal. */
  async #untilStopped(server: ApiServer, started: Promise<void>): Promise<void> {
    const { signal } = this.#host;
    const release = onAbort(signal, () => {
      // `close` and `release` wait for it, and report its failure.
      void server.close().catch(() => {});
    });
    try {
      await started;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      release();
    }
    signal.throwIfAborted();
  }

  async #startClients(server: ApiServer): Promise<void> {
    const { controllers, nodes } = this.#serve;
    const { runtime } = this.#host;
    // Loaded when the port is open: the first answer needs no client.
    const { ServerClients: Clients } = await import('./server-clients.ts');
    this.#clients ??= new Clients({ server, controllers, nodes, runtime, logger: this.#logger });
    await this.#clients.start();
  }

  #say(text: string): void {
    this.#host.stderr.write(`listwatch: ${text}\n`);
  }

  async #loadEncryption(): Promise<EncryptionConfiguration | undefined> {
    const { encryptionConfig: file } = this.#serve;
    if (file === undefined) return undefined;
    const { runtime } = this.#host;
    const { EncryptionConfiguration: Configuration } = await import(
      '../../server/storage/encryption/configuration/encryption-configuration.ts'
    );
    try {
      this.#encryption = await Configuration.load(file, { runtime, logger: this.#logger });
      return this.#encryption;
    } catch (error) {
      const missing = ENCRYPTION_PEERS.filter((name) => errorMessage(error).includes(name));
      throw withNpxLine(error, missing, `--encryption-config ${file}`);
    }
  }

  #requestHook(): ((record: RequestRecord) => void) | undefined {
    const audit = this.#audit;
    const { verbose } = this.#serve;
    if (audit === undefined && !verbose) return undefined;
    return (record) => {
      audit?.add(record);
      if (!verbose) return;
      const { method, url, status, durationMs } = record;
      const [path = ''] = url.split('?', 1);
      const verb = requestVerb(method, url);
      this.#logger.info('request', { verb, path, status, durationMs: Math.round(durationMs) });
    };
  }

  async #listen(server: ApiServer): Promise<void> {
    const { port, bind: host, encryptionConfig } = this.#serve;
    // A store or a key service that cannot be reached has to be seen before the ready line.
    const lazy = this.#store?.keyValueStore === undefined && encryptionConfig === undefined;
    try {
      await this.#untilStopped(server, server.listen({ host, port, lazy }));
    } catch (error) {
      throw listenProblem(error, this.#serve);
    }
    this.#wasReachable = true;
    if (isLoopback(host)) return;
    this.#logger.warn(
      'the server is reachable from other machines: every client with the token may read and change everything',
      { host },
    );
  }

  async #writeKubeconfig(server: ApiServer): Promise<string> {
    const { kubeconfig } = this.#serve;
    if (kubeconfig === undefined && this.#host.homeDir === '') {
      throw new UsageError(
        'there is no home directory for the kubeconfig: set HOME, or name a file with --kubeconfig',
      );
    }
    const folder = join(this.#host.homeDir, '.listwatch');
    const path = kubeconfig ?? join(folder, `kubeconfig-${new URL(server.url).port}`);
    try {
      if (kubeconfig === undefined) {
        await makeFolders(folder, { mode: 0o700 });
        this.#ownKubeconfig = path;
      }
      const clientCertificate = this.#serve.clientCertificate
        ? server.issueClientCertificate({ user: USER, groups: GROUPS })
        : undefined;
      await server.writeKubeconfig(path, { clientCertificate });
    } catch (error) {
      // A file of other clusters stays.
      this.#ownKubeconfig = undefined;
      // The remedy of the command in place of that of the class.
      const cause = isListwatchError(error, 'KUBECONFIG_FILE') ? error.cause : error;
      throw new UsageError(
        `the kubeconfig ${path} cannot be written; name another file with --kubeconfig: ${errorMessage(cause)}`,
      );
    }
    return path;
  }
}

function encryptionOptions(
  encryption: EncryptionConfiguration | undefined,
): Pick<ApiServerOptions, 'transformerFor' | 'healthChecks'> {
  if (encryption === undefined) return {};
  return {
    transformerFor: (resource) => encryption.transformerFor(resource),
    healthChecks: encryption.healthChecks(),
  };
}

/** The remedies of the command in place of those of the class. */
function listenProblem(error: unknown, { port, bind }: ServeOptions): unknown {
  if (isListwatchError(error, 'PORT_IN_USE')) {
    const message = `port ${port} on ${bind} is taken by another process; give another with --port, or --port 0 for a free one`;
    return new ListwatchError('PORT_IN_USE', message, { cause: error });
  }
  if (isListwatchError(error, 'LISTEN_FAILED')) {
    const message = `cannot listen on ${bind} port ${port}: ${errorMessage(error.cause)}; --bind must be an address of this machine`;
    return new ListwatchError('LISTEN_FAILED', message, { cause: error });
  }
  return error;
}

/**
 * The token from the option, its file or the environment; undefined: the server makes one.
 * @throws {UsageError} naming its source, and never the token.
 */
async function serverToken(
  { token, tokenFile }: Pick<ServeOptions, 'token' | 'tokenFile'>,
  env: CommandHost['env'],
): Promise<string | undefined> {
  if (token !== undefined) return checked(token, '--token');
  if (tokenFile !== undefined) {
    return checked((await textOf(tokenFile)).trim(), `--token-file ${tokenFile}`);
  }
  const given = env[TOKEN_VARIABLE];
  return given ? checked(given, TOKEN_VARIABLE) : undefined;
}

/** The rule of the server, with the name of the source. */
function checked(token: string, source: string): string {
  if (token.length >= 16 && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    `${source} must have at least 16 characters, all of them printable ASCII without spaces`,
  );
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--token-file ${file} cannot be read: ${errorMessage(error)}`);
  }
}
