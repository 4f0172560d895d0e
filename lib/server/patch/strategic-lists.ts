import { failure } from '../../meta/failure/api-error.ts';
import { withoutReason } from '../../meta/failure/failures.ts';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../http/body/json-tree.ts';
import { goMapText } from './patch-text.ts';

/**
 * The items of two lists of the strategy `merge`: items with the same key are merged, those of the patch come in its order, and the
 * others keep their places among them as far as the patch leaves them.
 * @throws {ApiError} 422 for lists of lists, 500 for items of different types or without their key, as kube-apiserver.
 * @see apimachinery pkg/util/strategicpatch/patch.go mergeSlice @ v0.36.3
 */
export function mergeItems(
  original: readonly Json[],
  patch: readonly Json[],
  mergeKey: string | undefined,
  merge: (item: JsonObject, change: JsonObject) => JsonObject,
): Json[] {
  if (original.length + patch.length === 0) return [];
  if (!hasObjects(original, patch)) {
    return inOrderOf([...new Set([...original, ...patch])], patch, original, undefined);
  }
  if (mergeKey === undefined) {
    throw withoutReason('cannot merge lists without merge key for struct');
  }
  const { kept, changes } = withoutSpecial(original, patch as JsonObject[], mergeKey);
  const merged: JsonObject[] = [...kept];
  const places = new Map<string, number>();
  for (const [place, item] of kept.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, place);
  }
  for (const change of changes) {
    const identity = identityOf(keyed(change, mergeKey), mergeKey);
    const place = places.get(identity) ?? merged.length;
    places.set(identity, place);
    const before = merged[place];
    merged[place] = before === undefined ? change : merge(before, change);
  }
  return inOrderOf(merged, changes, kept, mergeKey);
}

/** Whether the items are objects; all have to be of one type. */
function hasObjects(original: readonly Json[], patch: readonly Json[]): boolean {
  const types = new Set([...original, ...patch].map(goKind));
  if (types.size > 1) {
    const all = `[${goMapText([...original])} ${goMapText([...patch])}]`;
    throw withoutReason(`list element types are not identical: ${all}`);
  }
  if (types.has('list')) {
    const details = { details: {} };
    throw failure('Invalid', 'lists of lists are not supported', details);
  }
  return types.has('object');
}

function goKind(value: Json): string {
  if (Array.isArray(value)) return 'list';
  if (value === null) return 'nil';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value;
}

interface Special {
  readonly kept: JsonObject[];
  readonly changes: readonly JsonObject[];
}

/** Follows the items with a directive: `delete` removes the items with its key, `replace` all that the patch does not have. */
function withoutSpecial(
  original: readonly Json[],
  patch: readonly JsonObject[],
  mergeKey: string,
): Special {
  const changes: JsonObject[] = [];
  const deleted = new Set<string>();
  let replaces = false;
  for (const item of patch) {
    const directive = getOwn(item, '$patch');
    if (directive === undefined) changes.push(item);
    else if (directive === 'delete') deleted.add(identityOf(keyed(item, mergeKey), mergeKey));
    else if (directive === 'replace') replaces = true;
    else if (directive === 'merge') {
      throw withoutReason('merging lists cannot yet be specified in the patch');
    } else {
      const text = goMapText(directive);
      throw withoutReason(`unknown patch type: ${text} in map: ${goMapText(item)}`);
    }
  }
  if (replaces) return { kept: changes, changes: [] };
  const items = original as JsonObject[];
  return { kept: items.filter((item) => !deleted.has(identityOf(item, mergeKey))), changes };
}

/** @throws {ApiError} 500 for an item without its key. */
function keyed(item: JsonObject, mergeKey: string): JsonObject {
  if (Object.hasOwn(item, mergeKey)) return item;
  throw withoutReason(`map: ${goMapText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** The merge key of an item as text, so that long lists are merged in linear time. */
function identityOf(item: Json, mergeKey: string | undefined): string {
  const key = mergeKey !== undefined && isJsonObject(item) ? getOwn(item, mergeKey) : item;
  return JSON.stringify(key) ?? '';
}

/**
 * The items that `wanted` names in its order; the others in the order of the original, each before the first wanted item that it
 * stood before.
 */
export function inOrderOf(
  merged: readonly Json[],
  wanted: readonly Json[],
  original: readonly Json[],
  mergeKey: string | undefined,
): Json[] {
  const ranks = placesOf(wanted, mergeKey);
  const places = placesOf(original, mergeKey);
  const rank = (item: Json): number => ranks.get(identityOf(item, mergeKey)) ?? -1;
  const place = (item: Json): number => places.get(identityOf(item, mergeKey)) ?? -1;
  const named = merged.filter((item) => rank(item) >= 0).toSorted((a, b) => rank(a) - rank(b));
  const others = merged.filter((item) => rank(item) < 0).toSorted((a, b) => place(a) - place(b));
  const result: Json[] = [];
  let next = 0;
  for (const item of named) {
    const limit = place(item);
    for (; next < others.length; next += 1) {
      const other = others[next] as Json;
      if (limit < 0 || place(other) < 0 || place(other) >= limit) break;
      result.push(other);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function placesOf(items: readonly Json[], mergeKey: string | undefined): Map<string, number> {
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, place);
  }
  return places;
}
