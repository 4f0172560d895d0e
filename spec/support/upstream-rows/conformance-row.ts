/** One test of client-go and where the fact it asserts is held here. */
export interface ConformanceRow {
  /** Upstream file below `tools/cache` or its neighbours, e.g. `reflector_test.go`. */
  readonly file: string;
  /** Name of the upstream test function. */
  readonly test: string;
  /** The specs that hold the fact; empty when it cannot apply, and then `because` says why. */
  readonly specs: readonly SpecReference[];
  /** Why it cannot apply, or what differs on purpose, in one sentence. */
  readonly because?: string | undefined;
}

export interface SpecReference {
  /** Path below `spec/`. */
  readonly spec: string;
  /** Full title as mocha joins it: the titles of all suites around the case, and its own. */
  readonly title: string;
}
