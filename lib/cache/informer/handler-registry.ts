import { onAbort } from '../../kernel/abort.ts';
import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../kernel/options.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { ThreadSafeStore } from '../store/thread-safe-store.ts';
import { HandlerError, type ResourceEventHandler } from './event-handler.ts';
import { HandlerFanout } from './handler-fanout.ts';
import { HandlerQueue } from './handler-queue.ts';
import type { AddHandlerOptions } from './handler-registration.ts';
import type { HandlerInspection } from './informer-inspection.ts';
import type { AddNotification, NotificationBatch } from './notification.ts';
import { callbackOf, notifierOf } from './notifier.ts';
import { RegisteredHandler } from './registered-handler.ts';
import { ResyncSchedule } from './resync-schedule.ts';

const DEFAULT_COALESCE_ABOVE = 10_000;

const OPTIONS: readonly (keyof AddHandlerOptions)[] = [
  'name',
  'resyncIntervalMs',
  'coalesceAbove',
  'signal',
];

export interface HandlerRegistryOptions<T extends KubernetesObject> {
  /** Name of the informer. */
  readonly informer: string;
  readonly store: ThreadSafeStore<ObjectView<T>>;
  readonly runtime: Runtime;
  readonly resyncIntervalMs: number;
  /** What keeps the informer from being synced, in words. */
  readonly waitsFor: () => string | undefined;
  readonly onError: (error: HandlerError) => void;
  readonly onWarning: (message: string) => void;
}

/**
 * Who is told what about the objects of one informer.
 *
 * Joining is synchronous: the state that a late handler is given first, and its place in the distribution, belong to the same
 * instant, so that no event is lost in between or comes twice.
 */
export class HandlerRegistry<T extends KubernetesObject> {
  readonly #options: HandlerRegistryOptions<T>;
  readonly #fanout = new HandlerFanout<ObjectView<T>>();
  readonly #resyncs: ResyncSchedule;
  #closed = false;
  #named = 0;
  /** The store as initial notifications, shared by the handlers that join before the next change. */
  #present: NotificationBatch<ObjectView<T>> | undefined;

  constructor(options: HandlerRegistryOptions<T>) {
    this.#options = options;
    const { resyncIntervalMs: intervalMs, onWarning } = options;
    this.#resyncs = new ResyncSchedule({ intervalMs, onWarning });
  }

  /** How often the reflector has to ask `resyncDue`, milliseconds; 0 for never. */
  get resyncIntervalMs(): number {
    return this.#resyncs.checkIntervalMs;
  }

  /** @throws {ListwatchError} code CLOSED; INVALID_OPTION. */
  add(
    handler: ResourceEventHandler<T>,
    options: AddHandlerOptions,
  ): RegisteredHandler<ObjectView<T>> {
    rejectUnknownOptions('addHandler', options, OPTIONS);
    const { informer, runtime, waitsFor } = this.#options;
    const name = options.name ?? `handler-${(this.#named += 1)}`;
    if (this.#closed) {
      throw new ListwatchError('CLOSED', `${name}: the informer ${informer} has stopped`);
    }
    const queue = this.#makeQueue(name, handler, options.coalesceAbove);
    const resync = this.#resyncs.add(name, options.resyncIntervalMs, runtime.monotonicMs());
    let release = (): void => {};
    const registered = new RegisteredHandler<ObjectView<T>>({
      queue,
      resync,
      runtime,
      upstreamWaitsFor: waitsFor,
      onRemove: () => {
        this.#fanout.remove(registered);
        this.#resyncs.remove(resync);
        release();
      },
    });
    this.#fanout.add(registered, this.#presentState());
    release = onAbort(options.signal, () => {
      registered.remove();
    });
    return registered;
  }

  /** The informer starts: deliveries begin, and the resync interval is settled. */
  start(): void {
    this.#resyncs.freeze();
    this.#fanout.start();
  }

  distribute(batches: readonly NotificationBatch<ObjectView<T>>[]): void {
    if (batches.length === 0) return;
    this.#present = undefined;
    this.#fanout.distribute(batches);
  }

  /** The store has the whole first list. */
  markSynced(): void {
    this.#fanout.markSynced();
  }

  /** Whether a handler wants a resync now; those that do are the ones to get it. */
  resyncDue(): boolean {
    return this.#resyncs.tick(this.#options.runtime.monotonicMs());
  }

  /** Removes all handlers; resolves when the last callback has returned. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#present = undefined;
    await this.#fanout.close();
  }

  inspect(): HandlerInspection[] {
    return Array.from(this.#fanout.handlers, (handler) => handler.inspect());
  }

  #presentState(): NotificationBatch<ObjectView<T>> {
    this.#present ??= {
      notifications: Array.from(
        this.#options.store.entries(),
        ([key, object]): AddNotification<ObjectView<T>> => ({
          type: 'add',
          key,
          object,
          initial: true,
        }),
      ),
      initial: true,
      audience: 'all',
    };
    return this.#present;
  }

  #makeQueue(
    name: string,
    handler: ResourceEventHandler<T>,
    coalesceAbove: number | undefined,
  ): HandlerQueue<ObjectView<T>> {
    const { runtime, store, onError, onWarning } = this.#options;
    const least = numberOption(name, 'coalesceAbove', coalesceAbove, DEFAULT_COALESCE_ABOVE, {
      min: 1,
    });
    return new HandlerQueue<ObjectView<T>>({
      name,
      runtime,
      deliver: notifierOf(name, handler),
      sliceMs: this.#fanout.sliceMs,
      coalesceAbove: () => Math.max(least, 2 * store.size),
      onError: (error, { type, key }) => {
        onError(new HandlerError(name, callbackOf[type], key, error));
      },
      onWarning,
    });
  }
}
