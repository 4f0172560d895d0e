import { ListwatchError } from '../../kernel/failure/errors.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import { onAbort } from '../../kernel/time/abort.ts';
import { boundedWait, conditionText, holds } from '../../kernel/time/bounded-wait.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/** Waits for conditions on the events of a stream. It always closes the stream at the end; see `until`. */
export async function untilEvent<E>(
  events: AsyncIterable<E>,
  conditions: ConditionSequence<E>,
  options: UntilEventOptions & { readonly name: string },
): Promise<E> {
  const { name, signal, runtime = realRuntime } = options;
  const describe = (): string => `${name}: ${conditions.describe()}`;
  const bounds = { timeoutMs: options.timeoutMs, signal, describe };
  return await boundedWait(runtime, bounds, async (waiting) => {
    const iterator = events[Symbol.asyncIterator]();
    // A stream that hangs may end late; the caller does not wait for it.
    onAbort(waiting, () => void iterator.return?.().then(undefined, () => {}));
    return await firstAccepted(iterator, conditions, name);
  });
}

async function firstAccepted<E>(
  iterator: AsyncIterator<E>,
  conditions: ConditionSequence<E>,
  name: string,
): Promise<E> {
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) {
      throw new ListwatchError(
        'WATCH_CLOSED',
        `${name} ended while it was waited for ${conditions.describe()}`,
      );
    }
    if (conditions.accepts(next.value)) return next.value;
  }
}

/** The limits of a wait. */
export interface UntilOptions {
  /** The longest wait, milliseconds. The error names the condition. @defaultValue none */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait; the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface UntilEventOptions extends UntilOptions {
  /** Measures `timeoutMs`. @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

export interface UntilWatchOptions extends UntilEventOptions {
  /** Events begin after this version; see `RetryWatcher`. */
  readonly resourceVersion: string;
  /** Gets failures after which the watch is tried again. @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

/** Returns true for the awaited event. It must be synchronous. */
export type EventCondition<E> = (event: E) => boolean | undefined;

/** Conditions that have to become true one after the other. */
export class ConditionSequence<E> {
  readonly #conditions: readonly EventCondition<E>[];
  #satisfied = 0;
  #events = 0;

  /** @throws {ListwatchError} code INVALID_OPTION when there is no condition, or one is not a function. */
  constructor(owner: string, conditions: EventCondition<E> | readonly EventCondition<E>[]) {
    this.#conditions = typeof conditions === 'function' ? [conditions] : conditions;
    const valid = Array.isArray(this.#conditions) && this.#conditions.length > 0;
    if (valid && this.#conditions.every((one) => typeof one === 'function')) return;
    throw new ListwatchError(
      'INVALID_OPTION',
      `${owner}: the conditions must be a function, or an array of at least one`,
    );
  }

  /** Whether the event satisfies the last condition; one event may satisfy several. @throws what a condition throws. */
  accepts(event: E): boolean {
    this.#events += 1;
    for (;;) {
      const condition = this.#conditions[this.#satisfied];
      if (condition === undefined) return true;
      if (!holds(condition, event)) return false;
      this.#satisfied += 1;
    }
  }

  /** The condition that is not satisfied yet, and the number of events so far. */
  describe(): string {
    const { length } = this.#conditions;
    const condition = this.#conditions[this.#satisfied] as EventCondition<E>;
    const which = length === 1 ? 'condition' : `condition ${this.#satisfied + 1} of ${length},`;
    const count = this.#events === 1 ? '1 event' : `${this.#events} events`;
    return `${which} ${conditionText(condition)}; it has seen ${count}`;
  }
}
