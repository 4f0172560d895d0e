/** Maximum depth. API servers accept no object this deep; anything below is not frozen. */
const DEEPEST = 100;

/**
 * Freezes an object and everything it refers to, so that in strict mode code that modifies it gets a `TypeError` on that line.
 * A frozen object is not visited again, so cycles and shared parts are safe. Accessors, and binary data (which cannot be
 * frozen), are skipped.
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
