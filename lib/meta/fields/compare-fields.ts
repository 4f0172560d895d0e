import { atomOf, type Atom } from './atom.ts';
import type { FieldSchema, ListSchema, MapSchema } from './field-schema.ts';
import { allFieldsOf } from './field-set-of.ts';
import { isEmptySet, NO_FIELDS, union, withSelf, type FieldSet } from './field-set.ts';
import { elementOf, isEmptyMap, isMap } from './list-elements.ts';

/** How two values of a type differ, as sets of fields. */
export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

/** The same below one name; undefined where there is nothing. */
interface Difference {
  readonly removed?: FieldSet;
  readonly modified?: FieldSet;
  readonly added?: FieldSet;
}

const MODIFIED: Difference = { modified: NO_FIELDS };

/**
 * The fields that were removed, modified and added from one value to another.
 * @throws {ListwatchError} code FIELD_SCHEMA for an item of a list without its key.
 * @see structured-merge-diff typed/compare.go @ v6.3.3
 */
export function compareFields(schema: FieldSchema, left: unknown, right: unknown): Comparison {
  const { removed, modified, added } = compare(schema, left, right) ?? {};
  return {
    removed: removed ?? NO_FIELDS,
    modified: modified ?? NO_FIELDS,
    added: added ?? NO_FIELDS,
  };
}

/** Undefined when the values are equal. `undefined` as a value means that there is none. */
function compare(schema: FieldSchema, left: unknown, right: unknown): Difference | undefined {
  if (left === right) return undefined;
  if (left === undefined) return { added: allFieldsOf(schema, right) };
  if (right === undefined) return { removed: allFieldsOf(schema, left) };
  const one = atomOf(schema, left);
  const other = atomOf(schema, right);
  if (one === other) return compareAs(one, schema, left, right);
  const first = compareAs(one, schema, left, right);
  return both(first, compareAs(other, schema, left, right));
}

function compareAs(
  atom: Atom,
  schema: FieldSchema,
  left: unknown,
  right: unknown,
): Difference | undefined {
  if (atom === 'map' && schema.map !== undefined) return compareMaps(schema.map, left, right);
  if (atom === 'list' && schema.list !== undefined) return compareLists(schema.list, left, right);
  return sameValue(left, right) ? undefined : MODIFIED;
}

function compareMaps(schema: MapSchema, left: unknown, right: unknown): Difference | undefined {
  if (schema.atomic || (isEmptyMap(left) && isEmptyMap(right))) {
    return sameValue(left, right) ? undefined : MODIFIED;
  }
  const before = isMap(left) ? left : {};
  const after = isMap(right) ? right : {};
  const found = new Differences();
  for (const name of Object.keys(before)) {
    const own = schema.declared(name) ?? schema.element;
    if (own === undefined) continue;
    found.add(`f:${name}`, compare(own, before[name], valueOf(after, name)));
  }
  for (const name of Object.keys(after)) {
    if (Object.hasOwn(before, name)) continue;
    const own = schema.declared(name) ?? schema.element;
    if (own !== undefined) found.add(`f:${name}`, compare(own, undefined, after[name]));
  }
  return found.result();
}

function compareLists(schema: ListSchema, left: unknown, right: unknown): Difference | undefined {
  const before = Array.isArray(left) ? (left as unknown[]) : [];
  const after = Array.isArray(right) ? (right as unknown[]) : [];
  if (schema.relationship === 'atomic' || before.length + after.length === 0) {
    return sameValue(left, right) ? undefined : MODIFIED;
  }
  const olds = itemsByElement(schema, before);
  const news = itemsByElement(schema, after);
  const found = new Differences();
  for (const [element, items] of olds) {
    found.add(element, compareItems(schema.element, items, news.get(element) ?? []));
  }
  for (const [element, items] of news) {
    if (!olds.has(element)) found.add(element, compareItems(schema.element, [], items));
  }
  return found.result();
}

/** Compares the items with the same key. Several of them count as one value. */
function compareItems(
  schema: FieldSchema,
  before: readonly unknown[],
  after: readonly unknown[],
): Difference | undefined {
  if (before.length <= 1 && after.length <= 1) return compare(schema, before[0], after[0]);
  if (before.length > 1 && after.length > 1) {
    return sameValue(before, after) ? undefined : MODIFIED;
  }
  if (before.length > 1) {
    const added = after.length === 0 ? undefined : compare(schema, undefined, after[0]);
    return both(added, { removed: NO_FIELDS });
  }
  const removed = before.length === 0 ? undefined : compare(schema, before[0], undefined);
  return both(removed, { added: NO_FIELDS });
}

function itemsByElement(schema: ListSchema, list: readonly unknown[]): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of list) {
    const element = elementOf(schema, item);
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  }
  return items;
}

/** The differences below the names of one map or list. */
class Differences {
  #removed: Record<string, FieldSet> | undefined;
  #modified: Record<string, FieldSet> | undefined;
  #added: Record<string, FieldSet> | undefined;

  add(element: string, difference: Difference | undefined): void {
    if (difference === undefined) return;
    const { removed, modified, added } = difference;
    if (removed !== undefined) (this.#removed ??= {})[element] = removed;
    if (modified !== undefined) (this.#modified ??= {})[element] = modified;
    if (added !== undefined) (this.#added ??= {})[element] = added;
  }

  result(): Difference | undefined {
    const [removed, modified, added] = [this.#removed, this.#modified, this.#added];
    if (removed === undefined && modified === undefined && added === undefined) return undefined;
    return {
      ...(removed === undefined ? {} : { removed }),
      ...(modified === undefined ? {} : { modified }),
      ...(added === undefined ? {} : { added }),
    };
  }
}

function both(one: Difference | undefined, other: Difference | undefined): Difference | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const removed = joined(one.removed, other.removed);
  const modified = joined(one.modified, other.modified);
  const added = joined(one.added, other.added);
  return {
    ...(removed === undefined ? {} : { removed }),
    ...(modified === undefined ? {} : { modified }),
    ...(added === undefined ? {} : { added }),
  };
}

/** Below one name: the empty set means the field of the name itself. */
function joined(one: FieldSet | undefined, other: FieldSet | undefined): FieldSet | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (isEmptySet(one)) return withSelf(other);
  return isEmptySet(other) ? withSelf(one) : union(one, other);
}

function valueOf(map: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Whether two JSON values are equal; the order of members does not count. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => sameValue(item, right[index]));
  }
  if (!isMap(left) || !isMap(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && sameValue(left[name], right[name]));
}
