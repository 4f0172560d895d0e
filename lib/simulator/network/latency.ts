/** The times that messages take in a run. */
export interface Latency {
  /** Milliseconds of a request, or of an answer. */
  request(): number;
  /** Milliseconds until a piece of a watch arrives. */
  event(): number;
}
