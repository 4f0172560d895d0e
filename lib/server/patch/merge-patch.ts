import { setOwn } from '../../meta/json-value.ts';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../http/body/json-tree.ts';

/**
 * Applies a JSON merge patch: objects are merged, null removes, everything else replaces. The target is not changed. The result
 * may share parts with the target, never with the patch. The members of the objects that were merged come in alphabetical order.
 * @see RFC 7386
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (Array.isArray(patch)) return patch.map((item) => withoutNulls(item));
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
function withoutNulls(item: Json): Json {
  return item === null ? null : applyMergePatch(undefined, item);
}
