import { ListwatchError } from '../../kernel/failure/errors.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { guardedLogger } from '../../kernel/report/guarded-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { Credential, type CredentialSource } from '../transport/contract/credential.ts';
import type { Impersonation } from '../transport/contract/impersonation.ts';
import type { TlsOptions } from '../transport/contract/tls-options.ts';
import { tokenCredentials, type TokenSource } from '../transport/request-credentials.ts';
import { ambientEnvironment, type Environment } from './ambient-environment.ts';
import { ConnectionConfig } from './contract/connection-config.ts';
import { combined } from './credentials/combined.ts';
import { constantCredential } from './credentials/constant.ts';
import type { AllowExec } from './credentials/exec/allow-exec.ts';
import { isMissingFile } from './credentials/read-text-file.ts';
import { inClusterConnection, SERVICE_ACCOUNT_DIRECTORY } from './in-cluster.ts';
import {
  kubeconfigConnection,
  type KubeconfigConnectionOptions,
} from './context/kubeconfig-connection.ts';
import type { KubeconfigSource } from './kubeconfig/kubeconfig-source.ts';
import { mergedKubeconfig, type Kubeconfig } from './kubeconfig/kubeconfig.ts';
import {
  kubeconfigPaths,
  readKubeconfigFile,
  readKubeconfigSource,
} from './kubeconfig/read-kubeconfig.ts';
import { proxyOf } from './proxy-environment.ts';

export interface LoadConfigOptions {
  /** The server's address. With it, no kubeconfig is read. */
  readonly server?: string | undefined;
  /** Replaces the credentials that were found. */
  readonly token?: TokenSource | undefined;
  /** Replaces the TLS settings that were found, field by field. */
  readonly tls?: TlsOptions | undefined;
  /**
   * The URL of the proxy, for example `http://user:password@proxy.example:3128`; `false` for none.
   * @defaultValue `proxy-url` of the cluster, otherwise the proxy of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, unless NO_PROXY names
   * the server
   */
  readonly proxy?: string | false | undefined;
  /** Replaces the identity under which the server carries out requests. */
  readonly impersonate?: Impersonation | undefined;
  /**
   * The path of a kubeconfig file, its URL (`file:`), its text as `{ text }`, or its content as an object; also a `KubeConfig` of
   * `@kubernetes/client-node`.
   *
   * A kubeconfig from elsewhere is as trusted as the program: it names files that are read, and servers that get their content.
   */
  readonly kubeconfig?: KubeconfigSource | undefined;
  /** @defaultValue the kubeconfig's current-context */
  readonly context?: string | undefined;
  /** The name of a cluster in the kubeconfig. @defaultValue the cluster of the context */
  readonly cluster?: string | undefined;
  /** The name of a user in the kubeconfig. @defaultValue the user of the context */
  readonly user?: string | undefined;
  /** @defaultValue the namespace of the context or of the pod, otherwise 'default' */
  readonly namespace?: string | undefined;
  /**
   * Which exec plug-ins of a kubeconfig may run: all, none, or those of a list of names and absolute paths.
   * @defaultValue all of a file; none of a kubeconfig that is passed as text or object
   */
  readonly allowExec?: AllowExec | undefined;
  /**
   * Whether tokens of an `auth-provider` that were refreshed are written back to the kubeconfig, as kubectl does, for other
   * programs. @defaultValue false: they stay in memory
   */
  readonly persistTokens?: boolean | undefined;
  /**
   * Environment variables: KUBECONFIG, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, POD_NAMESPACE, HTTPS_PROXY, HTTP_PROXY,
   * ALL_PROXY and NO_PROXY are read; exec plug-ins get them.
   * @defaultValue those of the process
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The directory that contains `.kube/config`. @defaultValue the home directory of the process's user */
  readonly homeDir?: string | undefined;
  /** The directory of a pod's service account. @defaultValue '/var/run/secrets/kubernetes.io/serviceaccount' */
  readonly serviceAccountDirectory?: string | undefined;
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger: warnings and errors, on standard error */
  readonly logger?: Logger | undefined;
}

