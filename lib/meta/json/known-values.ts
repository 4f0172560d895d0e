/**
 * An object or array in the given bytes that is known to be valid there. It has to be read at once, because the bytes may
 * change later.
 */
export interface KnownValue {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the longest member of the last known state of an object, other than its metadata. Most changes are changes of
 * `status`, and a `spec` with the same bytes need not be scanned again. The result is only a hint.
 */
export type KnownValueOf = (name: string, namespace: string | undefined) => KnownValue | undefined;

/** By source. A wrapper around a source is another object and has no entry here, so the work of the wrapper is not skipped. */
const users = new WeakMap<object, (knownValueOf: KnownValueOf) => object>();

/** Declares that a source scans less when it knows the previous values; `derive` returns a copy of the source that uses them. */
export function takesKnownValues<S extends object>(
  source: S,
  derive: (knownValueOf: KnownValueOf) => S,
): void {
  users.set(source, derive);
}

/** The source with known values, or the source itself if it cannot use them. */
export function withKnownValues<S extends object>(source: S, knownValueOf: KnownValueOf): S {
  return (users.get(source)?.(knownValueOf) as S | undefined) ?? source;
}
