import { onAbort } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { deferred, type Deferred } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask } from '../../../kernel/time/wait.ts';
import type { KubernetesObject, HasMetadata } from '../../../meta/object.ts';
import {
  type ResolvedChangesOptions,
  resolveChangesOptions,
  type ChangesOptions,
  type ChangeOf,
  type ChangeView,
} from './changes-options.ts';
import type {
  LazyEventHandler,
  LazyObject,
  ObjectMetadata,
  ResourceEventHandler,
} from '../handlers/event-handler.ts';
import type { AddHandlerOptions, HandlerRegistration } from '../handlers/handler-registration.ts';
import {
  AddNotification,
  DeleteNotification,
  LazyMetadata,
  UpdateNotification,
  type Notification,
} from '../handlers/notification.ts';
import { RingBuffer } from '../../../kernel/data/ring-buffer.ts';
import { coalesce } from '../handlers/coalesce.ts';

/** A source of changes, for example a `SharedIndexInformer`. */
export interface ChangeSource<T extends KubernetesObject> {
  readonly name: string;
  readonly runtime: Runtime;
  readonly events: {
    once(event: 'stopped', listener: () => void): unknown;
    off(event: 'stopped', listener: () => void): unknown;
  };
  addHandler(handler: ResourceEventHandler<T>, options?: AddHandlerOptions): HandlerRegistration;
}

/** After this many changes or milliseconds without a pause, a reader lets other work in the process run. */
const LONGEST_SLICE = 1024;
const SLICE_MS = 5;

/** Whichever the options ask for. */
type AnyChange<T> = ChangeOf<T, ChangeView, boolean>;
type End = { readonly error: unknown } | 'stopped';

/** One loop over the changes of an informer. */
export class ChangeReader<T extends KubernetesObject>
  implements AsyncIterator<AnyChange<T>, undefined>
{
  readonly #informer: ChangeSource<T>;
  readonly #options: ResolvedChangesOptions;
  readonly #buffer: ChangeBuffer<LazyObject<T>>;
  readonly #registration: HandlerRegistration;
  readonly #release: () => void;
  #end: End | undefined;
  #arrival: Deferred<void> | undefined;
  #sliceLeft = LONGEST_SLICE;
  #sliceEndMs: number;

  constructor(informer: ChangeSource<T>, options: ResolvedChangesOptions) {
    const { name, maxBuffered, overflow, signal } = options;
    this.#informer = informer;
    this.#options = options;
    this.#buffer = new ChangeBuffer(overflow === 'coalesce' ? maxBuffered : Infinity);
    this.#sliceEndMs = informer.runtime.monotonicMs() + SLICE_MS;
    this.#registration = informer.addHandler(this.#handler(), {
      name,
      resyncIntervalMs: 0,
      // With `error` it is for us to count.
      buffer: overflow === 'coalesce' ? { limit: maxBuffered, whenFull: 'coalesce' } : 'unbounded',
    });
    const onStopped = (): void => this.#finish('stopped');
    informer.events.once('stopped', onStopped);
    const releaseSignal = onAbort(signal, () => {
      this.#buffer.clear();
      this.#finish({ error: signal?.reason });
    });
    this.#release = (): void => {
      informer.events.off('stopped', onStopped);
      releaseSignal();
    };
    if (this.#end !== undefined) this.#release();
    // It rejects when the reader was removed, which is known here already.
    this.#registration.whenSynced().then(this.#noteSynced, () => {});
  }

  async next(): Promise<IteratorResult<AnyChange<T>, undefined>> {
    if (this.#sliceIsOver()) await this.#giveWay();
    for (;;) {
      const next = this.#buffer.shift();
      if (next !== undefined) {
        if (next !== SYNCED) return { done: false, value: this.#show(next) };
        if (this.#options.markSynced) return { done: false, value: { type: 'synced' } };
        continue;
      }
      const end = this.#end;
      if (end === 'stopped') return { done: true, value: undefined };
      if (end !== undefined) throw end.error;
      this.#arrival ??= deferred<void>();
      await this.#arrival.promise;
      this.#beginSlice();
    }
  }

  return(): Promise<IteratorResult<AnyChange<T>, undefined>> {
    this.#buffer.clear();
    this.#finish('stopped');
    return Promise.resolve({ done: true, value: undefined });
  }

  #handler(): LazyEventHandler<T> {
    return {
      view: 'lazy',
      onAdd: (object, { key, initial, origin }) => {
        this.#take(new AddNotification(key, object, initial, origin));
      },
      onUpdate: (old, object, { key, resync, origin }) => {
        this.#take(new UpdateNotification(key, old, object, resync, origin));
      },
      onDelete: (object, { key, finalStateUnknown, origin }) => {
        this.#take(new DeleteNotification(key, object, finalStateUnknown, origin));
      },
    };
  }

  #take(notification: Notification<LazyObject<T>>): void {
    // Its promise would resolve too late if a change follows in the same task.
    if (this.#registration.synced) this.#buffer.mark();
    this.#buffer.push(notification);
    if (this.#options.overflow === 'error') this.#checkRoom();
    this.#wake();
  }

  #checkRoom(): void {
    const { name, maxBuffered } = this.#options;
    if (this.#buffer.waiting === 0) return;
    // The present change counts as pending until its callback returns.
    const waiting = this.#buffer.waiting + Math.max(0, this.#registration.pending - 1);
    if (waiting <= maxBuffered) return;
    const text = `${name} of ${this.#informer.name}: ${waiting} changes wait for the reader, and no more than ${maxBuffered} may; read faster, raise maxBuffered, or let them coalesce`;
    this.#finish({ error: new ListwatchError('BUFFER_FULL', text) });
  }

  readonly #noteSynced = (): void => {
    this.#buffer.mark();
    this.#wake();
  };

  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#release?.();
    this.#registration.remove();
    this.#wake();
  }

  #wake(): void {
    const arrival = this.#arrival;
    this.#arrival = undefined;
    arrival?.resolve();
  }

  #show(notification: Notification<LazyObject<T>>): AnyChange<T> {
    const { key, origin } = notification;
    const object = this.#visible(key, notification.object);
    switch (notification.type) {
      case 'add':
        return { type: 'add', key, object, initial: notification.initial, origin };
      case 'update': {
        const old = this.#visible(key, notification.old);
        return { type: 'update', key, object, old, initial: false, origin };
      }
      case 'delete': {
        const { finalStateUnknown } = notification;
        return { type: 'delete', key, object, initial: false, finalStateUnknown, origin };
      }
    }
  }

  #visible(key: string, view: LazyObject<T>): T & ObjectMetadata {
    // The options say which of the two it is.
    return (this.#options.view === 'metadata' ? new LazyMetadata(key, view) : view.object) as T &
      ObjectMetadata;
  }

  #sliceIsOver(): boolean {
    this.#sliceLeft -= 1;
    return this.#sliceLeft <= 0 || this.#informer.runtime.monotonicMs() >= this.#sliceEndMs;
  }

  async #giveWay(): Promise<void> {
    await nextTask(this.#informer.runtime);
    this.#beginSlice();
  }

  #beginSlice(): void {
    this.#sliceLeft = LONGEST_SLICE;
    this.#sliceEndMs = this.#informer.runtime.monotonicMs() + SLICE_MS;
  }
}

