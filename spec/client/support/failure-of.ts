import { isListwatchError, ListwatchError } from '../../../lib/kernel/failure/errors.ts';

/** The error that `work` rejects with. */
export async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, but the work succeeded');
}

/** The typed error `work` rejects with. A module that is loaded when it is used may have its own copy of the class. */
export async function failureOf(work: Promise<unknown>): Promise<ListwatchError> {
  const error = await rejectionOf(work);
  if (isListwatchError(error)) return error;
  throw new Error(`expected a typed error, got ${String(error)}`, { cause: error });
}

/** The typed error `call` throws. */
export function thrownBy(call: () => unknown): ListwatchError {
  try {
    call();
  } catch (error) {
    if (error instanceof ListwatchError) return error;
    throw error;
  }
  throw new Error('expected an error, but the call succeeded');
}
