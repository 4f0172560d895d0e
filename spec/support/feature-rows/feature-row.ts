import type { SpecReference } from '../upstream-rows/conformance-row.ts';

/** One row of the list of features of controller libraries. */
export interface FeatureRow {
  /** 1 to 110: its place in the list. */
  readonly number: number;
  /** The feature and its form here, in one sentence. */
  readonly feature: string;
  /** The file below `lib/` that makes it. Missing when it comes later. */
  readonly code?: string | undefined;
  /** The case that fails when it is broken. Missing when it comes later. */
  readonly spec?: SpecReference | undefined;
  /** Why it comes later. */
  readonly because?: string | undefined;
}

/** A feature that is there. */
export function yes(
  number: number,
  feature: string,
  code: string,
  [spec, title]: readonly [spec: string, title: string],
): FeatureRow {
  return { number, feature, code, spec: { spec, title } };
}

export function later(number: number, feature: string, because: string): FeatureRow {
  return { number, feature, because };
}
