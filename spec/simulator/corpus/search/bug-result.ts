import type { BugPattern } from '../known-bug.ts';

/** The subject of a search: one version of one bug. */
export interface BugTask {
  readonly name: string;
  readonly version: 'wrong' | 'fixed';
  /** Number of random seeds after the systematic plans. */
  readonly seeds: number;
  /** The first of them. @defaultValue 1 */
  readonly from?: number | undefined;
  /** Whether the systematic plans are run. @defaultValue true */
  readonly systematic?: boolean | undefined;
  /** Longest processor time of the search, milliseconds. By the clock it may take fifteen times as long. */
  readonly budgetMs: number;
}

/** A plan with which something goes wrong, and what. */
export interface FoundPlan {
  /** The pattern of the plan, or its seed. */
  readonly origin: string;
  readonly runsToFind: number;
  /** The key by which alarms are grouped, and the runs that failed by it. */
  readonly cause: string;
  readonly runs: number;
  readonly faults: number;
  readonly faultsShrunk: number;
  /** Classes of the findings. */
  readonly classes: readonly string[];
  /** The first finding, in words. */
  readonly first: string;
  /** The plan as JSON, for `replay`. */
  readonly plan: string;
}

export interface BugResult {
  readonly name: string;
  readonly pattern: BugPattern;
  readonly version: BugTask['version'];
  /** Plans and seeds that were run. */
  readonly runs: number;
  /** Those that failed. */
  readonly alarms: number;
  readonly found: readonly FoundPlan[];
  /** Of the search, without the time in which plans are made smaller. */
  readonly searchMs: number;
  /** Processor time of the search. */
  readonly processorMs: number;
  /** With that time. */
  readonly elapsedMs: number;
  /** Of all runs. */
  readonly virtualMs: number;
  /** Whether all plans and seeds were run. */
  readonly complete: boolean;
}
