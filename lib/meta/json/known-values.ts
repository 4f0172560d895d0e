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
