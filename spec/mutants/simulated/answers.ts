/** The switches that each simulation comes by. */
export interface Reached {
  readonly bySimulation: Record<string, readonly number[]>;
  /** What a simulation finds without a mutant: then nothing can be judged. */
  readonly alarm: string | undefined;
}

/** What was found with a mutant, and by which simulation. */
export interface Found {
  readonly finding: string | undefined;
  readonly by: string | undefined;
}
