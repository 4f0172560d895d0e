/** A JSON object of unknown content. Clients may send anything, so read it with the functions below. */
export type JsonRecord = Record<string, unknown>;

/** Maximum nesting of objects; deeper ones are refused, so that recursive code is safe from a hostile body. */
export const DEEPEST_OBJECT = 200;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of own properties; undefined when a step is missing. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) {
    if (!isRecord(current) || !Object.hasOwn(current, name)) return undefined;
    current = current[name];
  }
  return current;
}

/** The object at a path; undefined for another value. */
export function recordAt(value: unknown, ...path: readonly string[]): JsonRecord | undefined {
  const found = valueAt(value, ...path);
  return isRecord(found) ? found : undefined;
}

/** The objects in the array at a path; empty when there is no array. */
export function recordsAt(value: unknown, ...path: readonly string[]): JsonRecord[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

/** The text at a path; empty for another value. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The texts in the array at a path. */
export function textsAt(value: unknown, ...path: readonly string[]): string[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === 'string') : [];
}

/** The number at a path; 0 for another value. */
export function numberAt(value: unknown, ...path: readonly string[]): number {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : 0;
}

/** Sets a property that is missing, null, or an empty text, which means none. Returns the resulting value. */
export function defaultTo(record: JsonRecord, name: string, value: unknown): unknown {
  const found = Object.hasOwn(record, name) ? record[name] : null;
  if (found === null || found === '') setOwn(record, name, value);
  return record[name];
}

/** Sets an own property of any name, also `__proto__`. */
export function setOwn(record: JsonRecord, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(record, name, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  } else {
    record[name] = value;
  }
}

/** The nested object of this name, created when it is missing; undefined when there is another value. */
export function ensureRecord(record: JsonRecord, name: string): JsonRecord | undefined {
  const found = defaultTo(record, name, {});
  return isRecord(found) ? found : undefined;
}

/** Whether two JSON values are equal; the order of properties does not matter, and undefined ones count as absent. */
export function jsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => jsonEqual(item, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  let common = 0;
  for (const name of Object.keys(left)) {
    if (left[name] === undefined) continue;
    if (!Object.hasOwn(right, name) || !jsonEqual(left[name], right[name])) return false;
    common += 1;
  }
  for (const name of Object.keys(right)) if (right[name] !== undefined) common -= 1;
  return common === 0;
}

/** Whether a value is nested at most `limit` levels deep. Iterative, so that deep values cannot overflow the stack. */
export function depthWithin(value: unknown, limit: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= limit) return false;
    const next: object[] = [];
    for (const one of level) {
      for (const child of Object.values(one) as unknown[]) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return true;
}
