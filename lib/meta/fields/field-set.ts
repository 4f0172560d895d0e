import { compareElements } from './list-elements.ts';

/**
 * A set of fields in the form of `fieldsV1` of managed fields. A name is `f:NAME` for a field, `k:{"KEY":VALUE}` for an item of a list
 * with keys, `v:VALUE` for an item of a set. Below it are the fields inside; `.` says that the field itself is in the set as well. A name
 * with nothing below is in the set:
 *
 *     { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } }
 *
 * has `metadata.labels` and `metadata.labels.app`, and not `metadata`. The set without fields is `{}`. Sets are never modified; the
 * functions below share what their results have in common.
 * @see structured-merge-diff fieldpath/serialize.go v6.3.3
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

type MutableFieldSet = Record<string, FieldSet>;

const SELF = '.';

/** The set without fields; below a name it says that the field of this name is in the set. */
export const NO_FIELDS: FieldSet = Object.freeze({});

/** A field that is in the set, as are some below it. */
export function withSelf(below: FieldSet): FieldSet {
  return isEmptySet(below) || Object.hasOwn(below, SELF) ? below : { [SELF]: NO_FIELDS, ...below };
}

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the field of this name itself is in the set. */
export function hasElement(set: FieldSet, element: string): boolean {
  const below = belowOf(set, element);
  return below !== undefined && isSelf(below);
}

/** The fields below a name. */
export function fieldsBelow(set: FieldSet, element: string): FieldSet {
  const below = belowOf(set, element);
  return below === undefined ? NO_FIELDS : withoutSelf(below);
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmptySet(right)) return left;
  if (isEmptySet(left)) return right;
  const result: MutableFieldSet = { ...left };
  for (const element of Object.keys(right)) {
    const [one, other] = [belowOf(left, element), right[element] ?? NO_FIELDS];
    if (element === SELF || one === undefined) result[element] = other;
    else {
      const both = union(withoutSelf(one), withoutSelf(other));
      result[element] = isSelf(one) || isSelf(other) ? withSelf(both) : both;
    }
  }
  return result;
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, false, (one, other) => {
    if (other === undefined) return undefined;
    const below = intersection(withoutSelf(one), withoutSelf(other));
    return nodeOf(isSelf(one) && isSelf(other), below);
  });
}

/** The fields of `left` that are not in `right`. Fields below a field of `right` stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, true, (one, other) => {
    if (other === undefined) return one;
    const below = difference(withoutSelf(one), withoutSelf(other));
    return nodeOf(isSelf(one) && !isSelf(other), below);
  });
}

/** The fields of `left` that are neither in `right` nor below a field of `right`. */
export function recursiveDifference(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, true, (one, other) => {
    if (other === undefined) return one;
    if (isSelf(other)) return undefined;
    return nodeOf(isSelf(one), recursiveDifference(withoutSelf(one), other));
  });
}

export function setsEqual(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  const elements = Object.keys(left);
  if (elements.length !== Object.keys(right).length) return false;
  return elements.every((element) => {
    const other = belowOf(right, element);
    return other !== undefined && setsEqual(left[element] ?? NO_FIELDS, other);
  });
}

/** The same set with its names in order, `.` first, as an API server writes it. */
export function sortedSet(set: FieldSet): FieldSet {
  const sorted: MutableFieldSet = {};
  for (const element of Object.keys(set).toSorted())
    sorted[element] = sortedSet(set[element] ?? NO_FIELDS);
  return sorted;
}

/** Calls `visit` with the path of each field that is in the set: those of one level before those below them. */
export function forEachField(
  set: FieldSet,
  visit: (path: readonly string[]) => void,
  path: readonly string[] = [],
): void {
  const elements = Object.keys(set)
    .filter((element) => element !== SELF)
    .toSorted(compareElements);
  for (const element of elements) {
    if (hasElement(set, element)) visit([...path, element]);
  }
  for (const element of elements) {
    forEachField(fieldsBelow(set, element), visit, [...path, element]);
  }
}

/** The set with one field, given by names of fields: `fieldAt('metadata', 'name')`. */
export function fieldAt(...names: readonly string[]): FieldSet {
  return names.reduceRight<FieldSet>((below, name) => ({ [`f:${name}`]: below }), NO_FIELDS);
}

/** Whether a value of a request is a set of fields: objects that nest to no more than `depth`. */
export function isFieldSet(value: unknown, depth = 200): value is FieldSet {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) {
    return false;
  }
  return Object.values(value).every((below) => isFieldSet(below, depth - 1));
}

function belowOf(set: FieldSet, element: string): FieldSet | undefined {
  return Object.hasOwn(set, element) ? set[element] : undefined;
}

/** Of what is below a name: whether the field of that name is in the set. */
function isSelf(below: FieldSet): boolean {
  return isEmptySet(below) || Object.hasOwn(below, SELF);
}

function withoutSelf(below: FieldSet): FieldSet {
  if (!Object.hasOwn(below, SELF)) return below;
  const { [SELF]: _, ...rest } = below;
  return rest;
}

/** The node below a name; undefined when it is empty. */
function nodeOf(self: boolean, below: FieldSet): FieldSet | undefined {
  if (isEmptySet(below)) return self ? NO_FIELDS : undefined;
  return self ? withSelf(below) : below;
}

function combine(
  left: FieldSet,
  right: FieldSet,
  keepWhole: boolean,
  merge: (one: FieldSet, other: FieldSet | undefined) => FieldSet | undefined,
): FieldSet {
  if (isEmptySet(left) || (keepWhole && isEmptySet(right))) return left;
  const result: MutableFieldSet = {};
  let same = true;
  for (const element of Object.keys(left)) {
    if (element === SELF) continue;
    const one = left[element] ?? NO_FIELDS;
    const merged = merge(one, belowOf(right, element));
    if (merged !== undefined) result[element] = merged;
    if (merged !== one) same = false;
  }
  return same ? left : result;
}