export const LOAD_CONFIG: OptionsSchema<LoadConfigOptions> = optionsOf<LoadConfigOptions>()(
  'loadConfig',
  {
    server: is.anything(),
    token: is.anything(),
    tls: is.object(),
    proxy: is.anything(),
    impersonate: is.object(),
    kubeconfig: is.anything(),
    context: is.anything(),
    cluster: is.anything(),
    user: is.anything(),
    namespace: is.anything(),
    allowExec: is.anything(),
    persistTokens: is.flag(),
    env: is.object(),
    homeDir: is.text(),
    serviceAccountDirectory: is.text(),
    runtime: is.object(),
    logger: LOGGER,
  },
);

/**
 * Finds the server address and the credentials. It uses the first of: the options; the files that KUBECONFIG names or, without
 * it, `~/.kube/config`; the service account of the pod.
 *
 * KUBECONFIG replaces `~/.kube/config` even if none of its files exists, as with kubectl, so that requests never go to the
 * cluster of the other file by accident. Of several files, the first one with an entry of a name counts, and missing files are
 * left out with a warning. Files without a current context give way to the service account of a pod; a kubeconfig that is
 * given as an option never does.
 * @throws {ListwatchError} code CONFIG_NOT_FOUND naming all places that were searched; CONFIG_INVALID; CONFIG_UNSUPPORTED;
 * CREDENTIAL_PLUGIN_REFUSED; INVALID_OPTION.
 * @see client-go tools/clientcmd/loader.go, merged_client_builder.go @ 32ce75a7
 */
export async function loadConfig(given: LoadConfigOptions = {}): Promise<ConnectionConfig> {
  LOAD_CONFIG.read(given);
  const options = { ...given, logger: guardedLogger(given.logger ?? consoleLogger) };
  const found = await find(options);
  return new ConnectionConfig({
    server: found.server,
    source: found.source,
    entries: found.entries,
    namespace: options.namespace ?? found.namespace,
    credentials: credentialsOf(options, found),
    impersonate: options.impersonate ?? found.impersonate,
    proxy: proxyFor(found.server, options, found.proxy),
    disableCompression: found.disableCompression,
    tls: { ...found.tls, ...withValue(options.tls) },
  });
}

/** The proxy of an address: that of the option, of the kubeconfig, or of the environment. */
function proxyFor(address: string, options: LoadConfigOptions, named?: string): string | undefined {
  if (options.proxy === false) return undefined;
  return options.proxy ?? named ?? proxyOf(address, environmentOf(options).env)?.url;
}

/** The settings that have a value. */
function withValue(tls: TlsOptions = {}): TlsOptions {
  return Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
}

/** The token and the certificate of the options come before those that were found. */
function credentialsOf(
  { token, tls }: LoadConfigOptions,
  found: ConnectionConfig,
): CredentialSource | undefined {
  const header = token === undefined ? found.credentials : tokenCredentials(token);
  if (tls?.cert === undefined || header === undefined) return header;
  const source = 'the client certificate of the option "tls"';
  const certificate = new Credential({ cert: tls.cert, key: tls.key, source });
  return combined([constantCredential(certificate), header]);
}

/** Options that choose from a kubeconfig. */
const OF_KUBECONFIG = [
  'kubeconfig',
  'context',
  'cluster',
  'user',
  'allowExec',
  'persistTokens',
] as const;
/** Those of them that say how, and not which. */
const HOW: ReadonlySet<string> = new Set(['allowExec', 'persistTokens']);

async function find(options: LoadConfigOptions): Promise<ConnectionConfig> {
  const { server, kubeconfig } = options;
  if (server !== undefined) {
    for (const name of OF_KUBECONFIG) {
      if (options[name] === undefined) continue;
      const problem = `option "server" excludes "${name}"; give one or the other`;
      throw new ListwatchError('INVALID_OPTION', `loadConfig: ${problem}`);
    }
    return new ConnectionConfig({ server, namespace: 'default', source: 'the option "server"' });
  }
  if (kubeconfig === undefined) return await search(options);
  const { runtime = realRuntime } = options;
  let config: Kubeconfig;
  try {
    config = await readKubeconfigSource(kubeconfig, runtime);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const path = kubeconfig instanceof URL ? kubeconfig.href : (kubeconfig as string);
    throw notFound([`${path} (the option "kubeconfig"; no such file${tildeHint(path)})`]);
  }
  return await kubeconfigConnection(config, connectionOptions(options));
}

