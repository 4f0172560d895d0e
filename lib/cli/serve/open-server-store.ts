import { readFile } from 'node:fs/promises';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { withNpxLine } from './npx-line.ts';
import type { EtcdFiles, ServeOptions } from './serve-options.ts';
import type { ServerStore } from './server-store.ts';
import { SnapshotStore } from './snapshot-store.ts';

export interface ServerStoreOptions {
  readonly serve: Pick<ServeOptions, 'etcd' | 'etcdFiles' | 'snapshot'>;
  /** Whether clients may have the token from an earlier run. */
  readonly fixedToken: boolean;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** @throws {UsageError} for files and addresses that cannot be used. @throws {ListwatchError} of the store. */
export async function openServerStore(options: ServerStoreOptions): Promise<ServerStore> {
  const { serve, fixedToken, runtime, logger } = options;
  if (serve.etcd.length > 0) return await openEtcd(options);
  if (serve.snapshot !== undefined) {
    return await SnapshotStore.open(serve.snapshot, { fixedToken, runtime, logger });
  }
  return {
    keyValueStore: undefined,
    description: 'in memory',
    keep: async () => undefined,
    close: async () => {},
  };
}

async function openEtcd({ serve, runtime, logger }: ServerStoreOptions): Promise<ServerStore> {
  const endpoints = serve.etcd;
  const tls = await tlsOf(serve.etcdFiles);
  const { EtcdKeyValueStore } = await import('../../server/etcd/etcd-key-value-store.ts');
  try {
    const store = await EtcdKeyValueStore.connect({ endpoints, tls, runtime, logger });
    return {
      keyValueStore: store,
      description: `in etcd at ${endpoints.join(', ')}`,
      keep: async () => undefined,
      close: async () => {
        await store.close();
      },
    };
  } catch (error) {
    if (isListwatchError(error, 'INVALID_OPTION')) throw new UsageError(`--etcd: ${error.message}`);
    if (isListwatchError(error, 'STORE_UNAVAILABLE')) {
      const remedy = 'check that an etcd serves clients at the URL of --etcd';
      throw new ListwatchError(error.code, `${error.message}; ${remedy}`, { cause: error });
    }
    throw withNpxLine(error, ['@grpc/grpc-js'], '--etcd URL');
  }
}

async function tlsOf(
  files: EtcdFiles,
): Promise<Partial<Record<keyof EtcdFiles, string>> | undefined> {
  const texts: [string, string][] = [];
  for (const [name, path] of Object.entries(files) as [string, string | undefined][]) {
    if (path !== undefined) texts.push([name, await pemOf(name, path)]);
  }
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

async function pemOf(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--etcd-${name} ${path} cannot be read: ${errorMessage(error)}`);
  }
}
