import { isPromiseLike } from '../../../kernel/failure/guarded-call.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { abortable } from '../../../kernel/time/abort.ts';
import { Backoff } from '../../../kernel/time/backoff.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { nextTask, sleep } from '../../../kernel/time/wait.ts';
import { keysOf, type Targets } from './targets.ts';

/** The argument of a subscription. */
export interface Subscription {
  /** Reconciles these objects. It never throws: what is no target is logged and counted. */
  readonly emit: (targets: Targets) => void;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
}

/**
 * A source of keys outside the API server: an iterable of targets, or a function that subscribes. The function may return an iterable, a
 * function that ends the subscription, or a promise of its end. A function is called again after a failure, after a pause that grows from
 * a second to a minute.
 */
export type EventSource =
  | AsyncIterable<Targets>
  // oxlint-disable-next-line typescript/no-invalid-void-type
  | ((subscription: Subscription) => AsyncIterable<Targets> | Promise<void> | (() => void) | void);

export interface ExternalSourceOptions {
  readonly name: string;
  readonly source: EventSource;
  readonly controller: string;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly enqueue: (key: string) => void;
}

/** The state of an external source at one moment. */
export interface ExternalSourceInspection {
  readonly name: string;
  /** `waiting`: it has failed, and is started again after a pause. `ended`: it will bring nothing more. */
  readonly state: 'new' | 'running' | 'waiting' | 'ended';
  /** Calls of `emit`, or values of the iterable. */
  readonly events: number;
  /** Failures of the source, and events that were no targets. */
  readonly failures: number;
  readonly lastError: string | undefined;
}

const PAUSE = { baseMs: 1_000, capMs: 60_000 };
/** Values that are read in one task, when an iterable has them at once. */
const LONGEST_SLICE = 100;

/** One external source of a controller, from the start of the controller to its end. */
export class ExternalSource {
  readonly #options: ExternalSourceOptions;
  #state: ExternalSourceInspection['state'] = 'new';
  #events = 0;
  #failures = 0;
  #lastError: string | undefined;

  constructor(options: ExternalSourceOptions) {
    this.#options = options;
  }

  inspect(): ExternalSourceInspection {
    const { name } = this.#options;
    const [state, events, failures] = [this.#state, this.#events, this.#failures];
    return { name, state, events, failures, lastError: this.#lastError };
  }

  /** Passes on what comes until the signal aborts. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    const pause = new Backoff(runtime, PAUSE);
    while (!signal.aborted) {
      this.#state = 'running';
      try {
        await this.#follow(signal);
        break;
      } catch (error) {
        if (signal.aborted) break;
        const again = typeof this.#options.source === 'function';
        const delayMs = pause.step();
        const next = again
          ? `it is started again in ${Math.round(delayMs)} ms`
          : 'it brings nothing more; pass a function that makes the iterable, so that it can be started again';
        this.#report('source failed', error, next);
        if (!again) break;
        this.#state = 'waiting';
        await sleep(runtime, delayMs, { signal }).catch(() => {});
      }
    }
    this.#state = 'ended';
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { source } = this.#options;
    const emit = (targets: Targets): void => {
      this.#emit(targets);
    };
    const made = typeof source === 'function' ? source({ emit, signal }) : source;
    try {
      if (isIterable(made)) await this.#read(made, signal);
      else await abortable(isPromiseLike(made) ? made : new Promise<never>(() => {}), signal);
    } finally {
      if (typeof made === 'function') made();
    }
  }

  /** An iterable that ignores the signal is left where it is. One that always has a next value does not keep others from their turn. */
  async #read(iterable: AsyncIterable<Targets>, signal: AbortSignal): Promise<void> {
    const iterator = iterable[Symbol.asyncIterator]();
    let left = LONGEST_SLICE;
    try {
      for (;;) {
        const next = await abortable(iterator.next(), signal);
        if (next.done === true) return;
        this.#emit(next.value);
        left -= 1;
        if (left > 0) continue;
        left = LONGEST_SLICE;
        await nextTask(this.#options.runtime);
      }
    } finally {
      // Its end may wait for what never comes.
      if (signal.aborted) void iterator.return?.().then(undefined, () => {});
    }
  }

  #emit(targets: Targets): void {
    this.#events += 1;
    try {
      for (const key of keysOf(targets, 'emit')) this.#options.enqueue(key);
    } catch (error) {
      this.#report('source brought no key', error);
    }
  }

  /** The first failure is logged, then each tenth as many. */
  #report(text: string, error: unknown, next?: string): void {
    this.#failures += 1;
    this.#lastError = errorMessage(error);
    if (!/^10*$/.test(String(this.#failures))) return;
    const { controller, name, logger } = this.#options;
    logger.error(text, { controller, source: name, next, failures: this.#failures, error });
  }
}

function isIterable(made: unknown): made is AsyncIterable<Targets> {
  return typeof made === 'object' && made !== null && Symbol.asyncIterator in made;
}
