import { nextTask } from '../../../kernel/time/wait.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import { IN_PROCESS_CLIENT } from '../../storage/contract/storage-interface.ts';

/**
 * Longest wait for the event of a write, milliseconds. Only the watch on a remote engine can take longer than a few microtasks.
 */
const LONGEST_WAIT_MS = 50;

/** A watch that a write may have to wait for. */
export interface ClientWatch {
  /** Undefined if it is not known which client reads: no write waits for it. */
  readonly client: string | undefined;
  /** Gives the reader its events now, if it waits for more. */
  deliver(): void;
}

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
}

/**
 * Holds the answer of a write back until the watches of the same client have its event. A client that has the answer may act on it
 * at once; if its cache got the event later, it would act on a state before its own write. Other clients cannot know which of the
 * two is first, so the watches of others are not waited for: their events are sent together with others of some milliseconds. The
 * watches of code in the process are waited for by every write: the server itself acts on them.
 *
 * A reader that is busy is not waited for, nor is a slow one that keeps events from the others. The wait is bounded, also when the watch
 * on the storage has ended.
 */
export class DeliveredWrites {
  readonly #runtime: Runtime;
  readonly #watches = new Map<string, Set<ClientWatch>>();
  readonly #waiters = new Set<Waiter>();
  #offered: Revision = 0n;
  /** The clients of the next delivery, and its end. */
  #clients = new Set<string>();
  #delivery: Promise<void> | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  add(watch: ClientWatch): void {
    const { client } = watch;
    if (client === undefined) return;
    const others = this.#watches.get(client);
    if (others === undefined) this.#watches.set(client, new Set([watch]));
    else others.add(watch);
  }

  remove(watch: ClientWatch): void {
    const { client } = watch;
    const watches = client === undefined ? undefined : this.#watches.get(client);
    watches?.delete(watch);
    if (watches?.size === 0) this.#watches.delete(client as string);
  }

  /** Whether a write of the client has to wait. */
  hasWatches(client: string | undefined): boolean {
    return (
      this.#watches.has(IN_PROCESS_CLIENT) || (client !== undefined && this.#watches.has(client))
    );
  }

  /** Records that the events up to `revision` are dispatched. A watcher has them, unless the dispatcher waits for slow ones. */
  reach(revision: Revision): void {
    this.#offered = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.resolve();
  }

  /** Ends all waits: no further events will come for now. */
  release(): void {
    for (const waiter of this.#waiters) waiter.resolve();
  }

  /** Resolves when the readers of the client, and those in the process, that were waiting have the event of `revision`. */
  async wait(revision: Revision, client: string | undefined): Promise<void> {
    if (revision > this.#offered) await this.#untilOffered(revision);
    this.#clients.add(IN_PROCESS_CLIENT);
    if (client !== undefined) this.#clients.add(client);
    this.#delivery ??= this.#deliver();
    await this.#delivery;
  }

  /** Serves all writes of one turn of the event loop. */
  async #deliver(): Promise<void> {
    await nextTask(this.#runtime);
    this.#delivery = undefined;
    for (const client of this.#clients) {
      for (const watch of this.#watches.get(client) ?? []) watch.deliver();
    }
    this.#clients.clear();
    // All microtasks of the readers have run before the next task.
    await nextTask(this.#runtime);
  }

  #untilOffered(revision: Revision): Promise<void> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        resolve: () => {
          timer.cancel();
          this.#waiters.delete(waiter);
          resolve();
        },
      };
      const timer = this.#runtime.setTimer(LONGEST_WAIT_MS, waiter.resolve, { background: true });
      this.#waiters.add(waiter);
    });
  }
}
