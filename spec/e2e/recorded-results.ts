import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The outcome of one case of the suite: why it failed with each server; a server with which it passed is left out. */
export interface CaseResult {
  readonly name: string;
  readonly ours?: string;
  readonly real?: string;
}

export interface RecordedResults {
  readonly source: string;
  /** The version of the suite. */
  readonly suite: string;
  /** The version of the real server. */
  readonly real: string;
  readonly cases: readonly CaseResult[];
}

const RECORD_FILE = join(import.meta.dirname, 'recorded-results.json');

/**
 * `needs pods`: the case fails with the real server too, which has the controllers of a cluster and nodes that run nothing.
 * `differs`: it passes with the real server alone.
 */
export type Verdict = 'passed' | 'differs' | 'needs pods';

export function verdictOf({ ours, real }: CaseResult): Verdict {
  if (ours === undefined) return 'passed';
  return real === undefined ? 'differs' : 'needs pods';
}

const MISSING = [
  { cases: /^\[sig-api-machinery\] (?:Mutating|Validating)AdmissionPolicy /, what: 'CEL' },
  { cases: /^\[sig-api-machinery\] Garbage collector /, what: 'the controllers of workloads' },
] as const;

/** The part of a cluster that a case needs and that `listwatch serve` does not have. */
export function missingFor({ name }: Pick<CaseResult, 'name'>): string | undefined {
  return MISSING.find(({ cases }) => cases.test(name))?.what;
}

/** The part of Kubernetes that owns a case, such as `sig-cli`. */
export function areaOf({ name }: Pick<CaseResult, 'name'>): string {
  return /^\[(sig-[a-z-]+)\]/.exec(name)?.[1] ?? 'other';
}

export function readResults(): RecordedResults {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as RecordedResults;
}

export function writeResults(results: RecordedResults): void {
  writeFileSync(RECORD_FILE, `${JSON.stringify(results, undefined, 1)}\n`);
}
