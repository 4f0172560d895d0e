import { ListwatchError, type ErrorCode } from '../../kernel/failure/errors.ts';
import { Heap } from '../../kernel/data/heap.ts';
import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import { compareResourceVersions } from '../../meta/versions/resource-version.ts';

export interface CaughtUpOptions {
  /** Longest wait in milliseconds. @defaultValue no limit */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter extends Deferred<void> {
  readonly resourceVersion: string;
}

/** The version that a cache has reached, and the waits for a later version. */
export class ProcessedVersion {
  readonly #runtime: Runtime;
  readonly #waiters = new Heap<Waiter, Waiter>({
    keyOf: (waiter) => waiter,
    isBefore: (left, right) =>
      compareResourceVersions(left.resourceVersion, right.resourceVersion) < 0,
  });
  #value = '';
  #closed = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The resource version up to which everything has been applied; empty before the first. */
  get value(): string {
    return this.#value;
  }

  /** Sets a newer resource version, and resolves the waits for it. */
  advance(resourceVersion: string): void {
    this.#value = resourceVersion;
    for (let first = this.#waiters.peek(); first !== undefined; first = this.#waiters.peek()) {
      if (compareResourceVersions(first.resourceVersion, resourceVersion) > 0) return;
      this.#waiters.pop();
      first.resolve();
    }
  }

  /** The server went back to an older state: rejects all waits. */
  goBack(resourceVersion: string): void {
    this.#value = resourceVersion;
    this.#abandon('HISTORY_REPLACED', 'the server went back to an older state');
  }

  /** Nothing will be applied any more. */
  close(): void {
    this.#closed = true;
    this.#abandon('CLOSED', 'the cache has stopped');
  }

  /** @throws {ListwatchError} code TIMEOUT, CLOSED, HISTORY_REPLACED, INVALID_RESOURCE_VERSION; the signal's reason. */
  async reach(resourceVersion: string, { timeoutMs, signal }: CaughtUpOptions): Promise<void> {
    if (compareResourceVersions(resourceVersion, this.#value) <= 0) return;
    signal?.throwIfAborted();
    const waiter: Waiter = { ...deferred<void>(), resourceVersion };
    this.#waiters.set(waiter);
    if (this.#closed) this.close();
    try {
      await withDeadline(this.#runtime, waiter.promise, {
        timeoutMs,
        signal,
        describe: () => this.#describeWait(resourceVersion),
      });
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  #abandon(code: ErrorCode, why: string): void {
    for (let next = this.#waiters.pop(); next !== undefined; next = this.#waiters.pop()) {
      const what = this.#describeWait(next.resourceVersion);
      next.reject(new ListwatchError(code, `gave up waiting for ${what}: ${why}`));
    }
  }

  #describeWait(resourceVersion: string): string {
    const reached = this.#value === '' ? 'has seen nothing yet' : `is at ${this.#value}`;
    return `the cache to reach resource version ${resourceVersion}; it ${reached}`;
  }
}
