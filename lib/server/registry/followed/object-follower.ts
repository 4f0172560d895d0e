import { Backoff } from '../../../kernel/time/backoff.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import {
  IN_PROCESS_CLIENT,
  type StorageInterface,
} from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { listReadable } from '../list-readable.ts';

type Stored = StoredObject<UnstructuredObject>;

export interface ObjectFollowerOptions {
  /** The name of the collection in log messages. */
  readonly name: string;
  readonly storage: StorageInterface<UnstructuredObject>;
  /** Key prefix including its trailing slash. */
  readonly prefix: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Called for every present object, and after each change. May be called twice for one state. */
  readonly onPresent: (stored: Stored) => void;
  /** Called when an object was deleted, with a resource version at which it no longer existed. */
  readonly onGone: (stored: Stored, resourceVersion: string) => void;
}

/**
 * Keeps the registry's own objects (namespaces, custom resource definitions) in step with the storage, so that several servers on
 * one storage agree. Holds the last state of each object.
 *
 * Guarantees: after `start` resolves, every readable object has been reported. A broken watch is restarted with back-off from
 * 100 ms to 10 s; objects that were deleted meanwhile are reported as deleted.
 */
export class ObjectFollower {
  readonly #options: ObjectFollowerOptions;
  readonly #stop = new AbortController();
  #known = new Map<string, Stored>();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ObjectFollowerOptions) {
    this.#options = options;
  }

  /** Lists the present objects, then watches. @throws {ApiError} when the first list fails. */
  async start(): Promise<void> {
    const resourceVersion = await this.#list();
    this.#running = this.#follow(resourceVersion);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #list(): Promise<string> {
    const { storage, prefix, onPresent, onGone } = this.#options;
    const { signal } = this.#stop;
    const list = await listReadable(storage, prefix, signal);
    const { items, resourceVersion, unreadableKeys = [] } = list;
    const before = this.#known;
    this.#known = new Map(items.map((item) => [item.key, item]));
    // An object that cannot be read at present still exists, so its last state is kept.
    for (const key of unreadableKeys) {
      const last = before.get(key);
      if (last !== undefined) this.#known.set(key, last);
    }
    for (const [key, item] of before) if (!this.#known.has(key)) onGone(item, resourceVersion);
    for (const item of items) onPresent(item);
    return resourceVersion;
  }

  async #follow(start: string): Promise<void> {
    const { runtime, logger, name } = this.#options;
    const { signal } = this.#stop;
    const backoff = new Backoff(runtime, { baseMs: 100, capMs: 10_000 });
    let resourceVersion: string | undefined = start;
    while (!signal.aborted) {
      try {
        resourceVersion ??= await this.#list();
        resourceVersion = await this.#watch(resourceVersion);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('a watch broke, and is restarted', { name, error });
        resourceVersion = undefined;
      }
      await sleep(runtime, backoff.step(), { signal, background: true }).catch(() => {});
    }
  }

  /** Watches until the watch ends; returns the resource version at which it ended. */
  async #watch(start: string): Promise<string> {
    const { storage, prefix, onPresent, onGone } = this.#options;
    const { signal } = this.#stop;
    let resourceVersion = start;
    const watch = await storage.watch(prefix, {
      resourceVersion,
      progressNotify: true,
      client: IN_PROCESS_CLIENT,
      signal,
    });
    for await (const batch of watch) {
      for (const event of batch) {
        if (event.type === 'BOOKMARK') {
          resourceVersion = event.resourceVersion;
          continue;
        }
        const { object: stored } = event;
        resourceVersion = stored.resourceVersion;
        if (event.type === 'DELETED') {
          this.#known.delete(stored.key);
          onGone(stored, stored.resourceVersion);
        } else {
          this.#known.set(stored.key, stored);
          onPresent(stored);
        }
      }
    }
    return resourceVersion;
  }
}
