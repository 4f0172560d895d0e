import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { errorMessage, ListwatchError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import { rejectUnknownOptions } from '../../kernel/options.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { tokenCredentials, type TokenSource } from '../transport/request-credentials.ts';
import type { TlsOptions } from '../transport/contract/tls-options.ts';
import { ambientEnvironment } from './ambient-environment.ts';
import { ConnectionConfig } from './contract/connection-config.ts';
import { inClusterConnection, SERVICE_ACCOUNT_DIRECTORY } from './in-cluster.ts';
import { kubeconfigConnection } from './kubeconfig/kubeconfig-connection.ts';
import { Kubeconfig } from './kubeconfig/kubeconfig.ts';

export interface LoadConfigOptions {
  /** The server's address. With it, no kubeconfig is read. */
  readonly server?: string | undefined;
  /** Replaces the credentials that were found. */
  readonly token?: TokenSource | undefined;
  /** Replaces the TLS settings that were found, field by field. */
  readonly tls?: TlsOptions | undefined;
  /** Path of a kubeconfig file. */
  readonly kubeconfig?: string | undefined;
  /** @defaultValue the kubeconfig's current-context */
  readonly context?: string | undefined;
  /** @defaultValue the namespace of the context or of the pod, otherwise 'default' */
  readonly namespace?: string | undefined;
  /**
   * Environment variables: KUBECONFIG, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and POD_NAMESPACE are read.
   * @defaultValue those of the process
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The directory that contains `.kube/config`. @defaultValue the home directory of the process's user */
  readonly homeDir?: string | undefined;
  /** The directory of a pod's service account. @defaultValue '/var/run/secrets/kubernetes.io/serviceaccount' */
  readonly serviceAccountDirectory?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

export const LOAD_CONFIG_OPTIONS: readonly (keyof LoadConfigOptions)[] = [
  'server',
  'token',
  'tls',
  'kubeconfig',
  'context',
  'namespace',
  'env',
  'homeDir',
  'serviceAccountDirectory',
  'runtime',
  'logger',
];

/**
 * Finds the server address and the credentials. It uses the first of: the options; the files that KUBECONFIG names or, without
 * it, `~/.kube/config`; the service account of the pod.
 *
 * KUBECONFIG replaces `~/.kube/config` even if none of its files exists, as with kubectl, so that requests never go to the
 * cluster of the other file by accident.
 * @throws {ListwatchError} code CONFIG_NOT_FOUND naming all places that were searched; CONFIG_INVALID; CONFIG_UNSUPPORTED.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ConnectionConfig> {
  rejectUnknownOptions('loadConfig', options, LOAD_CONFIG_OPTIONS);
  const found = await find(options);
  return new ConnectionConfig({
    server: found.server,
    source: found.source,
    namespace: options.namespace ?? found.namespace,
    credentials: options.token === undefined ? found.credentials : tokenCredentials(options.token),
    impersonate: found.impersonate,
    proxy: found.proxy,
    tls: { ...found.tls, ...options.tls },
  });
}

async function find(options: LoadConfigOptions): Promise<ConnectionConfig> {
  const { server, kubeconfig, context } = options;
  if (server !== undefined) {
    if (kubeconfig !== undefined || context !== undefined) {
      throw new ListwatchError(
        'INVALID_OPTION',
        'loadConfig: option "server" excludes "kubeconfig" and "context"; give one or the other',
      );
    }
    return new ConnectionConfig({ server, namespace: 'default', source: 'the option "server"' });
  }
  if (kubeconfig !== undefined) {
    const config = await readKubeconfig(kubeconfig);
    if (config !== undefined) return await kubeconfigConnection(config, options);
    throw notFound([`${kubeconfig} (the option "kubeconfig"; no such file)`]);
  }
  return await search(options);
}

async function search(options: LoadConfigOptions): Promise<ConnectionConfig> {
  const ambient = ambientEnvironment();
  const env = options.env ?? ambient.env;
  const homeDir = options.homeDir ?? ambient.homeDir;
  const looked: string[] = [];

  const listed = [...new Set((env['KUBECONFIG'] ?? '').split(delimiter))].filter(Boolean);
  const paths = listed.length > 0 ? listed : [join(homeDir, '.kube', 'config')];
  const configs: Kubeconfig[] = [];
  for (const path of paths) {
    const config = await readKubeconfig(path);
    if (config === undefined) {
      looked.push(
        `${path}${listed.length > 0 ? ' (from KUBECONFIG; no such file)' : ' (no such file)'}`,
      );
    } else configs.push(config);
  }
  if (configs.length > 0) return await kubeconfigConnection(Kubeconfig.merge(configs), options);

  const { serviceAccountDirectory: directory, context, runtime, logger } = options;
  if (context !== undefined) throw notFound(looked);
  const pod = await inClusterConnection({ env, directory, runtime, logger });
  if (pod !== undefined) return pod;
  looked.push(
    `${directory ?? SERVICE_ACCOUNT_DIRECTORY} (KUBERNETES_SERVICE_HOST is not set, so this is not a pod)`,
  );
  throw notFound(looked);
}

/** Returns undefined when the file does not exist. */
async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ListwatchError(
      'CONFIG_INVALID',
      `${path}: it cannot be read: ${errorMessage(error)}`,
      { cause: error },
    );
  }
  return Kubeconfig.parse(text, path);
}

function notFound(looked: readonly string[]): ListwatchError {
  return new ListwatchError(
    'CONFIG_NOT_FOUND',
    `no API server to connect to. Looked at: ${looked.join('; ')}. ` +
      'Give the option "server" or "kubeconfig", or set KUBECONFIG',
  );
}
