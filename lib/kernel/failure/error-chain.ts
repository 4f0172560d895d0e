import { errorMessage, isListwatchError, isReadable } from './errors.ts';

/** A chain of causes can be a circle, and a host can have many addresses. */
const DEEPEST_CAUSE = 8;
const MOST_ERRORS = 16;

/** The properties that one error of a chain may have; any thrown value can be one. */
export interface ChainedError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly [name: string]: unknown;
}

/** The error itself, its causes, and the errors of the addresses that were tried, outermost first; at most 16. */
export function errorChain(error: unknown): readonly ChainedError[] {
  const chain: ChainedError[] = [];
  gather(error, 0, chain);
  return chain;
}

function gather(error: unknown, depth: number, chain: ChainedError[]): void {
  if (typeof error !== 'object' || error === null) return;
  if (depth > DEEPEST_CAUSE || chain.length >= MOST_ERRORS) return;
  // A proxy that was revoked throws at every use of it.
  if (!isReadable(error)) return;
  chain.push(error as ChainedError);
  const { cause, errors } = error as ChainedError;
  gather(cause, depth + 1, chain);
  if (!Array.isArray(errors)) return;
  for (const one of errors) gather(one, depth + 1, chain);
}

/** The first error of the chain with one of these codes. */
export function findCode(error: unknown, codes: ReadonlySet<string>): ChainedError | undefined {
  return errorChain(error).find(({ code }) => typeof code === 'string' && codes.has(code));
}

/**
 * The message for people. Some messages of Node are only `fetch failed`, or empty when several addresses were tried; the causes
 * then have the reason. The errors of this package have it in their own message.
 */
export function failureMessage(error: unknown): string {
  if (isListwatchError(error)) return errorMessage(error);
  const texts = errorChain(error).flatMap(({ message }) =>
    typeof message === 'string' && message !== '' ? [message] : [],
  );
  const shown = texts.filter(
    (text, index) => !texts.slice(0, index).some((earlier) => earlier.includes(text)),
  );
  return shown.length === 0 ? errorMessage(error) : shown.join(': ');
}
