import { onAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { LogFields } from '../../../kernel/report/logger.ts';
import { rejectUnknownOptions } from '../../../kernel/options/options-schema.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ObjectMemory } from '../../memory/object-memory.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';
import { HandlerError, type ResourceEventHandler } from './event-handler.ts';
import {
  resolveHandlerBuffer,
  type HandlerBuffer,
  type AddHandlerOptions,
} from './handler-registration.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import { HandlerQueue } from './handler-queue.ts';
import type { HandlerInspection } from '../observe/informer-inspection.ts';
import { AddNotification, type NotificationBatch } from './notification.ts';
import { callbackOf, notifierOf } from './notifier.ts';
import { RegisteredHandler } from './registered-handler.ts';
import { ResyncSchedule } from './resync-schedule.ts';

const OPTIONS: readonly (keyof AddHandlerOptions)[] = [
  'name',
  'resyncIntervalMs',
  'buffer',
  'signal',
];

export interface HandlerRegistryOptions<T extends KubernetesObject> {
  /** Name of the informer. */
  readonly informer: string;
  /** Once the informer has started, always the same one. */
  readonly store: () => ThreadSafeStore<ObjectView<T>>;
  readonly runtime: Runtime;
  readonly resyncIntervalMs: number;
  /** The reason why the informer is not synced, as text. */
  readonly waitsFor: () => string | undefined;
  /** A callback threw, or a handler was removed because its buffer is full. */
  readonly onError: (error: ListwatchError, about: { handler: string; key?: string }) => void;
  /** Pinned for handlers that read more than keys, once the informer has started. */
  readonly memory: () => ObjectMemory<ObjectView<T>>;
  /** A handler was removed, and its last callback has returned. */
  readonly onRemoved: (handler: RegisteredHandler<ObjectView<T>>) => void;
  readonly onWarning: (message: string, fields: LogFields) => void;
}

/**
 * The handlers of one informer, and their views.
 *
 * Adding a handler is synchronous: its initial state and its place in the distribution are determined in one step, so that no
 * event is lost or repeated in between. Distributing is synchronous and adds one queue entry to each handler, independent of the
 * number of notifications in a batch. No handler waits for another.
 */
export class HandlerRegistry<T extends KubernetesObject> {
  readonly #options: HandlerRegistryOptions<T>;
  readonly #handlers = new Set<RegisteredHandler<ObjectView<T>>>();
  /** The turns in which the handlers are called. */
  readonly #turns: DeliveryTurns;
  readonly #resyncs: ResyncSchedule;
  /** Of the handlers whose pins end with them. */
  readonly #pins = new Map<RegisteredHandler<ObjectView<T>>, Disposable>();
  /** Handlers that were added before the start. */
  readonly #early = new Map<RegisteredHandler<ObjectView<T>>, ResourceEventHandler<T>>();
  #started = false;
  #synced = false;
  #closed = false;
  #named = 0;
  /** The store as initial notifications, shared by the handlers that are added in one task. */
  #present: NotificationBatch<ObjectView<T>> | undefined;

  constructor(options: HandlerRegistryOptions<T>) {
    this.#options = options;
    const { resyncIntervalMs: intervalMs, onWarning } = options;
    this.#turns = new DeliveryTurns(options.runtime);
    this.#resyncs = new ResyncSchedule({ intervalMs, onWarning });
  }

  /** The interval at which the reflector calls `resyncDue`, milliseconds; 0 for never. */
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
    const name = options.name ?? `${classOf(handler) ?? 'handler'}-${(this.#named += 1)}`;
    if (this.#closed) {
      throw new ListwatchError(
        'CLOSED',
        `${name}: the informer ${informer} has stopped; make a new one`,
      );
    }
    const queue = this.#makeQueue(name, handler, options.buffer, (pending) => {
      this.#overflow(registered, pending);
    });
    const resync = this.#resyncs.add(name, options.resyncIntervalMs, runtime.monotonicMs());
    let release = (): void => {};
    const registered = new RegisteredHandler<ObjectView<T>>({
      informer,
      queue,
      resync,
      runtime,
      upstreamWaitsFor: waitsFor,
      onRemove: () => {
        this.#handlers.delete(registered);
        this.#turns.share(this.#handlers.size);
        this.#resyncs.remove(resync);
        release();
        this.#early.delete(registered);
        queue.stop();
        void queue.drained().then(() => {
          this.#pins.get(registered)?.[Symbol.dispose]();
          this.#pins.delete(registered);
          this.#options.onRemoved(registered);
        });
      },
    });
    this.#handlers.add(registered);
    this.#turns.share(this.#handlers.size);
    if (this.#started) {
      this.#pin(registered, handler);
      queue.push(this.#presentState());
      if (this.#synced) queue.tracker.markUpstreamSynced();
      queue.start();
    } else {
      this.#early.set(registered, handler);
    }
    release = onAbort(options.signal, () => {
      registered.remove();
    });
    return registered;
  }

  /** The informer starts: deliveries begin, and the resync interval is fixed. */
  start(): void {
    this.#resyncs.freeze();
    this.#started = true;
    for (const [registered, handler] of this.#early) {
      this.#pin(registered, handler);
      registered.queue.push(this.#presentState());
    }
    this.#early.clear();
    for (const { queue } of this.#handlers) queue.start();
  }

  distribute(batches: readonly NotificationBatch<ObjectView<T>>[]): void {
    if (batches.length === 0) return;
    this.#present = undefined;
    for (const batch of batches) {
      for (const { queue, resync } of this.#handlers) {
        if (batch.audience === 'all' || resync.due) queue.push(batch);
      }
    }
  }

  /** Whether a handler that does not wait for a promise has a backlog of more than `count` notifications. */
  hasBacklog(count: number): boolean {
    for (const { queue } of this.#handlers) if (queue.hasBacklog(count)) return true;
    return false;
  }

  /** The store has the whole first list. */
  markSynced(): void {
    this.#synced = true;
    for (const { queue } of this.#handlers) queue.tracker.markUpstreamSynced();
  }

  /** Whether a resync is due for a handler now; only these handlers get it. */
  resyncDue(): boolean {
    return this.#resyncs.tick(this.#options.runtime.monotonicMs());
  }

  /** Removes the handlers whose callbacks are on the stack. They requested the end themselves, so it must not wait for them. */
  removeEntered(): void {
    for (const handler of this.#handlers) if (handler.queue.entered) handler.remove();
  }

  /** Removes all handlers; resolves when the last callback has returned. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#present = undefined;
    await Promise.all(Array.from(this.#handlers, (handler) => handler.close()));
  }

  get handlers(): ReadonlySet<RegisteredHandler<ObjectView<T>>> {
    return this.#handlers;
  }

  inspect(): HandlerInspection[] {
    return Array.from(this.#handlers, (handler) => handler.inspect());
  }

  /** Lazy objects and metadata may be read after the handler is removed: their pins never end. */
  #pin(registered: RegisteredHandler<ObjectView<T>>, { view }: ResourceEventHandler<T>): void {
    if (view === 'key') return;
    const pin = this.#options.memory().pin(view === 'metadata' ? 'metadata' : 'body');
    if (view !== 'lazy' && view !== 'metadata') this.#pins.set(registered, pin);
  }

  #overflow(handler: RegisteredHandler<ObjectView<T>>, pending: number): void {
    const { name } = handler;
    const error = new ListwatchError(
      'BUFFER_FULL',
      `${name} was removed: ${pending} events wait for it, more than its buffer holds; make it faster, give it a larger buffer, or let the buffer coalesce`,
    );
    handler.fail(error);
    this.#options.onError(error, { handler: name });
  }

  #presentState(): NotificationBatch<ObjectView<T>> {
    if (this.#present !== undefined) return this.#present;
    // Handlers that are added one after the other share it; it would keep what they decode until the next change.
    this.#options.runtime.queueTask(() => {
      this.#present = undefined;
    });
    this.#present = {
      notifications: Array.from(
        this.#options.store().entries(),
        ([key, object]) => new AddNotification(key, object, true, 'other'),
      ),
      initial: true,
      audience: 'all',
    };
    return this.#present;
  }

  #makeQueue(
    name: string,
    handler: ResourceEventHandler<T>,
    buffer: HandlerBuffer | undefined,
    onFull: (pending: number) => void,
  ): HandlerQueue<ObjectView<T>> {
    const { runtime, store, onError, onWarning } = this.#options;
    const { limit, whenFull } = resolveHandlerBuffer(name, buffer);
    return new HandlerQueue<ObjectView<T>>({
      name,
      runtime,
      deliver: notifierOf(name, handler),
      turns: this.#turns,
      // With fewer than two notifications for each object there may be nothing to merge.
      limit: whenFull === 'close' ? (): number => limit : () => Math.max(limit, 2 * store().size),
      whenFull,
      onFull,
      onError: (error, { type, key }) => {
        onError(new HandlerError(name, callbackOf[type], key, error), { handler: name, key });
      },
      onWarning,
    });
  }
}

/** The class name of a handler; undefined for a plain object. */
function classOf(handler: unknown): string | undefined {
  if (typeof handler !== 'object' || handler === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(handler);
  if (prototype === null || prototype === Object.prototype) return undefined;
  return handler.constructor?.name || undefined;
}
