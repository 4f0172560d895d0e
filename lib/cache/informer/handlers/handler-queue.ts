import { isPromiseLike, whenSettled } from '../../../kernel/failure/guarded-call.ts';
import { deferred, type Deferred, Latch } from '../../../kernel/time/latch.ts';
import { RingBuffer } from '../../../kernel/data/ring-buffer.ts';
import type { LogFields } from '../../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { coalesce } from './coalesce.ts';
import type { DeliveryTurns, Slice } from './delivery-turns.ts';
import type { BoundedHandlerBuffer } from './handler-registration.ts';
import type { Notification, NotificationBatch } from './notification.ts';
import { assert } from '../../../kernel/failure/assert.ts';

/** A slice ends after this many deliveries, so that input and output get a turn even if the clock does not advance. */
const LONGEST_SLICE = 1024;

/** If the promise of a callback takes longer, a warning is logged; milliseconds. */
const SLOW_CALLBACK_MS = 30_000;

export interface HandlerQueueOptions<V extends HasMetadata> {
  readonly name: string;
  readonly runtime: Runtime;
  /** Calls the handler. */
  readonly deliver: (notification: Notification<V>) => unknown;
  /** Determines when the queue delivers, and how much at a time. */
  readonly turns: DeliveryTurns;
  /** Notifications that may wait, initial ones left out. */
  readonly limit: () => number;
  /** Above the limit: merge the notifications of each key, or remove the handler. */
  readonly whenFull: BoundedHandlerBuffer['whenFull'];
  /** The queue is full and takes no more. */
  readonly onFull: (pending: number) => void;
  /** The handler threw, or its promise rejected. */
  readonly onError: (error: unknown, notification: Notification<V>) => void;
  readonly onWarning: (message: string, fields: LogFields) => void;
}

/**
 * The pending notifications of one handler, and the loop that delivers them.
 *
 * Guarantees:
 * - One callback at a time, in order; a returned promise is awaited before the next one.
 * - When a callback throws, the error is reported; the notification counts as delivered and is not repeated.
 * - Deliveries are sliced: other work in the process gets a turn between two slices.
 * - Memory is bounded: above `limit`, the notifications of each key are merged until at most two a key remain, or the handler
 *   is removed.
 */
export class HandlerQueue<V extends HasMetadata> implements Slice {
  readonly name: string;
  readonly tracker: SyncTracker;
  readonly #options: HandlerQueueOptions<V>;
  readonly #turns: DeliveryTurns;
  #batches = new RingBuffer<NotificationBatch<V>>();
  /** The current batch and the place of its next notification. */
  #current: NotificationBatch<V> | undefined;
  #place = 0;
  /** Notifications in `#batches`. */
  #queued = 0;
  #delivered = 0;
  #failed = 0;
  #coalesced = 0;
  /** The size at which the next merge happens. The distance between merges keeps their cost proportional to the pushes. */
  #coalesceAt = 0;
  #started = false;
  #closed = false;
  /** The running callback has closed the queue, and must not wait for itself. */
  #closedWithin = false;
  /** A slice is queued or runs. */
  #scheduled = false;
  #sliceEndMs = 0;
  #sliceLeft = 0;
  #calling: Notification<V> | undefined;
  /** A callback of the handler is on the stack. */
  #entered = false;
  #idle: Deferred<void> | undefined;
  #callingSinceMs = 0;
  #slowTimer: Timer | undefined;

  constructor(options: HandlerQueueOptions<V>) {
    this.name = options.name;
    this.tracker = new SyncTracker(`initial objects of ${options.name}`);
    this.#options = options;
    this.#turns = options.turns;
  }

  /** Notifications that wait for their delivery. */
  get pending(): number {
    const current = this.#current;
    return current === undefined
      ? this.#queued
      : this.#queued + current.notifications.length - this.#place;
  }

  /** Callbacks that have returned or thrown. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Callbacks that threw. */
  get failed(): number {
    return this.#failed;
  }

  /** Notifications that were merged into others because the handler was too slow. */
  get coalesced(): number {
    return this.#coalesced;
  }

