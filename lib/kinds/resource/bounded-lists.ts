import { isRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { each } from '../../server/registry/validation/combine.ts';

/** A list of at most so many items. The items of a longer one are not looked at. */
export function atMostItems(most: number, ...checks: readonly Check[]): Check {
  return (list, path, report) => {
    if (!Array.isArray(list)) return;
    if (list.length > most) return report.tooMany(path, list.length, most);
    for (const check of checks) check(list, path, report);
  };
}

/**
 * Items that differ in a key, which is named at the item itself.
 * @param isDeclared whether newer versions declare the rule with the type, and show the whole item
 */
export function distinct(
  keyOf: (item: unknown) => unknown,
  { isDeclared = true }: { readonly isDeclared?: boolean } = {},
): Check {
  return (list, path, report) => {
    const keys = new Set<string>();
    for (const [index, item] of (list as readonly unknown[]).entries()) {
      const key = keyOf(item);
      const text = JSON.stringify(key) ?? '';
      const shown =
        isDeclared && isRecord(item) && report.isSince('repeatedItemsShown') ? item : key;
      if (keys.has(text)) report.duplicate(`${path}[${index}]`, shown);
      keys.add(text);
    }
  };
}

/** A list of at most so many items that differ in a member. */
export function namedItems(
  most: number,
  check: Check,
  {
    member = 'name',
    isDeclared = true,
  }: { readonly member?: string; readonly isDeclared?: boolean } = {},
): Check {
  const key = (item: unknown): unknown => (isRecord(item) ? (item[member] ?? '') : '');
  return atMostItems(most, each(check), distinct(key, { isDeclared }));
}

/** A list of at most so many texts that differ. */
export function distinctTexts(most: number, check: Check): Check {
  return atMostItems(
    most,
    each(check),
    distinct((text) => text),
  );
}

/** A map of at most so many members. Faults of a key are those of the map. */
export function boundedMap(most: number, longestKey: number, key: Check, value?: Check): Check {
  return (map, path, report) => {
    if (!isRecord(map)) return;
    const names = Object.keys(map).toSorted();
    if (names.length > most) return report.tooMany(path, names.length, most);
    for (const name of names) {
      key(name, path, report);
      value?.(map[name], `${path}[${shortened(name, longestKey)}]`, report);
    }
  };
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const rest = most - 3;
  return `${text.slice(0, Math.ceil(rest / 2))}...${text.slice(text.length - Math.floor(rest / 2))}`;
}
