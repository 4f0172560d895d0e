import { isRecord, setOwn, type JsonRecord } from '../../../meta/json-value.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Removes nulls that a schema does not allow and has no default for. Changes the value.
 *
 * @param given the configuration of an apply: only its nulls are removed. Those that the apply left in the place of emptied maps and
 *   lists stay, and are refused.
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting/prunenulls.go @ v0.36.3
 */
export function dropNulls(value: unknown, node: SchemaNode | undefined, given?: unknown): void {
  const isApplied = given !== undefined;
  if (Array.isArray(value)) {
    // Items have changed their places, so that the nulls of a list are distinguished as a whole.
    if (isApplied && !hasNull(given)) return;
    for (const item of value) dropNulls(item, node?.items);
  } else if (isRecord(value)) {
    const configured = isRecord(given) ? given : {};
    for (const name of Object.keys(value)) {
      const inner = node?.properties.get(name) ?? node?.additional;
      const member = value[name];
      if (member === null) {
        if (isApplied && configured[name] !== null) continue;
        if (inner !== undefined && !inner.nullable && inner.fallback === undefined) {
          delete value[name];
        }
      } else if (typeof member === 'object') {
        dropNulls(member, inner, isApplied ? (configured[name] ?? {}) : undefined);
      }
    }
  }
}

function hasNull(value: unknown): boolean {
  if (value === null) return true;
  return typeof value === 'object' && Object.values(value).some(hasNull);
}

/**
 * Sets the defaults of a schema, outermost first. Changes the value.
 * @see apiextensions-apiserver pkg/apiserver/schema/defaulting/algorithm.go @ v0.36.3
 */
export function setDefaults(value: unknown, node: SchemaNode | undefined): void {
  if (node === undefined) return;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return;
    for (const [index, item] of (value as unknown[]).entries()) {
      if (isWrongNull(item, items)) value[index] = copyOfDefault(items);
      setDefaults(value[index], items);
    }
  } else if (isRecord(value)) setMemberDefaults(value, node);
}

function setMemberDefaults(value: JsonRecord, { properties, additional }: SchemaNode): void {
  for (const [name, property] of properties) {
    if (property.fallback === undefined) continue;
    if (!Object.hasOwn(value, name) || isWrongNull(value[name], property)) {
      setOwn(value, name, copyOfDefault(property));
    }
  }
  for (const name of Object.keys(value)) {
    const property = properties.get(name);
    if (property !== undefined) setDefaults(value[name], property);
    else if (additional !== undefined) {
      if (isWrongNull(value[name], additional)) setOwn(value, name, copyOfDefault(additional));
      setDefaults(value[name], additional);
    }
  }
}

function isWrongNull(value: unknown, node: SchemaNode): boolean {
  return value === null && !node.nullable;
}

function copyOfDefault({ fallback }: SchemaNode): unknown {
  if (fallback === undefined) return null;
  return typeof fallback === 'object' ? structuredClone(fallback) : fallback;
}
