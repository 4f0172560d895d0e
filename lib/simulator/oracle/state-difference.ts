import type { CanonicalObject } from './canonical-state.ts';

/** How an object differs from what it should be. */
export interface StateDifference {
  /** One sentence. */
  readonly message: string;
  /** The same without values, for what many differences have in common. */
  readonly difference: string;
}

const MOST_FIELDS = 3;

/** Undefined: it does not differ, besides the fields that are masked. */
export function stateDifference(
  expected: CanonicalObject | undefined,
  found: CanonicalObject | undefined,
  masked: ReadonlySet<string> | undefined,
): StateDifference | undefined {
  if (expected === undefined && found === undefined) return undefined;
  if (expected === undefined) {
    return { message: 'it exists at the end; without faults it does not', difference: 'exists' };
  }
  if (found === undefined) {
    return {
      message: 'it does not exist at the end; without faults it does',
      difference: 'missing',
    };
  }
  /** By what they are of, without values. */
  const texts = new Map<string, string>();
  for (const path of new Set([...expected.keys(), ...found.keys()])) {
    if (masked?.has(path) === true || expected.get(path) === found.get(path)) continue;
    const list = reorderedList(path, expected, found);
    const [is, should] = [found.get(path) ?? 'absent', expected.get(path) ?? 'absent'];
    if (list === undefined) texts.set(path, `${path} is ${is}, without faults ${should}`);
    else texts.set(`${list} in another order`, `${list} has the same elements in another order`);
  }
  if (texts.size === 0) return undefined;
  const more = texts.size > MOST_FIELDS ? `, and ${texts.size - MOST_FIELDS} more fields` : '';
  const message = [...texts.values()].slice(0, MOST_FIELDS).join('; ') + more;
  const fields = new Set([...texts.keys()].map((path) => path.replaceAll(/\[\d+\]/g, '[]')));
  return { message, difference: [...fields].toSorted().join(', ') };
}

/** The list in which a path is, if it only has another order. */
function reorderedList(
  path: string,
  expected: CanonicalObject,
  found: CanonicalObject,
): string | undefined {
  for (const { index } of path.matchAll(/\[\d+\]/g)) {
    const list = path.slice(0, index);
    if (elementsOf(expected, list) === elementsOf(found, list)) return list;
  }
  return undefined;
}

/** The elements of a list as one text that does not depend on their order. */
function elementsOf(object: CanonicalObject, list: string): string {
  const elements = new Map<string, string[]>();
  for (const [path, text] of object) {
    if (!path.startsWith(`${list}[`)) continue;
    const [number = '', ...rest] = path.slice(list.length + 1).split(']');
    const fields = elements.get(number) ?? [];
    elements.set(number, fields);
    fields.push(`${rest.join(']')} ${text}`);
  }
  const texts = [...elements.values()].map((fields) => fields.toSorted().join('\n'));
  return JSON.stringify(texts.toSorted());
}
