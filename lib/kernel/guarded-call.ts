/**
 * Calls a hook of the user. What it throws goes to `onFailure`, and so does what its promise rejects with: an async function
 * passes for one that returns nothing, and its unhandled rejection would end the process.
 */
export function guardedCall(call: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const result = call();
    if (typeof result !== 'object' || result === null) return;
    // Also for a foreign thenable: whatever its `then` does ends up in this promise.
    Promise.resolve(result).then(undefined, onFailure);
  } catch (error) {
    onFailure(error);
  }
}

/**
 * Whether a function that has to be synchronous gave back a promise. Its rejection has no handler any more and must
 * not end the process; the caller reports the promise itself.
 */
export function isStrayPromise(result: unknown): result is PromiseLike<unknown> {
  if (typeof result !== 'object' || result === null || !('then' in result)) return false;
  if (typeof result.then !== 'function') return false;
  Promise.resolve(result as PromiseLike<unknown>).then(undefined, () => {});
  return true;
}