  /** Whether it can deliver more than `count` notifications now; false while it waits for a promise of a callback. */
  hasBacklog(count: number): boolean {
    return this.#scheduled && this.#calling === undefined && this.pending > count;
  }

  /** Whether it delivers, or has been closed. */
  get started(): boolean {
    return this.#started || this.#closed;
  }

  get closed(): boolean {
    return this.#closed;
  }

  push(batch: NotificationBatch<V>): void {
    const { length } = batch.notifications;
    if (this.#closed || length === 0) return;
    if (batch.initial) this.tracker.start(length);
    this.#batches.push(batch);
    this.#queued += length;
    const later = this.pending - this.tracker.outstanding;
    if (later > this.#coalesceAt && later > this.#options.limit()) this.#relieve(later);
    this.#schedule();
  }

  /** Begins to deliver; before that notifications are queued. */
  start(): void {
    this.#started = true;
    this.#schedule();
  }

  /** Whether a callback of the handler is on the stack. */
  get entered(): boolean {
    return this.#entered;
  }

  /** Drops pending notifications: no callback begins after this. A running callback is not awaited. */
  stop(): void {
    this.#closed = true;
    this.#closedWithin ||= this.#entered;
    this.#batches.clear();
    this.#current = undefined;
    this.#queued = 0;
    this.#slowTimer?.cancel();
    this.#slowTimer = undefined;
  }

  /** Stops, and resolves like `drained`; logs a warning while a callback is slow. */
  close(): Promise<void> {
    this.stop();
    if (this.#calling !== undefined && !this.#closedWithin) this.#watchSlowness();
    return this.drained();
  }

  /**
   * Resolves when the running callback, if there is one, has returned. If this callback itself stopped the queue before its
   * first `await`, all calls resolve at once.
   */
  drained(): Promise<void> {
    if (this.#calling === undefined || this.#closedWithin) return Promise.resolve();
    this.#idle ??= deferred<void>();
    return this.#idle.promise;
  }

  /** Called by the turns. */
  deliverSlice(): void {
    if (this.#closed) return;
    this.#sliceEndMs = this.#turns.nowMs + this.#turns.sliceMs;
    this.#sliceLeft = LONGEST_SLICE;
    this.#deliver();
  }

  #schedule(): void {
    if (this.#scheduled || !this.#started || this.#closed || this.pending === 0) return;
    this.#scheduled = true;
    this.#turns.queue(this);
  }

  #sliceIsOver(): boolean {
    this.#sliceLeft -= 1;
    return this.#turns.isOver(this.#sliceEndMs) || this.#sliceLeft === 0;
  }

  #deliver(): void {
    const { deliver } = this.#options;
    for (;;) {
      const notification = this.#peek();
      if (notification === undefined) break;
      let result: unknown;
      this.#entered = true;
      try {
        result = deliver(notification);
      } catch (error) {
        this.#fail(error, notification);
      }
      this.#entered = false;
      if (isPromiseLike(result)) {
        this.#await(result, notification);
        return;
      }
      this.#returned();
      if (this.#sliceIsOver()) break;
    }
    this.#endSlice();
  }

  #endSlice(): void {
    this.#scheduled = false;
    this.#schedule();
  }

  /** The next notification; it is removed when its callback has returned. */
  #peek(): Notification<V> | undefined {
    const current = this.#current;
    if (current !== undefined && this.#place < current.notifications.length) {
      return current.notifications[this.#place];
    }
    const next = this.#batches.shift();
    this.#current = next;
    this.#place = 0;
    if (next === undefined) {
      this.#coalesceAt = 0;
      return undefined;
    }
    this.#queued -= next.notifications.length;
    return next.notifications[0];
  }

  #await(result: PromiseLike<unknown>, notification: Notification<V>): void {
    this.#calling = notification;
    this.#callingSinceMs = this.#options.runtime.monotonicMs();
    if (!this.#closed) this.#watchSlowness();
    const goOn = (): void => {
      this.#calling = undefined;
      this.#returned();
      this.#turns.look();
      this.#sliceLeft -= 1;
      if (this.#sliceLeft === 0 || this.#turns.nowMs >= this.#sliceEndMs) this.#endSlice();
      else this.#deliver();
    };
    whenSettled(result, goOn, (error) => {
      this.#fail(error, notification);
      goOn();
    });
  }

  #fail(error: unknown, notification: Notification<V>): void {
    this.#failed += 1;
    this.#options.onError(error, notification);
  }

  #returned(): void {
    this.#delivered += 1;
    const current = this.#current;
    if (current === undefined) {
      // The queue was closed in the meantime.
      this.#slowTimer?.cancel();
      this.#idle?.resolve();
      return;
    }
    this.#place += 1;
    if (current.initial) this.tracker.finish();
  }

  #relieve(later: number): void {
    if (this.#options.whenFull === 'coalesce') this.#coalesce();
    else this.#options.onFull(later);
  }

  /** Merges notifications that are not initial; initial ones come first, and their number is at most the size of the store. */
  #coalesce(): void {
    const batches = new RingBuffer<NotificationBatch<V>>();
    const later: Notification<V>[] = [];
    for (const batch of this.#batches) {
      if (batch.initial) batches.push(batch);
      else for (const notification of batch.notifications) later.push(notification);
    }
    const notifications = coalesce(later);
    if (this.#coalesced === 0) {
      this.#options.onWarning(
        'the handler is slow; it gets only the net change of each object from now on',
        { handler: this.name, pending: this.pending },
      );
    }
    if (notifications.length > 0) {
      batches.push({ notifications, initial: false, audience: 'all' });
    }
    this.#batches = batches;
    this.#coalesced += later.length - notifications.length;
    this.#queued -= later.length - notifications.length;
    this.#coalesceAt = 2 * (this.pending - this.tracker.outstanding);
  }

