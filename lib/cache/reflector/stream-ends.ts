import type { Runtime } from '../../kernel/time/runtime.ts';
import { classifyFailure, type Failure } from './failure/watch-error.ts';
import type { ReflectorPace } from './reflector-pace.ts';
import { RetryWithDeadline } from '../../kernel/time/retry-with-deadline.ts';
import type { ReflectorInput, StreamLife } from './table/reflector-state.ts';

/** An input together with the error it came from. */
export interface Outcome {
  readonly input: ReflectorInput;
  readonly error?: unknown;
}

/** The counts of a watch while it is open. */
interface EndedWatch {
  readonly ageMs: number;
  readonly events: number;
}

export interface StreamEndsOptions {
  readonly runtime: Runtime;
  readonly pace: ReflectorPace;
  /** How long a watch is asked for again at once after internal errors of the server, milliseconds. */
  readonly internalErrorRetryMs: number;
}

/** A minute without an internal error begins a new row of them (client-go reflector.go watch @ 32ce75a7). */
const INTERNAL_ERRORS_RESET_MS = 60_000;

/** How the watches of a reflector end, as inputs of its table. It counts internal errors of the server across watches. */
export class StreamEnds {
  readonly #pace: ReflectorPace;
  readonly #internalErrors: RetryWithDeadline;

  constructor({ runtime, pace, internalErrorRetryMs }: StreamEndsOptions) {
    this.#pace = pace;
    this.#internalErrors = new RetryWithDeadline({
      runtime,
      maxRetryMs: internalErrorRetryMs,
      resetAfterMs: INTERNAL_ERRORS_RESET_MS,
    });
  }

  /** The server did not open the watch. */
  refused(error: unknown): Outcome {
    const failure = classifyFailure(error);
    return { input: { type: 'watch-refused', failure, ...this.#retry(failure) }, error };
  }

  /** An open watch failed. To be called before it is closed. */
  failed(watch: EndedWatch, error: unknown): Outcome {
    const failure = classifyFailure(error);
    const life = this.#lifeOf(watch);
    return { input: { type: 'stream-failed', failure, ...life, ...this.#retry(failure) }, error };
  }

  /** The server has closed the watch. To be called before it is closed here. */
  ended(watch: EndedWatch): Outcome {
    return { input: { type: 'stream-ended', ...this.#lifeOf(watch) } };
  }

  #lifeOf({ ageMs: durationMs, events }: EndedWatch): StreamLife {
    return { durationMs, events, delayMs: this.#pace.presentMs };
  }

  #retry({ kind }: Failure): { readonly retryInternal: boolean } {
    if (kind !== 'internal') return { retryInternal: false };
    this.#internalErrors.after();
    return { retryInternal: this.#internalErrors.shouldRetry() };
  }
}
