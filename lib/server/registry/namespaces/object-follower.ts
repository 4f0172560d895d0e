import { Backoff } from '../../../kernel/backoff.ts';
import { errorMessage } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { sleep } from '../../../kernel/wait.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { listReadable } from '../list-readable.ts';

type Stored = StoredObject<UnstructuredObject>;

export interface ObjectFollowerOptions {
  /** The followed collection, for log messages. */
  readonly name: string;
  readonly storage: StorageInterface<UnstructuredObject>;
  /** Key prefix with its trailing slash. */
  readonly prefix: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Called for every object there is, and after each change. Must bear being called twice for one state. */
  readonly onPresent: (stored: Stored) => void;
  /** Called when an object is gone, with a resource version at which it was. */
  readonly onGone: (stored: Stored, resourceVersion: string) => void;
}

/**
 * Keeps what the registry knows about its own objects (namespaces, custom resource definitions) equal to the storage, so that
 * several servers on one storage agree. Holds the last state of each object.
 *
 * Guarantees: after `start` resolves, every object that existed and can be read has been reported. A broken watch is begun again with back-off
 * from 100 ms to 10 s; objects that vanished in between are reported as gone.
 */
export class ObjectFollower {
  readonly #options: ObjectFollowerOptions;
  readonly #stop = new AbortController();
  #known = new Map<string, Stored>();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ObjectFollowerOptions) {
    this.#options = options;
  }

  /** Reads what there is, then follows. @throws {ApiError} when the first read fails. */
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
    // An object that cannot be read at present still exists: its last state stays.
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
        logger.warn(`the watch of ${name} broke and is begun again`, {
          error: errorMessage(error),
        });
        resourceVersion = undefined;
      }
      await sleep(runtime, backoff.step(), { signal, background: true }).catch(() => {});
    }
  }

  /** Follows until the watch ends; returns where it ended. */
  async #watch(start: string): Promise<string> {
    const { storage, prefix, onPresent, onGone } = this.#options;
    const { signal } = this.#stop;
    let resourceVersion = start;
    const watch = await storage.watch(prefix, { resourceVersion, progressNotify: true, signal });
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
