import type { FieldCause } from '../../../meta/failure/failures.ts';
import { fieldDuplicate, fieldInvalid } from '../../registry/rules/field-causes.ts';
import { isRecord } from '../../../meta/json-value.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * The items of lists that are sets, and of lists that are maps by keys, which occur twice.
 * @see apiextensions-apiserver pkg/apiserver/schema/listtype/validation.go @ v0.36.3
 */
export function duplicateItems(value: unknown, node: SchemaNode, path: string = ''): FieldCause[] {
  if (!node.deep.lists) return [];
  const causes: FieldCause[] = [];
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    if (node.listType === 'set') causes.push(...repeated(items, path));
    else if (node.listType === 'map') causes.push(...repeatedKeys(items, node.listKeys, path));
    if (node.items?.deep.lists === true) {
      for (const [index, item] of items.entries()) {
        causes.push(...duplicateItems(item, node.items, `${path}[${index}]`));
      }
    }
  } else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const property = node.properties.get(name);
      if (property?.deep.lists === true) {
        causes.push(
          ...duplicateItems(value[name], property, path === '' ? name : `${path}.${name}`),
        );
      } else if (property === undefined && node.additional !== undefined) {
        causes.push(...duplicateItems(value[name], node.additional, `${path}[${name}]`));
      }
    }
  }
  return causes;
}

/** An item that occurs more than twice is reported once. */
function repeated(
  items: readonly unknown[],
  path: string,
  shown: (index: number) => unknown = (index) => items[index],
): FieldCause[] {
  const counts = new Map<string, number>();
  const causes: FieldCause[] = [];
  for (const [index, item] of items.entries()) {
    const text = canonical(item);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) causes.push(fieldDuplicate(`${path}[${index}]`, shown(index)));
  }
  return causes;
}

function repeatedKeys(
  items: readonly unknown[],
  names: readonly string[],
  path: string,
): FieldCause[] {
  const wrong = items.findIndex((item) => item !== null && !isRecord(item));
  if (wrong >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [fieldInvalid(`${path}[${wrong}]`, items[wrong], detail)];
  }
  const keys = items.map((item) =>
    isRecord(item)
      ? Object.fromEntries(
          names.filter((name) => Object.hasOwn(item, name)).map((name) => [name, item[name]]),
        )
      : {},
  );
  return repeated(keys, path);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner)
      ? Object.fromEntries(
          Object.keys(inner)
            .toSorted()
            .map((name) => [name, inner[name]]),
        )
      : inner,
  );
}
