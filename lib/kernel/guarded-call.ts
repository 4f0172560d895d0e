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
