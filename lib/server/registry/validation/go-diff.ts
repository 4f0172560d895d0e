import { goJson } from '../rules/go-text.ts';
import { unifiedDiff } from './unified-diff.ts';

/** The difference of two values as messages about immutable fields show it: a unified diff of their indented JSON. */
export function goDiff(before: unknown, after: unknown): string {
  return unifiedDiff(goJson(before, 1), goJson(after, 1));
}
