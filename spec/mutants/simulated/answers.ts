/** The switches that each simulation comes by. */
export interface Reached {
  readonly bySimulation: Record<string, readonly number[]>;
  /** The finding of a simulation without a mutant: then no mutant can be checked. */
  readonly alarm: string | undefined;
}

/** The finding with a mutant, and its simulation. */
export interface Found {
  readonly finding: string | undefined;
  readonly by: string | undefined;
}
