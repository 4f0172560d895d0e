/** An object or array among the bytes of something, that was found to be valid there. It is read at once, or not at all. */
export interface KnownValue {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Gives the longest member of an object as it was last, metadata aside: most changes are of a status, and a `spec` that is the
 * same byte for byte need not be scanned again. It is a hint.
 */
export type KnownValueOf = (name: string, namespace: string | undefined) => KnownValue | undefined;

/** By source. A wrapper around a source is another object, and not found here: what it does must not be left out. */
const users = new WeakMap<object, (knownValueOf: KnownValueOf) => object>();

/** Says that a source scans less with known values; `derive` makes a source like it that asks for them. */
export function takesKnownValues<S extends object>(
  source: S,
  derive: (knownValueOf: KnownValueOf) => S,
): void {
  users.set(source, derive);
}

/** The source with known values at hand, or the source itself when it has no use for them. */
export function withKnownValues<S extends object>(source: S, knownValueOf: KnownValueOf): S {
  return (users.get(source)?.(knownValueOf) as S | undefined) ?? source;
}
