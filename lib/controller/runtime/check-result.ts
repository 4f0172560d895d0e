import { invalidOption, shown } from '../../kernel/options/option-rules.ts';
import { plainText } from '../../kernel/text/plain-text.ts';

/** Names that other packages have for the time until the next run. */
const DELAYS = /^(?:requeue|retry|delay|after)/i;

/**
 * Refuses a result with something that would be ignored, such as `requeueAfter`.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function checkResult(owner: string, result: unknown, known: readonly string[]): void {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw invalidOption(
      owner,
      `the result must be nothing, or an object with ${known.join(', ')}; not ${shown(result)}`,
    );
  }
  for (const name of Object.keys(result)) {
    if (known.includes(name)) continue;
    throw invalidOption(owner, `unknown result "${plainText(name, 60)}"; ${advice(name, known)}`);
  }
}

function advice(name: string, known: readonly string[]): string {
  if (DELAYS.test(name)) return 'return requeueAfterMs, in milliseconds';
  return `return nothing, or ${known.join(', ')}`;
}
