import { expect } from 'chai';
import { isListwatchError, type ListwatchError } from '../../lib/kernel/failure/errors.ts';

/** The error of this package with which a call is refused. */
export async function refused(call: Promise<unknown>): Promise<ListwatchError> {
  let thrown: unknown;
  try {
    await call;
  } catch (error) {
    thrown = error;
  }
  if (!isListwatchError(thrown)) expect.fail(`it was not refused, but gave ${String(thrown)}`);
  return thrown;
}
