import { isJsonObject, type Json } from '../http/body/json-tree.ts';
import type { BodyFault } from '../registry/rules/body-faults.ts';
import type { JsonPatch } from './json-patch.ts';

/** By path in an object, whole numbers as a text writes them: `3.0`, which Go does not take for whole ones. */
export type Literals = ReadonlyMap<string, string>;

/**
 * The unusual literals of a JSON patch by their paths in its result. Where a later operation moves a value, its literal is lost.
 * @param found by path in the patch: `[0].value`
 */
export function literalsInResult(patch: JsonPatch, result: Json, found: Literals): Literals {
  const literals = new Map<string, string>();
  for (const [place, text] of found) {
    const [, index = '', rest = ''] = /^\[(\d+)\]\.value(.*)$/.exec(place) ?? [];
    const { op, path } = patch[Number(index)] ?? {};
    if (index === '' || path === undefined || (op !== 'add' && op !== 'replace')) continue;
    literals.set(fieldPath(path, result) + rest, text);
  }
  return literals;
}

/** The members that a value of an operation has twice, where the value is in the result as it was sent. */
export function repeatedInResult(
  patch: JsonPatch,
  result: Json,
  faults: readonly BodyFault[],
): readonly BodyFault[] {
  return faults.flatMap((fault) => {
    const [, index = '', rest = ''] = /^\[(\d+)\]\.value(.+)$/.exec(fault.path) ?? [];
    const { op, path } = patch[Number(index)] ?? {};
    if (index === '' || path === undefined || (op !== 'add' && op !== 'replace')) return [];
    const later = patch.slice(Number(index) + 1);
    if (later.some((one) => [one.path, one.from].some((other) => meets(path, other)))) return [];
    const field = fieldPath(path, result) + rest;
    const text = `duplicate field ${JSON.stringify(field)}`;
    return [{ path: field, text, place: Number.MAX_SAFE_INTEGER }];
  });
}

/** Whether one pointer leads to the other, or both are the same. */
function meets(one: string, other: string | undefined): boolean {
  return other !== undefined && (`${one}/`.startsWith(`${other}/`) || other.startsWith(`${one}/`));
}

/** A JSON pointer as the path of a field: `/spec/ports/0/port` as `spec.ports[0].port`. */
function fieldPath(pointer: string, document: Json): string {
  let path = '';
  let value: Json | undefined = document;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      const index: number = name === '-' ? value.length - 1 : Number(name);
      path += `[${index}]`;
      value = value[index];
    } else {
      path += path === '' ? name : `.${name}`;
      value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }
  }
  return path;
}

/** JSON in which the numbers at these paths are written as they were. */
export function jsonWithLiterals(value: Json, literals: Literals): string {
  return literals.size === 0 ? JSON.stringify(value) : textAt(value, '', literals);
}

function textAt(value: Json, path: string, literals: Literals): string {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => textAt(item, `${path}[${index}]`, literals)).join(',')}]`;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) =>
        `${JSON.stringify(name)}:${textAt(member, path === '' ? name : `${path}.${name}`, literals)}`,
    );
    return `{${members.join(',')}}`;
  }
  const literal = literals.get(path);
  return literal !== undefined && Number(literal) === value ? literal : JSON.stringify(value);
}
