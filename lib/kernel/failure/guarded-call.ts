/**
 * Calls a hook of the user. An error that it throws, or a rejection of the promise that it returns, goes to `onFailure`.
 * TypeScript accepts an async function for a hook of type `() => void`, and its unhandled rejection would end the process.
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

/** Whether a value has to be awaited. True also if its `then` cannot be read: awaiting it then rejects with the reason. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return typeof (value as Partial<PromiseLike<unknown>>).then === 'function';
  } catch {
    return true;
  }
}

/**
 * Calls one of the two callbacks once, after `result` has settled, and never before this function returns. Never throws: a
 * foreign thenable may throw when its `then` is read or called, and may call back twice.
 */
export function whenSettled(
  result: unknown,
  onResult: ((value: unknown) => void) | undefined,
  onFailure: (error: unknown) => void,
): void {
  try {
    // A promise may have an own `then`. `await` does not read it, so neither does this.
    void Promise.prototype.then.call(Promise.resolve(result), onResult, onFailure);
  } catch (error) {
    void Promise.reject(error as Error).catch(onFailure);
  }
}

/**
 * Whether a function that has to be synchronous returned a promise. A rejection of that promise is handled here, because it
 * would end the process; the caller reports the promise itself.
 */
export function isStrayPromise(result: unknown): result is PromiseLike<unknown> {
  if (!isPromiseLike(result)) return false;
  whenSettled(result, undefined, () => {});
  return true;
}
