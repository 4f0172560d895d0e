import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { Latch } from '../../../kernel/time/latch.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { untilOpen } from '../../../kernel/time/wait.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { HandlerQueue } from './handler-queue.ts';
import type { HandlerRegistration, WaitOptions } from './handler-registration.ts';
import type { HandlerInspection } from '../observe/informer-inspection.ts';
import { StartCheck } from './start-check.ts';
import type { ResyncEntry } from './resync-schedule.ts';

export interface RegisteredHandlerOptions<V extends HasMetadata> {
  /** Name of the informer. */
  readonly informer: string;
  readonly queue: HandlerQueue<V>;
  readonly resync: ResyncEntry;
  readonly runtime: Runtime;
  /** The reason why the informer is not synced, as text. */
  readonly upstreamWaitsFor: () => string | undefined;
  /** Called once, when the handler is removed. */
  readonly onRemove: (handler: RegisteredHandler<V>) => void;
}

/** A handler on an informer: its queue and its resyncs, and the registration that the caller gets. */
export class RegisteredHandler<V extends HasMetadata> implements HandlerRegistration {
  readonly queue: HandlerQueue<V>;
  readonly resync: ResyncEntry;
  readonly #options: RegisteredHandlerOptions<V>;
  readonly #closed: Latch;
  readonly #start: StartCheck;
  #failure: ListwatchError | undefined;

  constructor(options: RegisteredHandlerOptions<V>) {
    this.queue = options.queue;
    this.resync = options.resync;
    this.#options = options;
    const { informer, runtime } = options;
    this.#start = new StartCheck({ informer, runtime, started: () => this.queue.started });
    this.#closed = new Latch(`removal of ${options.queue.name}`);
  }

  get name(): string {
    return this.queue.name;
  }

  get synced(): boolean {
    return this.queue.tracker.synced;
  }

  get waitingFor(): string | undefined {
    return this.synced ? undefined : this.#waitsFor();
  }

  get pending(): number {
    return this.queue.pending;
  }

  get failure(): ListwatchError | undefined {
    return this.#failure;
  }

  async whenSynced({ timeoutMs, signal }: WaitOptions = {}): Promise<void> {
    const { tracker } = this.queue;
    const { runtime } = this.#options;
    await untilOpen(runtime, [tracker.syncedLatch, this.#closed, this.#start.latch()], {
      timeoutMs,
      signal,
      describe: () => this.#waitsFor(),
    });
    if (!this.synced) {
      this.#start.throwIfNotStarted();
      throw new ListwatchError(
        'CLOSED',
        `${this.name} was removed, or its informer stopped, before it had seen all initial objects`,
        { cause: this.#failure },
      );
    }
  }

  remove(): void {
    if (this.#closed.isOpen) return;
    this.#closed.open();
    this.#options.onRemove(this);
  }

  /** Removes the handler with the error `failure`. */
  fail(failure: ListwatchError): void {
    this.#failure ??= failure;
    this.remove();
  }

  close(): Promise<void> {
    this.remove();
    return this.queue.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  inspect(): HandlerInspection {
    const { name, pending, delivered, failed, coalesced } = this.queue;
    const resyncIntervalMs = this.resync.intervalMs;
    return { name, synced: this.synced, pending, delivered, failed, coalesced, resyncIntervalMs };
  }

  #waitsFor(): string {
    const { upstreamSynced, outstanding } = this.queue.tracker;
    return upstreamSynced
      ? `${this.name} to see ${outstanding} more initial objects`
      : `${this.name}: ${this.#options.upstreamWaitsFor() ?? 'the informer is not synced'}`;
  }
}
