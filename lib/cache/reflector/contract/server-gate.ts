/**
 * Shared by the sources of one server: while the server does not answer, their readers send requests one after the other.
 *
 * A reflector waits for its turn before each list and each watch. The source reports whether there was an answer.
 */
export interface ServerGate {
  /** Why requests wait, such as `waiting for the server: …`; undefined while the server answers. */
  readonly waitingFor: string | undefined;
  /** Undefined when a request may be sent at once. Rejects with the reason of the signal. */
  turn(signal: AbortSignal): Promise<void> | undefined;
  /** The server did not send expected data: until it answers, only one reader at a time sends a request. */
  doubt(): void;
}
