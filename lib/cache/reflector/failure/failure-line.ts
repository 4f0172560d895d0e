import { explainedError } from '../../../kernel/failure/explained-error.ts';
import { plainText } from '../../../kernel/text/plain-text.ts';
import { withRemedy } from '../../../meta/failure/api-error.ts';
import { failureMessage } from './error-chain.ts';
import { remedyOf } from './remedy.ts';

/** The most characters of a cause in a log line; the error has all of it. */
const LONGEST_CAUSE = 300;

/** A failed list or watch in a log line. */
export interface FailureLine {
  /** ` (https://10.0.0.1:6443)`: the server that was asked; empty if it is not known. */
  readonly server: string;
  /** The cause, and what to do about it, once. Without a full stop. */
  readonly text: string;
}

/** An error of a client names cause and remedy itself; for errors of other sources the remedy is added. */
export function failureLine(error: unknown): FailureLine {
  const known = explainedError(error);
  if (known !== undefined) {
    const text = withRemedy(plainText(known.problem, LONGEST_CAUSE), known.remedy);
    return { server: ` (${known.server})`, text };
  }
  const problem = plainText(failureMessage(error), LONGEST_CAUSE).replace(/[.;]$/, '');
  return { server: '', text: withRemedy(problem, remedyOf(error)) };
}
