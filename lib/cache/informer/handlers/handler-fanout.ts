import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import type { NotificationBatch } from './notification.ts';
import type { RegisteredHandler } from './registered-handler.ts';

/**
 * The handlers of one informer. Distributing is synchronous and adds one queue entry to each handler, independent of the number
 * of notifications in a batch. No handler waits for another.
 */
export class HandlerFanout<V extends HasMetadata> {
  /** The turns in which the handlers are called. */
  readonly turns: DeliveryTurns;
  readonly #handlers = new Set<RegisteredHandler<V>>();
  #started = false;
  #synced = false;

  constructor(runtime: Runtime) {
    this.turns = new DeliveryTurns(runtime);
  }

  get handlers(): ReadonlySet<RegisteredHandler<V>> {
    return this.#handlers;
  }

  /** Adds a handler, which gets the present state first. Left out: there is none yet. */
  add(handler: RegisteredHandler<V>, present?: NotificationBatch<V>): void {
    const { queue } = handler;
    this.#handlers.add(handler);
    this.turns.share(this.#handlers.size);
    if (present !== undefined) queue.push(present);
    if (this.#synced) queue.tracker.markUpstreamSynced();
    if (this.#started) queue.start();
  }

  remove(handler: RegisteredHandler<V>): void {
    this.#handlers.delete(handler);
    this.turns.share(this.#handlers.size);
  }

  /** Whether a handler that does not wait for a promise has a backlog of more than `count` notifications. */
  hasBacklog(count: number): boolean {
    for (const { queue } of this.#handlers) if (queue.hasBacklog(count)) return true;
    return false;
  }

  distribute(batches: readonly NotificationBatch<V>[]): void {
    for (const batch of batches) {
      for (const { queue, resync } of this.#handlers) {
        if (batch.audience === 'all' || resync.due) queue.push(batch);
      }
    }
  }

  /** Deliveries begin. */
  start(): void {
    this.#started = true;
    for (const { queue } of this.#handlers) queue.start();
  }

  /** The store has the state at the start, and all handlers have it in their queues. */
  markSynced(): void {
    this.#synced = true;
    for (const { queue } of this.#handlers) queue.tracker.markUpstreamSynced();
  }

  /** Removes the handlers whose callbacks are on the stack. They requested the end themselves, so it must not wait for them. */
  removeEntered(): void {
    for (const handler of this.#handlers) {
      if (handler.queue.entered) handler.remove();
    }
  }

  /** Removes all handlers and drops their backlog; resolves when the last callback has returned. */
  async close(): Promise<void> {
    await Promise.all([...this.#handlers].map((handler) => handler.close()));
  }
}
