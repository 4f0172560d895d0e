import type { Json } from '../http/body/json-tree.ts';

/** A JSON value as Go prints its maps: `map[data:map[a:1] labels:[x y]]`. */
export function goMapText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map((item) => goMapText(item)).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${name}:${goMapText(value[name])}`);
  return `map[${members.join(' ')}]`;
}