/** Separates the state at the start from later changes. */
export const SYNCED: unique symbol = Symbol('synced');

/**
 * The changes that a reader has not read yet: first the state at the start, then, when that is complete, a mark, then every
 * change.
 *
 * With `coalesceAbove` memory is bounded: above that many changes, the changes of each key are merged until at most two a key
 * remain. The state at the start is not counted.
 */
export class ChangeBuffer<V extends HasMetadata> {
  readonly #coalesceAbove: number;
  readonly #initial: RingBuffer<Notification<V>> = new RingBuffer();
  #later: RingBuffer<Notification<V>> = new RingBuffer();
  #marked = false;
  #markRead = false;
  /** The size at which the next merge happens. The distance between merges keeps their cost proportional to the pushes. */
  #coalesceAt: number;

  constructor(coalesceAbove: number) {
    this.#coalesceAbove = coalesceAbove;
    this.#coalesceAt = coalesceAbove;
  }

  /** Changes that wait, without the state at the start. */
  get waiting(): number {
    return this.#later.size;
  }

  push(notification: Notification<V>): void {
    if (notification.type === 'add' && notification.initial) {
      this.#initial.push(notification);
      return;
    }
    this.#later.push(notification);
    if (this.#later.size > this.#coalesceAt) this.#coalesce();
  }

  /** The state at the start is complete. Calling again has no effect. */
  mark(): void {
    this.#marked = true;
  }

  /** The next one to read; undefined when there is none. */
  shift(): Notification<V> | typeof SYNCED | undefined {
    const initial = this.#initial.shift();
    if (initial !== undefined) return initial;
    if (this.#marked && !this.#markRead) {
      this.#markRead = true;
      return SYNCED;
    }
    return this.#later.shift();
  }

  clear(): void {
    this.#initial.clear();
    this.#later.clear();
    this.#markRead = true;
  }

  #coalesce(): void {
    const merged = coalesce(this.#later);
    this.#later = new RingBuffer(merged.length);
    for (const notification of merged) this.#later.push(notification);
    this.#coalesceAt = Math.max(this.#coalesceAbove, 2 * merged.length);
  }
}

/**
 * An informer as a stream: the existing objects as initial additions, and then every change. Each loop over it is a reader of
 * its own.
 *
 * Guarantees:
 * - A reader gets every object that exists when its loop begins, and every later change, in order; leaving the loop
 *   unregisters it.
 * - A slow reader, or one that stops reading, only takes memory: for `maxBuffered` changes, or for four changes for each object,
 *   if that is more.
 * - The loop ends when the informer stops, after the changes buffered by then.
 * - A reader does not block the event loop for long, even with many changes.
 *
 * Not guaranteed: every state of an object; see `overflow`.
 * @throws {ListwatchError} code INVALID_OPTION; when a loop begins, CLOSED once the informer has stopped.
 */
export function changesOf<
  T extends KubernetesObject,
  View extends ChangeView = 'object',
  Mark extends boolean = false,
>(
  informer: ChangeSource<T>,
  options: ChangesOptions<View, Mark> = {},
): AsyncIterable<ChangeOf<T, View, Mark>> {
  const resolved = resolveChangesOptions(options);
  return {
    [Symbol.asyncIterator]: (): AsyncIterator<ChangeOf<T, View, Mark>, undefined> =>
      // The options determine the types of the changes.
      new ChangeReader<T>(informer, resolved) as AsyncIterator<
        ChangeOf<T, ChangeView, boolean>,
        undefined
      > as AsyncIterator<ChangeOf<T, View, Mark>, undefined>,
  };
}
