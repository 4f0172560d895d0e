import { join } from 'node:path';

/** The answers of kube-apiserver to the first sequences of a seed: the digest of each answer, see `digestOf`. */
export interface Recorded {
  readonly seed: string;
  /** Those that the embedded server answered otherwise when they were recorded. */
  readonly differ: readonly number[];
  readonly sequences: Readonly<Record<string, string>>;
}

export const RECORD_FILE: string = join(import.meta.dirname, 'recorded.json');
