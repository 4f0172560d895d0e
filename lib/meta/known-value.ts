/** An object or array among the bytes of something, that was found to be valid there. It is read at once, or not at all. */
export interface KnownValue {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * Recalls of an object the longest of its members as it was the last time, metadata aside: most changes are of a status, and
 * a `spec` that is the same byte for byte need not be checked again. What it gives is a hint.
 */
export type Recall = (name: string, namespace: string | undefined) => KnownValue | undefined;
