import { setOwn } from '../../registry/rules/json-value.ts';
import { cloneJson, getOwn, isJsonObject, type Json, type JsonObject } from '../http/json-tree.ts';

/**
 * Applies a JSON merge patch: objects are merged, null removes, everything else replaces. The target is not changed. The result
 * may share parts with the target, never with the patch.
 * @see RFC 7386
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return cloneJson(patch);
  const base = isJsonObject(target) ? target : {};
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(base)) {
    if (!Object.hasOwn(patch, key)) setOwn(result, key, value);
    else if (patch[key] !== null) setOwn(result, key, applyMergePatch(value, patch[key] as Json));
  }
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !Object.hasOwn(base, key)) {
      setOwn(result, key, applyMergePatch(getOwn(base, key), value));
    }
  }
  return result;
}
