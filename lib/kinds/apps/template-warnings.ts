import type { UnstructuredObject } from '../../meta/object.ts';
import { jsonEqual, valueAt } from '../../meta/json-value.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import { podTemplateWarnings } from '../pods/pod-template.ts';

/** The name of a workload is part of the names of its pods. */
export function nameWarnings({ metadata }: UnstructuredObject): string[] {
  const problems = dnsLabel(metadata?.name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

/** Warnings for the template at a path; those of an update only when the spec changed. */
export function templateWarnings(
  object: UnstructuredObject,
  existing: UnstructuredObject | undefined,
  at: readonly string[] = ['spec'],
): readonly string[] {
  if (existing !== undefined && !isNewGeneration(object, existing)) return [];
  const template = valueAt(object, ...at, 'template');
  return podTemplateWarnings(template, `${at.join('.')}.template`);
}

export function isNewGeneration(object: UnstructuredObject, existing: UnstructuredObject): boolean {
  return !jsonEqual(object.metadata?.['generation'], existing.metadata?.['generation']);
}

/** The warnings of a workload whose name matters. */
export function workloadWarnings(
  object: UnstructuredObject,
  existing?: UnstructuredObject,
): readonly string[] {
  const template = templateWarnings(object, existing);
  return existing === undefined ? [...nameWarnings(object), ...template] : template;
}
