import { readFile, access, rm, writeFile } from 'node:fs/promises';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { removeLeftBehind } from '../../kernel/data/temporary-file.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { withNpxLine } from './npx-line.ts';
import type { EtcdFiles, ServeOptions } from './serve-options.ts';
import type { ServerStore } from './server-store.ts';
import { EmbeddedKeyValueStore } from '../../server/mvcc/embedded-key-value-store.ts';
import { sizeText } from '../terminal/shown-text.ts';

interface SnapshotStoreOptions {
  /** Whether clients may have the token from an earlier run. */
  readonly fixedToken: boolean;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** More than any run writes, so that the versions that were lost are in the past of the next run. */
const BUMP_AFTER_LOSS = 1_000_000_000n;

/**
 * State in memory that is kept in a file between runs: loaded at the start, written at the clean stop.
 *
 * While a server runs, `FILE.running` is beside the file. If it is there at the start, the last run did not end cleanly and its
 * writes are lost. Resource versions then continue far above, so that its clients list again instead of missing events.
 */
export class SnapshotStore implements ServerStore {
  readonly keyValueStore: EmbeddedKeyValueStore;
  readonly description: string;
  readonly #path: string;
  /** Whether the marker of another run was there. */
  readonly #afterLoss: boolean;

  private constructor(path: string, store: EmbeddedKeyValueStore, found: boolean, lost: boolean) {
    this.#path = path;
    this.#afterLoss = lost;
    this.keyValueStore = store;
    this.description = `in memory, ${found ? 'loaded from' : 'to be kept in'} ${path}`;
  }

  /** @throws {ListwatchError} SNAPSHOT_FILE, SNAPSHOT_INVALID. */
  static async open(
    path: string,
    { fixedToken, runtime, logger }: SnapshotStoreOptions,
  ): Promise<SnapshotStore> {
    const lost = await exists(markerOf(path));
    const found = await exists(path);
    const store = found
      ? await load(path, { runtime, bumpRevision: lost ? BUMP_AFTER_LOSS : 0n })
      : new EmbeddedKeyValueStore({ runtime, firstRevision: firstRevision(fixedToken, runtime) });
    try {
      // Written now, so that a folder that cannot be written to is noticed before there is something to lose.
      await writeFile(markerOf(path), '', { mode: 0o600 });
    } catch (error) {
      await store.close();
      throw fileError(`the snapshot ${path} could not be written at the stop`, error);
    }
    if (lost) {
      await removeLeftBehind(path);
      logger.warn(
        'the last run with the snapshot did not end cleanly, or still runs: the state is the one before that run',
        { snapshot: path },
      );
    }
    return new SnapshotStore(path, store, found, lost);
  }

  async keep(): Promise<string> {
    const { bytes } = await this.keyValueStore.saveSnapshot(this.#path);
    await rm(markerOf(this.#path), { force: true });
    return `the state is kept in ${this.#path}, ${sizeText(bytes)}`;
  }

  async close({ unused }: { readonly unused: boolean }): Promise<void> {
    await this.keyValueStore.close();
    if (unused && !this.#afterLoss) await rm(markerOf(this.#path), { force: true });
  }
}

function markerOf(path: string): string {
  return `${path}.running`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw fileError(`the snapshot ${path} cannot be read`, error);
  }
}

/** @throws {ListwatchError} SNAPSHOT_FILE, SNAPSHOT_INVALID. */
async function load(
  path: string,
  options: { readonly runtime: Runtime; readonly bumpRevision: bigint },
): Promise<EmbeddedKeyValueStore> {
  try {
    return await EmbeddedKeyValueStore.load(path, options);
  } catch (error) {
    if (isListwatchError(error, 'SNAPSHOT_FILE')) {
      throw fileError(`the snapshot ${path} cannot be read`, error.cause);
    }
    if (!(error instanceof ListwatchError)) throw error;
    const remedy = error.code === 'SNAPSHOT_INVALID' ? INVALID_REMEDY : REMEDY;
    throw new ListwatchError(error.code, `${error.message}; ${remedy}`, { cause: error });
  }
}

const REMEDY = 'name a file in a folder of yours with --snapshot';
const INVALID_REMEDY = 'remove it to start without its state, or name another file with --snapshot';

function fileError(problem: string, error: unknown): ListwatchError {
  return new ListwatchError('SNAPSHOT_FILE', `${problem}; ${REMEDY}: ${errorMessage(error)}`, {
    cause: error,
  });
}

/** With a token of an earlier run, clients may know its versions. They must be in the past of this run. */
function firstRevision(fixedToken: boolean, runtime: Runtime): bigint {
  return fixedToken ? BigInt(Math.floor(runtime.wallMs())) * 1000n : 1n;
}

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
