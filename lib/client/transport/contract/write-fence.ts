/**
 * Decides whether this process may write at this moment, by a lease that it holds.
 *
 * All members are synchronous, because they are asked in the last step before bytes leave.
 */
export interface WriteFence {
  /** Returns if a write may be sent now. @throws the reason why not, e.g. {ListwatchError} code LEADERSHIP_LOST. */
  check(): void;
  /** When the right to write ends, as far as it is known now, in the time of `Runtime.monotonicMs`. Writes that are under way end then. */
  readonly validUntilMs: number;
  /** Aborts when the right has ended, with the reason. */
  readonly lost: AbortSignal;
  /** Sent with each write, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The server has refused a write, because the right has passed to another process. Returns the reason. */
  refused(): unknown;
}
