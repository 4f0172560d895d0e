import { badRequest } from '../../../meta/failures.ts';
import type { MessageField, MessageType } from '../../../meta/types/message-type.ts';
import { setOwn } from '../../registry/rules/json-value.ts';
import { cloneJson, getOwn, isJsonObject, type Json, type JsonObject } from '../http/json-tree.ts';

/** What the type of an object says about one of its members. */
type Member = Pick<MessageField, 'message' | 'patchMergeKey' | 'patchStrategies' | 'shape'>;

/** The members of an object by name; undefined where the type is unknown, or says nothing. */
type Members = (name: string) => Member | undefined;

const UNTYPED: Members = () => undefined;

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch. It works like a JSON merge patch, but the lists with the patch strategy `merge` are merged item by
 * item. Supports `$patch: merge | replace | delete`, `$retainKeys`, `$setElementOrder/FIELD` and `$deleteFromPrimitiveList/FIELD`.
 *
 * @param type the type of the target, which declares the strategy and the merge key of each list; a list without a strategy is
 *   replaced. Without a type all lists are.
 * @throws {ApiError} 400 for an unknown directive, or for an item of a merged list without its key.
 */
export function applyStrategicMergePatch(
  target: JsonObject,
  patch: JsonObject,
  type: MessageType | undefined,
): JsonObject {
  return mergeObject(target, patch, membersOf(type));
}

function membersOf(type: MessageType | undefined): Members {
  return type === undefined || type.isUnion ? UNTYPED : (name) => type.byName.get(name);
}

/** The members of the value of a member, or of the items of a list. */
function membersIn(member: Member | undefined): Members {
  if (member?.shape !== 'map') return membersOf(member?.message);
  const { message } = member;
  return () => ({ message, patchMergeKey: undefined, patchStrategies: [], shape: 'one' });
}

/** The field that identifies an item of a merged list; null for a merged list of scalar values, undefined for other lists. */
function mergeKeyOf(member: Member | undefined): string | null | undefined {
  if (member?.patchStrategies.includes('merge') !== true) return undefined;
  return member.patchMergeKey ?? null;
}

function mergeObject(target: JsonObject, patch: JsonObject, members: Members): JsonObject {
  const directive = getOwn(patch, PATCH) ?? 'merge';
  if (directive === 'replace') return stripped(patch);
  if (directive === 'delete') return {};
  if (directive !== 'merge') throw unknownDirective(directive);

  const result = retained(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_VALUES)) deleteValues(result, key.slice(DELETE_VALUES.length), value);
    else if (key.startsWith('$')) continue;
    else if (value === null) delete result[key];
    else setOwn(result, key, mergeField(result, key, value, members(key)));
  }
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(SET_ORDER)) continue;
    const field = key.slice(SET_ORDER.length);
    reorder(result, target, { field, mergeKey: mergeKeyOf(members(field)) ?? null, order });
  }
  return result;
}

function mergeField(
  target: JsonObject,
  field: string,
  value: Json,
  member: Member | undefined,
): Json {
  const existing = getOwn(target, field);
  if (isJsonObject(value)) {
    if (member?.patchStrategies.includes('replace') === true) return stripped(value);
    return mergeObject(isJsonObject(existing) ? existing : {}, value, membersIn(member));
  }
  const mergeKey = mergeKeyOf(member);
  if (!Array.isArray(value) || mergeKey === undefined) return strippedItem(value);
  const items = Array.isArray(existing) ? existing : [];
  return mergeKey === null
    ? union(items, value)
    : mergeItems(items, value, { field, mergeKey, members: membersIn(member) });
}

interface ListPlace {
  readonly field: string;
  readonly mergeKey: string;
  /** The members of an item. */
  readonly members: Members;
}

