import { Latch } from '../../../kernel/time/latch.ts';
import { assert } from '../../../kernel/failure/assert.ts';

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
