import { join } from 'node:path';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { ConnectionConfig } from './contract/connection-config.ts';
import { authorityFile } from './credentials/authority-file.ts';
import { isMissingFile, readTextFile } from './credentials/read-text-file.ts';
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
 * Token and authority are read again when their files change.
 * @throws {ListwatchError} code CONFIG_INVALID when the pod has no usable service account. An authority that cannot be parsed is
 * an error too; upstream logs it and trusts the authorities of the machine.
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
  const path = join(directory, 'token');
  const source = `the token of the service account in ${path}`;
  const credentials = tokenFile(path, { runtime, logger, source });
  const caPath = join(directory, 'ca.crt');
  const ca = authorityFile(caPath, { runtime, logger });
  await mounted(path, async () => await credentials.current());
  await mounted(caPath, async () => await ca());
  return new ConnectionConfig({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    credentials,
    tls: { ca },
    namespace: env['POD_NAMESPACE'] || (await namespaceOf(directory, runtime)),
    source: `the service account in ${directory}`,
  });
}

/** Reads a file of the service account. */
async function mounted(path: string, read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const remedy = 'set automountServiceAccountToken: true for the pod';
    throw new ListwatchError('CONFIG_INVALID', `${path}: there is no such file; ${remedy}`, {
      cause: error,
    });
  }
}

/** A namespace has at most 63 characters. */
const LARGEST_NAMESPACE_BYTES = 1024;

async function namespaceOf(directory: string, runtime: Runtime = realRuntime): Promise<string> {
  try {
    const options = { largestBytes: LARGEST_NAMESPACE_BYTES, runtime };
    return (await readTextFile(join(directory, 'namespace'), options)).trim() || 'default';
  } catch {
    // Projected volumes may lack this file.
    return 'default';
  }
}