async function search(options: LoadConfigOptions): Promise<ConnectionConfig> {
  const { env, homeDir } = environmentOf(options);
  const { paths, variable } = kubeconfigPaths(env, homeDir);
  const { config, missing } = await readFiles(paths, options);
  const looked = missing.map((path) => {
    const origin = variable === undefined ? '' : `from ${variable}; `;
    return `${path} (${origin}no such file${tildeHint(path)})`;
  });
  if (config !== undefined && isChosen(config, options)) {
    if (missing.length > 0) {
      options.logger?.warn('some files of KUBECONFIG do not exist', { missing: looked.join('; ') });
    }
    return await kubeconfigConnection(config, connectionOptions(options));
  }
  if (paths.length === 0) {
    looked.push(
      variable === undefined
        ? '~/.kube/config (HOME is not set, and the system names no home directory)'
        : 'KUBECONFIG (it has separators only)',
    );
  }
  if (config !== undefined) {
    looked.push(...config.files.map((file) => `${file} (it has no current-context)`));
  }
  return await searchPod(options, looked, config);
}

/** Whether kubectl would use the files in a pod too. */
function isChosen(config: Kubeconfig, { context, cluster }: LoadConfigOptions): boolean {
  return config.currentContext !== undefined || context !== undefined || cluster !== undefined;
}

async function searchPod(
  options: LoadConfigOptions,
  looked: readonly string[],
  config: Kubeconfig | undefined,
): Promise<ConnectionConfig> {
  const { serviceAccountDirectory: directory, runtime, logger } = options;
  if (OF_KUBECONFIG.some((name) => options[name] !== undefined && !HOW.has(name))) {
    throw notFound(looked);
  }
  const { env } = environmentOf(options);
  const pod = await inClusterConnection({ env, directory, runtime, logger });
  if (pod !== undefined) {
    if (config?.isEmpty === false) {
      logger?.warn('the kubeconfig has no current-context; the service account is used', {
        files: config.files.join(', '),
      });
    }
    return pod;
  }
  // It has entries to choose from, and says so.
  if (config?.isEmpty === false) {
    return await kubeconfigConnection(config, connectionOptions(options));
  }
  const place = directory ?? SERVICE_ACCOUNT_DIRECTORY;
  const noPod = `${place} (KUBERNETES_SERVICE_HOST is not set, so this is not a pod)`;
  throw notFound([...looked, noPod]);
}

interface ReadFiles {
  /** The files merged; undefined if there is none. */
  readonly config: Kubeconfig | undefined;
  readonly missing: readonly string[];
}

async function readFiles(
  paths: readonly string[],
  { runtime = realRuntime }: LoadConfigOptions,
): Promise<ReadFiles> {
  const configs: Kubeconfig[] = [];
  const missing: string[] = [];
  for (const path of paths) {
    try {
      configs.push(await readKubeconfigFile(path, runtime));
    } catch (error) {
      if (!isMissingFile(error)) throw error;
      missing.push(path);
    }
  }
  return { config: configs.length === 0 ? undefined : mergedKubeconfig(configs), missing };
}

function environmentOf(options: LoadConfigOptions): Environment {
  const ambient = ambientEnvironment();
  const { env = ambient.env, homeDir = ambient.homeDir } = options;
  return { ...ambient, env, homeDir };
}

function connectionOptions(options: LoadConfigOptions): KubeconfigConnectionOptions {
  const { context, cluster, user, allowExec, persistTokens, token, runtime } = options;
  const environment = environmentOf(options);
  return {
    context,
    cluster,
    user,
    allowExec,
    persistTokens,
    environment,
    runtime,
    logger: options.logger ?? consoleLogger,
    hasCredentials: token !== undefined,
    proxyFor: (address) => proxyFor(address, options),
  };
}

/** Shells replace "~"; variables in service files and options in code are taken as they are. */
function tildeHint(path: string): string {
  return path.startsWith('~') ? '; "~" is not replaced here, write the home directory' : '';
}

function notFound(looked: readonly string[]): ListwatchError {
  return new ListwatchError(
    'CONFIG_NOT_FOUND',
    `no API server to connect to. Looked at: ${looked.join('; ')}. ` +
      'Give the option "server" or "kubeconfig", or set KUBECONFIG',
  );
}
