/**
 * Calls a hook of the user. What it throws goes to `onFailure`, and so does what its promise rejects with: an async function
 * passes for one that returns nothing, and its unhandled rejection would end the process.
 */
export function guardedCall(call: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const result = call();
    if (typeof result !== 'object' || result === null) return;
    whenSettled(result, undefined, onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/** Whether a value has to be awaited. One whose `then` cannot be read is: awaiting it gives the reason. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
  } catch {
    return true;
  }
}

/**
 * Calls one of the two when `result` has settled, once and never before it returns. It never throws: a foreign thenable may
 * throw when its `then` is read or called, and may call back twice.
 */
export function whenSettled(
  result: unknown,
  onResult: ((value: unknown) => void) | undefined,
  onFailure: (error: unknown) => void,
): void {
  try {
    // A promise may have a `then` of its own making, which `await` does not read either.
    void Promise.prototype.then.call(Promise.resolve(result), onResult, onFailure);
  } catch (error) {
    void Promise.reject(error as Error).catch(onFailure);
  }
}

/**
 * Whether a function that has to be synchronous gave back a promise. Its rejection has no handler any more and must
 * not end the process; the caller reports the promise itself.
 */
export function isStrayPromise(result: unknown): result is PromiseLike<unknown> {
  if (!isPromiseLike(result)) return false;
  whenSettled(result, undefined, () => {});
  return true;
}
