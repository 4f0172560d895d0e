import type { ApiError } from '../../meta/failure/api-error.ts';
import { badRequest, withoutReason } from '../../meta/failure/failures.ts';
import type { MessageType, MessageField } from '../../meta/types/message-type.ts';
import { setOwn } from '../../meta/json-value.ts';
import {
  cloneJson,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../http/body/json-tree.ts';
import { goMapText } from './patch-text.ts';
import { inOrderOf, mergeItems } from './strategic-lists.ts';

/**
 * Applies a JSON merge patch: objects are merged, null removes, everything else replaces. The target is not changed. The result
 * may share parts with the target, never with the patch. The members of the objects that were merged come in alphabetical order.
 * @see RFC 7386
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (Array.isArray(patch)) return patch.map((item) => mergedItem(item));
  if (!isJsonObject(patch)) return patch;
  const base = isJsonObject(target) ? target : {};
  const result: JsonObject = {};
  const names = new Set([...Object.keys(base), ...Object.keys(patch)]);
  for (const name of [...names].toSorted()) {
    const change = getOwn(patch, name);
    if (change === null) continue;
    const before = getOwn(base, name);
    setOwn(result, name, change === undefined ? before : applyMergePatch(before, change));
  }
  return result;
}

/** Objects in lists lose their nulls too; null as an item stays. */
function mergedItem(item: Json): Json {
  return item === null ? null : applyMergePatch(undefined, item);
}

/** How a strategic merge patch merges a member. */
interface PatchMember {
  readonly replaces: boolean;
  readonly merges: boolean;
  /** The field that identifies the items of a merged list; undefined for a list of plain values. */
  readonly mergeKey: string | undefined;
  /** The members of the value, or of the items of a list. */
  readonly below: PatchLookup;
}

/** Finds members by name. @throws {ApiError} 500 for a member that the type does not have, as kube-apiserver. */
type PatchLookup = (name: string) => PatchMember;

/** Where the type is unknown, objects are merged and lists are replaced. */
const untyped: PatchLookup = () => UNTYPED;
const UNTYPED: PatchMember = {
  replaces: false,
  merges: false,
  mergeKey: undefined,
  below: untyped,
};

/** @see apimachinery pkg/util/strategicpatch/meta.go PatchMetaFromStruct @ v0.36.3 */
function patchLookup(type: MessageType | undefined): PatchLookup {
  if (type === undefined || type.isUnion) return untyped;
  return (name) => {
    const field = type.byName.get(name);
    if (field !== undefined) return memberOf(field);
    const struct = type.name.slice(type.name.indexOf('.') + 1);
    throw withoutReason(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  };
}

function memberOf({
  patchStrategies,
  patchMergeKey,
  shape,
  message,
  type,
}: MessageField): PatchMember {
  return {
    replaces: patchStrategies.includes('replace'),
    merges: patchStrategies.includes('merge'),
    mergeKey: patchMergeKey,
    below:
      shape === 'map' ? noStruct : message === undefined ? noFields(type) : patchLookup(message),
  };
}

/** In a map, no values can be merged. */
function noStruct(): never {
  throw withoutReason('merging an object in json but data type is not struct, instead is: map');
}

function noFields(struct: string): PatchLookup {
  return (name) => {
    throw withoutReason(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  };
}

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder';
const DELETE_VALUES = '$deleteFromPrimitiveList';

/**
 * Applies a strategic merge patch. It works like a JSON merge patch, but the lists with the patch strategy `merge` are merged item by
 * item. Supports `$patch: merge | replace | delete`, `$retainKeys`, `$setElementOrder/FIELD` and `$deleteFromPrimitiveList/FIELD`.
 * The target is not changed; the result may share parts with the target, never with the patch.
 *
 * @param type the type of the target, which declares the strategy and the merge key of each list; a list without a strategy is
 *   replaced. Without a type all lists are.
 * @throws {ApiError} 400, 422 and 500 for directives of a wrong form, as kube-apiserver.
 * @see apimachinery pkg/util/strategicpatch/patch.go mergeMap @ v0.36.3
 */
export function applyStrategicMergePatch(
  target: JsonObject,
  patch: JsonObject,
  type: MessageType | undefined,
): JsonObject {
  return mergeObject(target, asObject(cloneJson(patch)), patchLookup(type));
}

function asObject(value: Json): JsonObject {
  return value as JsonObject;
}

/** The patch is private to the run: what was merged is removed from it. */
function mergeObject(original: JsonObject, patch: JsonObject, lookup: PatchLookup): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return directed(patch);
  const result = retained(original, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(SET_ORDER)) mergeInOrder(result, patch, key, lookup);
  }
  for (const key of Object.keys(patch)) {
    mergeMember(result, key, getOwn(patch, key) as Json, lookup);
  }
  return result;
}

function directed(patch: JsonObject): JsonObject {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownDirective(directive, patch);
}

function unknownDirective(directive: Json | undefined, patch: JsonObject): ApiError {
  const text = typeof directive === 'string' ? directive : goBadVerb(directive);
  return withoutReason(`unknown patch type: ${text} in map: ${goMapText(patch)}`);
}

/** A copy of the original; with `$retainKeys`, which has to name all members of the patch, only the members that it names. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return { ...original };
  const keys = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  const kept = new Set(keys);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(DELETE_VALUES) || key.startsWith(SET_ORDER)) continue;
    if (!kept.has(key)) throw badRequest('invalid patch format of retainKeys');
  }
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(original)) {
    if (kept.has(key)) setOwn(result, key, value);
  }
  return result;
}

function mergeMember(result: JsonObject, key: string, value: Json, lookup: PatchLookup): void {
  if (key.startsWith(DELETE_VALUES)) {
    deleteValues(result, fieldOf(key, DELETE_VALUES, 'primitive list'), value, lookup);
    return;
  }
  if (value === null) {
    delete result[key];
    return;
  }
  const before = getOwn(result, key);
  if (isJsonObject(before) && isJsonObject(value)) {
    const member = lookup(key);
    setOwn(result, key, member.replaces ? value : mergeObject(before, value, member.below));
    return;
  }
  if (Array.isArray(before) && Array.isArray(value)) {
    setOwn(result, key, mergeList(before, value, lookup(key)));
    return;
  }
  const kept = withoutDirectives(withoutNulls(value));
  if (kept === undefined) delete result[key];
  else setOwn(result, key, kept);
}

function mergeList(before: readonly Json[], patch: readonly Json[], member: PatchMember): Json {
  if (!member.merges) return [...patch];
  const { mergeKey, below } = member;
  return mergeItems(before, patch, mergeKey, (item, change) => mergeObject(item, change, below));
}

function deleteValues(result: JsonObject, field: string, values: Json, lookup: PatchLookup): void {
  const before = getOwn(result, field);
  if (!Array.isArray(before)) return;
  if (!Array.isArray(values)) return;
  const { mergeKey } = lookup(field);
  if (before.some(isJsonObject)) {
    setOwn(
      result,
      field,
      mergeItems(before, values, mergeKey, (item) => item),
    );
    return;
  }
  const deleted = new Set(values);
  setOwn(
    result,
    field,
    before.filter((item) => !deleted.has(item)),
  );
}

/** `DIRECTIVE/FIELD` */
function fieldOf(key: string, directive: string, what: string): string {
  const [first, ...rest] = key.split('/');
  if (first === directive && rest.length > 0) return rest.join('/');
  throw badRequest(`invalid patch format of ${what}`);
}

/** Merges a list of the patch, if there is one, and sorts the result. The list is removed from the patch. */
function mergeInOrder(
  result: JsonObject,
  patch: JsonObject,
  key: string,
  lookup: PatchLookup,
): void {
  const order = patch[key] as Json;
  delete patch[key];
  const wanted = listOf(order);
  const field = fieldOf(key, SET_ORDER, 'setElementOrder list');
  const original = Object.hasOwn(result, field) ? listOf(result[field]) : undefined;
  const change = Object.hasOwn(patch, field) ? listOf(patch[field]) : undefined;
  const member = lookup(field);
  const { mergeKey } = member;
  if (change !== undefined) checkOrder(change, wanted, mergeKey);
  if (original === undefined && change === undefined) return;
  const merged =
    original === undefined
      ? (withoutDirectives(change ?? []) as Json[])
      : change === undefined
        ? original
        : (mergeList(original, change, member) as Json[]);
  if ((original ?? []).length + (change ?? []).length === 0) {
    throw withoutReason('no elements in any of the given slices');
  }
  setOwn(result, field, inOrderOf(merged, wanted, original ?? [], mergeKey));
  delete patch[field];
}

/** The items of the patch have to be in the order that it wants. */
function checkOrder(
  change: readonly Json[],
  wanted: readonly Json[],
  mergeKey: string | undefined,
): void {
  if (wanted.length === 0) return;
  const keyOf = (item: Json | undefined): Json | undefined =>
    mergeKey !== undefined && isJsonObject(item) ? getOwn(item, mergeKey) : item;
  const items = change.filter((item) => !(isJsonObject(item) && Object.hasOwn(item, PATCH)));
  let at = 0;
  for (const one of wanted) {
    if (at < items.length && keyOf(items[at]) === keyOf(one)) at += 1;
  }
  if (at === items.length) return;
  throw withoutReason(
    `The order in patch list:\n${goMapText([...change])}\n doesn't match ${SET_ORDER} list:\n${goMapText([...wanted])}\n`,
  );
}

function listOf(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  throw withoutReason(`expected a []interface {}, but received a ${goType(value)}`);
}

/** Go's name of a value where it expects a text. */
function goBadVerb(value: Json | undefined): string {
  if (value === null || value === undefined) return goType(value);
  return typeof value === 'object' ? goMapText(value) : `%!s(${goType(value)}=${value})`;
}

function goType(value: Json | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== null) setOwn(result, name, withoutNulls(member));
  }
  return result;
}

/** The value without the objects that have a directive; undefined for such an object. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    return value.map(withoutDirectives).filter((item) => item !== undefined);
  }
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const result: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const kept = withoutDirectives(member);
    if (kept !== undefined) setOwn(result, name, kept);
  }
  return result;
}
