import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, ListwatchError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { tokenCredentials } from '../transport/request-credentials.ts';
import { ConnectionConfig } from './contract/connection-config.ts';
import { bearerText } from './credentials/bearer-text.ts';
import { tokenFile } from './credentials/token-file.ts';

export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @defaultValue '/var/run/secrets/kubernetes.io/serviceaccount' */
  readonly directory?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * The service account of the pod in which this process runs; undefined outside a pod.
 * @throws {ListwatchError} code CONFIG_INVALID when the pod has no usable service account.
 * @see client-go rest/config.go InClusterConfig @ 32ce75a7
 */
export async function inClusterConnection(
  options: InClusterOptions,
): Promise<ConnectionConfig | undefined> {
  const { env, runtime, logger } = options;
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) return undefined;

  const directory = options.directory ?? SERVICE_ACCOUNT_DIRECTORY;
  const token = bearerText(tokenFile(join(directory, 'token'), { runtime, logger }));
  await token();
  return new ConnectionConfig({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    credentials: tokenCredentials(token),
    tls: { ca: await readText(join(directory, 'ca.crt')) },
    namespace: env['POD_NAMESPACE'] || (await namespaceOf(directory)),
    source: `the service account in ${directory}`,
  });
}

async function namespaceOf(directory: string): Promise<string> {
  try {
    return (await readText(join(directory, 'namespace'))).trim() || 'default';
  } catch {
    // Projected volumes may lack this file.
    return 'default';
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ListwatchError(
      'CONFIG_INVALID',
      `${path}: it cannot be read: ${errorMessage(error)}; is automountServiceAccountToken off?`,
      { cause: error },
    );
  }
}
