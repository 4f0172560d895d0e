import { isStrayPromise } from '../failure/guarded-call.ts';
import { ListwatchError } from '../failure/errors.ts';
import { startAtUser } from '../failure/user-frames.ts';
import { deriveAbort } from './abort.ts';
import type { Runtime } from './runtime.ts';
import { withDeadline, type DeadlineOptions } from './wait.ts';

/**
 * Waits for `work`, within a deadline and until a signal aborts. `work` gets a signal that aborts when the wait is over for any reason.
 * @throws {ListwatchError} code TIMEOUT with the description; what `work` throws; the signal's reason when aborted.
 */
export async function boundedWait<R>(
  runtime: Runtime,
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  options.signal?.throwIfAborted();
  const waiting = deriveAbort(options.signal);
  try {
    return await withDeadline(runtime, work(waiting.signal), options);
  } catch (error) {
    // A timer or a reader has made it; the line that waits is of use.
    if (error instanceof ListwatchError) startAtUser(error);
    throw error;
  } finally {
    waiting.abort();
  }
}

/** Characters of a condition that a message shows. */
const SHOWN_CHARACTERS = 120;

/** The source of a condition on one line, cut if it is long. Messages name a condition by it. */
export function conditionText(condition: (...given: never[]) => unknown): string {
  const text = String(condition).replaceAll(/\s+/gu, ' ');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
}

/**
 * Calls a condition of the caller.
 * @throws what the condition throws; {ListwatchError} code INVALID_OPTION for a promise, which would otherwise count as true.
 */
export function holds<A>(condition: (given: A) => boolean | undefined, given: A): boolean {
  const result: unknown = condition(given);
  if (isStrayPromise(result)) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `a condition must be synchronous, and this one gave back a promise: ${conditionText(condition)}`,
    );
  }
  return Boolean(result);
}
