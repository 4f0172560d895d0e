import type { UnstructuredObject } from '../../meta/object.ts';
import { numberAt, valueAt } from '../../meta/json-value.ts';
import { isNewGeneration, nameWarnings, templateWarnings } from '../apps/template-warnings.ts';

const MANY_COMPLETIONS = 100_000;
const HIGH_PARALLELISM = 10_000;

/** Warnings for the spec of a job at a path. @see pkg/api/job/warnings.go @ v1.36.3 */
export function jobWarnings(
  object: UnstructuredObject,
  existing: UnstructuredObject | undefined,
  at: readonly string[] = ['spec'],
): readonly string[] {
  if (existing !== undefined && !isNewGeneration(object, existing)) return [];
  const warnings = existing === undefined ? nameWarnings(object) : [];
  const spec = valueAt(object, ...at);
  const isIndexed = valueAt(spec, 'completionMode') === 'Indexed';
  const isWide =
    numberAt(spec, 'completions') > MANY_COMPLETIONS &&
    numberAt(spec, 'parallelism') > HIGH_PARALLELISM;
  if (isIndexed && isWide) {
    warnings.push(
      `${at.join('.')}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  }
  return [...warnings, ...templateWarnings(object, existing, at)];
}
