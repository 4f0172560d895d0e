/** The number of a key that has none. */
export const NO_NUMBER = -1;

/**
 * Goes with the add of a key: makes the note that a queue keeps of the key until it is taken, so that nothing else has to look the key
 * up. One writer may serve many queues.
 */
export interface NoteWriter {
  /** A small whole number that the source of the keys gave to this key, so that queues find it faster; `NO_NUMBER`: none. */
  readonly keyNumber: number;
  /** The note of a key that has had the note `earlier` since it was last taken. */
  write(earlier: unknown): unknown;
}
