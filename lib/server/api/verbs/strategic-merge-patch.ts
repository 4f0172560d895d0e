import { badRequest } from '../../../meta/failures.ts';
import { setOwn } from '../../registry/rules/json-value.ts';
import { cloneJson, getOwn, isJsonObject, type Json, type JsonObject } from '../http/json-tree.ts';

/**
 * The lists of built-in kinds that are merged instead of replaced, by field name, with the field that identifies an item; null
 * for lists of scalar values.
 * @see api core/v1 and others, the `patchStrategy` and `patchMergeKey` tags @ 1.36
 */
const MERGE_KEYS: ReadonlyMap<string, string | null> = new Map([
  ['addresses', 'type'],
  ['conditions', 'type'],
  ['containers', 'name'],
  ['env', 'name'],
  ['ephemeralContainers', 'name'],
  ['finalizers', null],
  ['hostAliases', 'ip'],
  ['imagePullSecrets', 'name'],
  ['initContainers', 'name'],
  ['matchConditions', 'name'],
  ['ownerReferences', 'uid'],
  ['podCIDRs', null],
  ['podIPs', 'ip'],
  ['ports', 'containerPort'],
  ['resourceClaims', 'name'],
  ['schedulingGates', 'name'],
  ['secrets', 'name'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['volumeDevices', 'devicePath'],
  ['volumeMounts', 'mountPath'],
  ['volumes', 'name'],
  ['webhooks', 'name'],
]);

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';

/**
 * Applies a strategic merge patch. It works like a JSON merge patch, but the known lists of built-in kinds are merged item by
 * item. Supports `$patch: merge | replace | delete`, `$retainKeys`, `$setElementOrder/FIELD` and `$deleteFromPrimitiveList/FIELD`.
 *
 * Not guaranteed: upstream's result for a list name that is merged in one built-in kind and replaced in another. Fields are
 * distinguished by name; `ports` also by kind.
 * @throws {ApiError} 400 for an unknown directive, or for an item of a merged list without its key.
 */
export function applyStrategicMergePatch(
  target: JsonObject,
  patch: JsonObject,
  kind: string,
): JsonObject {
  return mergeObject(target, patch, kind);
}

function mergeKeyOf(field: string, kind: string): string | null | undefined {
  return field === 'ports' && kind === 'Service' ? 'port' : MERGE_KEYS.get(field);
}

function mergeObject(target: JsonObject, patch: JsonObject, kind: string): JsonObject {
  const directive = getOwn(patch, PATCH) ?? 'merge';
  if (directive === 'replace') return stripped(patch);
  if (directive === 'delete') return {};
  if (directive !== 'merge') throw unknownDirective(directive);

  const result = retained(target, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_VALUES)) deleteValues(result, key.slice(DELETE_VALUES.length), value);
    else if (key.startsWith('$')) continue;
    else if (value === null) delete result[key];
    else setOwn(result, key, mergeField(result, key, value, kind));
  }
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(SET_ORDER))
      reorder(result, target, key.slice(SET_ORDER.length), order, kind);
  }
  return result;
}

function mergeField(target: JsonObject, field: string, value: Json, kind: string): Json {
  const existing = getOwn(target, field);
  if (isJsonObject(value)) {
    return mergeObject(isJsonObject(existing) ? existing : {}, value, kind);
  }
  const mergeKey = mergeKeyOf(field, kind);
  if (!Array.isArray(value) || mergeKey === undefined) return strippedItem(value);
  const items = Array.isArray(existing) ? existing : [];
  return mergeKey === null
    ? union(items, value)
    : mergeItems(items, value, { field, mergeKey, kind });
}

interface ListPlace {
  readonly field: string;
  readonly mergeKey: string;
  readonly kind: string;
}

function mergeItems(items: readonly Json[], patches: readonly Json[], place: ListPlace): Json[] {
  const { field, mergeKey, kind } = place;
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
    result[index] = mergeObject(isJsonObject(existing) ? existing : {}, patch, kind);
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

/**
 * Sorts the items named by `order` into that order. An item that is not named stays before the first named item that it
 * preceded.
 */
function reorder(
  result: JsonObject,
  target: JsonObject,
  field: string,
  order: Json,
  kind: string,
): void {
  if (!Array.isArray(order)) throw badRequest(`${SET_ORDER}${field} must be a list`);
  const items = getOwn(result, field);
  if (!Array.isArray(items)) return;
  const mergeKey = mergeKeyOf(field, kind) ?? null;
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
