/** The cause of a failure and what to do about it, both without a full stop. */
export interface Explanation {
  readonly problem: string;
  readonly remedy: string;
}