  /** One timer serves all callbacks that return promises. */
  #watchSlowness(): void {
    const { runtime, onWarning } = this.#options;
    if (this.#slowTimer !== undefined) return;
    const look = (): void => {
      this.#slowTimer = undefined;
      if (this.#calling === undefined) return;
      const elapsedMs = runtime.monotonicMs() - this.#callingSinceMs;
      if (elapsedMs >= SLOW_CALLBACK_MS) {
        const { type, key } = this.#calling;
        onWarning(
          this.#closed
            ? 'the removal of the handler waits for a call'
            : 'notifications wait for a call of the handler',
          { handler: this.name, type, key, elapsedMs, pending: Math.max(0, this.pending - 1) },
        );
      }
      this.#slowTimer = runtime.setTimer(SLOW_CALLBACK_MS, look, { background: true });
    };
    this.#slowTimer = runtime.setTimer(SLOW_CALLBACK_MS, look, { background: true });
  }
}

/**
 * Tracks whether one handler has seen the state at the start: the informer is synced, and every initial notification that was
 * queued before that has been delivered. Once synced, it stays synced.
 */
export class SyncTracker {
  readonly #latch: Latch;
  #outstanding = 0;
  #upstreamSynced = false;

  constructor(name: string) {
    this.#latch = new Latch(name);
  }

  get synced(): boolean {
    return this.#latch.isOpen;
  }

  /** Resolves when synced. */
  get whenSynced(): Promise<void> {
    return this.#latch.opened;
  }

  /** Opens when synced. */
  get syncedLatch(): Latch {
    return this.#latch;
  }

  /** Initial notifications that wait for their delivery. */
  get outstanding(): number {
    return this.#outstanding;
  }

  /** Whether the informer is synced. */
  get upstreamSynced(): boolean {
    return this.#upstreamSynced;
  }

  /** `count` initial notifications are queued. Call it before any of them is delivered. */
  start(count: number): void {
    this.#outstanding += count;
  }

  /** An initial notification was delivered, or its callback threw; it is not delivered again. */
  finish(): void {
    assert(this.#outstanding > 0, 'an initial notification was finished that was never started');
    this.#outstanding -= 1;
    this.#check();
  }

  /** The informer is synced: all initial notifications are queued. */
  markUpstreamSynced(): void {
    this.#upstreamSynced = true;
    this.#check();
  }

  #check(): void {
    if (this.#upstreamSynced && this.#outstanding === 0) this.#latch.open();
  }
}
