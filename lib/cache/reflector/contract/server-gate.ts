/**
 * What the sources of one server share: while the server does not answer, their readers ask it one after the other.
 *
 * A reflector asks for its turn before each list and each watch. The source itself says whether there was an answer.
 */
export interface ServerGate {
  /** Why requests wait, such as `waiting for the server: …`; undefined while the server answers. */
  readonly waitingFor: string | undefined;
  /** Undefined when the server may be asked at once. Rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<void> | undefined;
  /** Something that the server should have sent did not come: until it answers, one asks it at a time. */
  doubt(): void;
}
