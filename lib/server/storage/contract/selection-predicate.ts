import type { FieldSelector } from '../../../meta/selectors/field-selector.ts';
import type { LabelSelector, Labels } from '../../../meta/selectors/label-selector.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ShardSelector } from '../../../meta/selectors/shard-selector.ts';

/**
 * The part of an object that selectors read.
 *
 * @experimental
 */
export interface ObjectAttributes {
  readonly labels: Labels;
  /** Values of the fields that a field selector may use for this resource. */
  readonly fields: Readonly<Record<string, string>>;
}

export type AttributesFunc<T extends KubernetesObject = KubernetesObject> = (
  object: T,
) => ObjectAttributes;

/**
 * The label, field and shard conditions of a list or watch, and the function that reads labels and fields of an object.
 *
 * @experimental
 */
export interface SelectionPredicate<T extends KubernetesObject = KubernetesObject> {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Left out: all shards. */
  readonly shards?: ShardSelector | undefined;
  readonly attributesOf: AttributesFunc<T>;
}

/** Whether the predicate matches every object; it is then never evaluated. */
export function predicateIsEmpty(predicate: SelectionPredicate | undefined): boolean {
  if (predicate === undefined) return true;
  const { labels, fields, shards } = predicate;
  return labels.empty && fields.empty && shards === undefined;
}

export function predicateMatches<T extends KubernetesObject>(
  predicate: SelectionPredicate<T> | undefined,
  object: T,
): boolean {
  if (predicate === undefined || predicateIsEmpty(predicate as SelectionPredicate)) return true;
  if (predicate.shards?.matches(object.metadata) === false) return false;
  const { labels, fields } = predicate.attributesOf(object);
  return predicate.labels.matches(labels) && predicate.fields.matches(fields);
}
