/** The requests to the process with the specs. */
export type Asked =
  | { readonly kind: 'reach' }
  | {
      readonly kind: 'check';
      readonly number: number;
      /** Names of tests. */
      readonly tests: readonly string[];
      /** Longest time of one test. */
      readonly limitMs: number;
    };

/** A test, by its file and its title, and the switches that it comes by. */
export interface ReachedTest {
  readonly name: string;
  readonly tookMs: number;
  readonly reached: readonly number[];
}

export interface Reached {
  readonly tests: readonly ReachedTest[];
  /** With all switches off. */
  readonly failing: readonly string[];
  /** The time of the hooks of each file, in milliseconds. */
  readonly overheads: Readonly<Record<string, number>>;
  /** The switches that importing the files comes by. */
  readonly loaded: readonly number[];
}

export interface CheckAnswer {
  /** The test that failed. */
  readonly failed?: string;
  /** It took too long. */
  readonly late?: boolean;
  /** It fails with the switch off too now: the process cannot be used any more. */
  readonly isDirty?: boolean;
}
