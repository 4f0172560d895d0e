import type { CollectionOptions } from '../../../meta/collection-options.ts';
import { parseFieldSelector } from '../../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../../meta/selectors/label-selector.ts';
import { parseShardSelector } from '../../../meta/selectors/shard-selector.ts';
import type { KubernetesObject } from '../../../meta/object.ts';

/** The values of a field that an object leaves out: one for each type. */
const ZERO_VALUES: ReadonlySet<string> = new Set(['', 'false', '0']);

/**
 * Makes a function for the option `matches` of an informer, which says whether an object belongs to a collection; undefined if
 * all objects do.
 *
 * Not guaranteed: fields that a server computes. A selectable field is read at its path in the object, which is correct for
 * nearly all of them. A missing field matches the empty string, `false` and `0`.
 * @throws {ListwatchError} code INVALID_SELECTOR.
 */
export function collectionMatcher({
  namespace = '',
  labelSelector = '',
  fieldSelector = '',
  shardSelector = '',
}: CollectionOptions): ((object: KubernetesObject) => boolean) | undefined {
  const labels = parseLabelSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const shards = shardSelector === '' ? undefined : parseShardSelector(shardSelector);
  if (namespace === '' && labels.empty && fields.empty && shards === undefined) return undefined;
  const paths = fields.requirements.map(({ field, ...rule }) => ({
    ...rule,
    path: field.split('.'),
  }));
  return (object) => {
    const { metadata } = object;
    if (namespace !== '' && metadata?.namespace !== namespace) return false;
    if (shards?.matches(metadata) === false) return false;
    if (!labels.empty && !labels.matches(metadata?.labels)) return false;
    return paths.every(
      ({ path, operator, value }) => hasValue(object, path, value) === (operator === '='),
    );
  };
}

function hasValue(object: KubernetesObject, path: readonly string[], value: string): boolean {
  let field: unknown = object;
  for (const name of path) {
    field =
      typeof field === 'object' && field !== null && Object.hasOwn(field, name)
        ? (field as Readonly<Record<string, unknown>>)[name]
        : undefined;
  }
  if (field === undefined || field === null) return ZERO_VALUES.has(value);
  return typeof field === 'string' || typeof field === 'number' || typeof field === 'boolean'
    ? String(field) === value
    : false;
}
