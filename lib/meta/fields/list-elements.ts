import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { ListSchema } from './field-schema.ts';

export type JsonMap = Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is no map, or one without fields. */
export function isEmptyMap(value: unknown): boolean {
  if (!isMap(value)) return true;
  for (const _ in value) return false;
  return true;
}

/**
 * The name of an item of a list in a `FieldSet`.
 * @throws {ListwatchError} code FIELD_SCHEMA when the item has no key.
 */
export function elementOf(list: ListSchema, item: unknown): string {
  if (list.relationship === 'set') {
    if (typeof item === 'object') throw badItem(wrongSetItem(item));
    return `v:${JSON.stringify(item)}`;
  }
  if (item === null) throw badItem('associative list with keys may not have a null element');
  if (!isMap(item)) throw badItem('associative list with keys may not have non-map elements');
  const key: Record<string, unknown> = {};
  let given = false;
  for (const name of list.sortedKeys) {
    const value = Object.hasOwn(item, name) ? item[name] : list.keyDefault(name);
    if (value === undefined) continue;
    key[name] = value;
    given = true;
  }
  if (!given) {
    throw badItem(
      `associative list with keys has an element that omits all key fields ${goList(list.keys)} (and doesn't have default values for any key fields)`,
    );
  }
  return `k:${JSON.stringify(key)}`;
}

/** One path element in the words of kubectl: `.spec`, `[name="web"]`, `[="a"]`. */
export function elementText(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('v:')) return `[=${rest}]`;
  if (!element.startsWith('k:')) return `[${rest}]`;
  const key = JSON.parse(rest) as JsonMap;
  const parts = Object.entries(key).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${parts.join(',')}]`;
}

/** A path in the words of kubectl: `.spec.containers[name="web"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

const KINDS_IN_ORDER = 'fkvi';

/**
 * The order of two names of one level: fields, items by key, items by value, items by place; numbers by their size.
 * @see structured-merge-diff fieldpath/element.go PathElement.Compare @ v6.3.3
 */
export function compareElements(one: string, other: string): number {
  const [kind = '', otherKind = ''] = [one[0], other[0]];
  if (kind !== otherKind) return KINDS_IN_ORDER.indexOf(kind) - KINDS_IN_ORDER.indexOf(otherKind);
  const [left, right] = [one.slice(2), other.slice(2)];
  if (kind === 'f') return compareScalars(left, right);
  if (kind !== 'k') return compareScalars(JSON.parse(left), JSON.parse(right));
  const keys = Object.entries(JSON.parse(left) as JsonMap);
  const otherKeys = Object.entries(JSON.parse(right) as JsonMap);
  for (const [index, [name, value]] of keys.entries()) {
    const [otherName = '', otherValue] = otherKeys[index] ?? [];
    const order = compareScalars(name, otherName) || compareScalars(value, otherValue);
    if (order !== 0) return order;
  }
  return keys.length - otherKeys.length;
}

const TYPES_IN_ORDER = ['number', 'string', 'boolean'];

function compareScalars(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (typeof one !== typeof other) {
    return TYPES_IN_ORDER.indexOf(typeof one) - TYPES_IN_ORDER.indexOf(typeof other);
  }
  return (one as string) < (other as string) ? -1 : 1;
}

function goList(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
}

/** In the words of structured-merge-diff typed/helpers.go @ v6.4.2. */
function wrongSetItem(item: object | null): string {
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  const what = item === null ? 'an explicit null' : 'a map type';
  return `associative list without keys has an element that's ${what}`;
}

function badItem(text: string): ListwatchError {
  return new ListwatchError('FIELD_SCHEMA', text);
}
