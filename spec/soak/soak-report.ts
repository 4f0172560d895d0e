import type { FaultKind } from './faults.ts';
import type { SourceKind } from './scenario.ts';

/** The result of one seed. */
export interface SeedReport {
  readonly seed: number;
  readonly source: SourceKind;
  /** Writes, and handlers that came or went. */
  readonly operations: number;
  /** Events that were delivered to handlers; each was checked. */
  readonly events: number;
  /** How often the cache was held against the history. */
  readonly looks: number;
  readonly handlers: number;
  /** Events that were merged for slow handlers. */
  readonly merged: number;
  readonly relists: number;
  readonly lists: number;
  readonly watches: number;
  /** Most requests within a second. */
  readonly peakRequests: number;
  readonly virtualMs: number;
  readonly faults: Partial<Record<FaultKind, number>>;
  readonly failures: readonly string[];
  readonly trace: readonly string[];
}

/** The results of many seeds. */
export interface SoakTotals {
  seeds: number;
  bySource: Record<SourceKind, number>;
  operations: number;
  events: number;
  looks: number;
  handlers: number;
  merged: number;
  relists: number;
  lists: number;
  watches: number;
  peakRequests: number;
  virtualHours: number;
  faults: Partial<Record<FaultKind, number>>;
  failures: { readonly seed: number; readonly failures: readonly string[] }[];
  /** Seeds that gave no answer, however much time they were given. */
  inconclusive: { readonly seed: number; readonly limitMs: number }[];
}

export function noTotals(): SoakTotals {
  return {
    seeds: 0,
    bySource: { model: 0, storage: 0, http: 0 },
    operations: 0,
    events: 0,
    looks: 0,
    handlers: 0,
    merged: 0,
    relists: 0,
    lists: 0,
    watches: 0,
    peakRequests: 0,
    virtualHours: 0,
    faults: {},
    failures: [],
    inconclusive: [],
  };
}

export function addReport(totals: SoakTotals, report: SeedReport): void {
  totals.seeds += 1;
  totals.bySource[report.source] += 1;
  totals.operations += report.operations;
  totals.events += report.events;
  totals.looks += report.looks;
  totals.handlers += report.handlers;
  totals.merged += report.merged;
  totals.relists += report.relists;
  totals.lists += report.lists;
  totals.watches += report.watches;
  totals.peakRequests = Math.max(totals.peakRequests, report.peakRequests);
  totals.virtualHours += report.virtualMs / 3_600_000;
  for (const [kind, count] of Object.entries(report.faults)) {
    totals.faults[kind as FaultKind] = (totals.faults[kind as FaultKind] ?? 0) + count;
  }
  if (report.failures.length > 0) {
    totals.failures.push({ seed: report.seed, failures: report.failures });
  }
}