function mergeItems(items: readonly Json[], patches: readonly Json[], place: ListPlace): Json[] {
  const { field, mergeKey, members } = place;
  const replaces = patches.some((item) => isJsonObject(item) && getOwn(item, PATCH) === 'replace');
  const result: (Json | undefined)[] = replaces ? [] : [...items];
  const places = identities(replaces ? [] : items, mergeKey);
  for (const patch of patches) {
    if (!isJsonObject(patch)) throw badRequest(`an item of ${field} in the patch is not an object`);
    const directive = getOwn(patch, PATCH);
    if (getOwn(patch, mergeKey) === undefined) {
      // An item may consist only of `$patch: replace`.
      if (directive === 'replace') continue;
      throw badRequest(`an item of ${field} in the patch lacks ${mergeKey}, which identifies it`);
    }
    const identity = identityOf(patch, mergeKey);
    const index = places.get(identity) ?? result.length;
    const existing = result[index];
    if (directive === 'delete') {
      if (index < result.length) result[index] = undefined;
      continue;
    }
    places.set(identity, index);
    result[index] = mergeObject(isJsonObject(existing) ? existing : {}, patch, members);
  }
  return result.filter((item) => item !== undefined);
}

/** The merge key of an item as text, so that long lists are merged in linear time. */
function identityOf(item: Json | undefined, mergeKey: string | null): string {
  const key = mergeKey !== null && isJsonObject(item) ? getOwn(item, mergeKey) : item;
  return JSON.stringify(key) ?? '';
}

function identities(items: readonly Json[], mergeKey: string | null = null): Map<string, number> {
  return new Map(items.map((item, index) => [identityOf(item, mergeKey), index]));
}

function union(items: readonly Json[], added: readonly Json[]): Json[] {
  const known = identities(items);
  return [...items, ...added.filter((value) => !known.has(identityOf(value, null)))];
}

function deleteValues(result: JsonObject, field: string, values: Json): void {
  if (!Array.isArray(values)) throw badRequest(`${DELETE_VALUES}${field} must be a list`);
  const items = getOwn(result, field);
  if (!Array.isArray(items)) return;
  const deleted = identities(values);
  setOwn(
    result,
    field,
    items.filter((item) => !deleted.has(identityOf(item, null))),
  );
}

/** The target; with `$retainKeys`, only the fields of it that the patch names. */
function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = getOwn(patch, RETAIN_KEYS);
  if (keys === undefined) return { ...target };
  if (!Array.isArray(keys)) throw badRequest(`${RETAIN_KEYS} must be a list of field names`);
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(target)) {
    if (keys.includes(key)) setOwn(result, key, value);
  }
  return result;
}

interface ListOrder {
  readonly field: string;
  readonly mergeKey: string | null;
  readonly order: Json;
}

/**
 * Sorts the items named by `order` into that order. An item that is not named stays before the first named item that it
 * preceded.
 */
function reorder(
  result: JsonObject,
  target: JsonObject,
  { field, mergeKey, order }: ListOrder,
): void {
  if (!Array.isArray(order)) throw badRequest(`${SET_ORDER}${field} must be a list`);
  const items = getOwn(result, field);
  if (!Array.isArray(items)) return;
  const ranks = identities(order, mergeKey);
  const before = getOwn(target, field);
  const places = identities(Array.isArray(before) ? before : [], mergeKey);
  const rank = (item: Json): number => ranks.get(identityOf(item, mergeKey)) ?? -1;
  const place = (item: Json | undefined): number => places.get(identityOf(item, mergeKey)) ?? -1;

  const named = items.filter((item) => rank(item) >= 0).toSorted((a, b) => rank(a) - rank(b));
  const others = items.filter((item) => rank(item) < 0);
  const merged: Json[] = [];
  let next = 0;
  for (const item of named) {
    for (; next < others.length && place(others[next]) < place(item); next += 1) {
      merged.push(others[next] as Json);
    }
    merged.push(item);
  }
  setOwn(result, field, [...merged, ...others.slice(next)]);
}

/** A copy without directives and nulls: the result of a patch when there is no target to merge with. */
function stripped(patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) {
    if (!key.startsWith('$') && value !== null) setOwn(result, key, strippedItem(value));
  }
  return result;
}

function strippedItem(value: Json): Json {
  if (Array.isArray(value)) return value.map(strippedItem);
  return isJsonObject(value) ? stripped(value) : cloneJson(value);
}

function unknownDirective(directive: Json): Error {
  return badRequest(
    `the patch has an unknown ${PATCH} directive ${JSON.stringify(directive).slice(0, 200)}: merge, replace and delete are known`,
  );
}
