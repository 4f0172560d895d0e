/** Deeper than any object an API server takes; what lies below stays as it is. */
const DEEPEST = 100;

/**
 * Freezes an object with all that hangs on it, so that in strict mode whoever modifies it gets a `TypeError` on that very
 * line. What is frozen already is taken for done, so cycles and shared parts do no harm; binary data, which cannot be
 * frozen, and accessors are left alone.
 */
export function deepFreeze<T>(root: T): T {
  if (!isFreezable(root)) return root;
  let level: unknown[] = [root];
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const value of level) {
      if (isFreezable(value)) freezeOne(value, next);
    }
    level = next;
  }
  return root;
}

function freezeOne(object: object, below: unknown[]): void {
  Object.freeze(object);
  for (const name of Object.keys(object)) {
    // Reading through the descriptor does not run accessors, which may decode or throw.
    const value: unknown = Object.getOwnPropertyDescriptor(object, name)?.value;
    if (typeof value === 'object') below.push(value);
  }
}

function isFreezable(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !Object.isFrozen(value) && !ArrayBuffer.isView(value);
}
