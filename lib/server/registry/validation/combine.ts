import { isRecord, jsonEqual, type JsonRecord } from '../../../meta/json-value.ts';
import type { Check, Report } from './check.ts';

/** Rules by the names of the members that they are for. */
export type FieldChecks = Readonly<Record<string, Check>>;

/**
 * Checks members of an object in the order of the table. The names are data: a spec compares them with the types of the kinds.
 */
export function fields(checks: FieldChecks): Check {
  const entries = Object.entries(checks);
  const check: Check = (value, path, report, old) => {
    if (!isRecord(value)) return;
    const before = isRecord(old) ? old : undefined;
    for (const [name, one] of entries) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      const oldMember =
        before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
      one(member, path === '' ? name : `${path}.${name}`, report, oldMember);
    }
  };
  return check;
}

/** Checks a value by several rules, in their order. */
export function all(...checks: readonly Check[]): Check {
  return (value, path, report, old) => {
    for (const one of checks) one(value, path, report, old);
  };
}

/** Checks by the later rules only when the first one found no fault. */
export function first(check: Check, ...then: readonly Check[]): Check {
  return (value, path, report, old) => {
    const before = report.causes.length;
    check(value, path, report, old);
    if (report.causes.length > before) return;
    for (const one of then) one(value, path, report, old);
  };
}

/** Checks each item of a list. `keyOf` says which old item is the same one; without it items have no old value. */
export function each(check: Check, keyOf?: (item: JsonRecord) => string): Check {
  return (value, path, report, old) => {
    if (!Array.isArray(value)) return;
    const before = keyOf === undefined ? undefined : byKey(old, keyOf);
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const same = keyOf !== undefined && isRecord(item) ? before?.get(keyOf(item)) : undefined;
      check(item, `${path}[${index}]`, report, same);
    }
  };
}

function byKey(
  old: unknown,
  keyOf: (item: JsonRecord) => string,
): Map<string, unknown> | undefined {
  if (!Array.isArray(old)) return undefined;
  return new Map(old.filter(isRecord).map((item) => [keyOf(item), item]));
}

/** Checks each value of a map at `path[key]`, and each key by a rule of its own at the same place. */
export function entries(checks: { readonly key?: Check; readonly value?: Check }): Check {
  return (map, path, report, old) => {
    if (!isRecord(map)) return;
    // As API servers do, so that the order of the causes is the same in each run.
    for (const key of Object.keys(map).toSorted()) {
      const place = `${path}[${key}]`;
      checks.key?.(key, place, report);
      checks.value?.(map[key], place, report, isRecord(old) ? old[key] : undefined);
    }
  };
}

/** Checks by a rule only where the condition holds. */
export function when(
  condition: (value: unknown, report: Report, old: unknown) => boolean,
  check: Check,
): Check {
  return (value, path, report, old) => {
    if (condition(value, report, old)) check(value, path, report, old);
  };
}

/** Refuses an absent value, an empty text and an empty list; checks any other by the rules. */
export function required(...checks: readonly Check[]): Check {
  return requiredFor('', ...checks);
}

/** `required`, with a text that says why. */
export function requiredFor(detail: string, ...checks: readonly Check[]): Check {
  return (value, path, report, old) => {
    if (isEmpty(value)) report.required(path, detail);
    else for (const one of checks) one(value, path, report, old);
  };
}

/** Whether Go's zero value: absent, an empty text or an empty list. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

/** Refuses items of a list that are equal to an earlier one, at `path[index]`, or at a member of the item. */
export function unique(keyOf: (item: unknown) => unknown = (item) => item, member?: string): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return;
    const seen = new Set<string>();
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      const key = keyOf(item);
      const text = JSON.stringify(key) ?? '';
      const place = member === undefined ? `${path}[${index}]` : `${path}[${index}].${member}`;
      if (seen.has(text)) report.duplicate(place, key);
      seen.add(text);
    }
  };
}

/** Whether an update changed the value. */
export function isChanged(value: unknown, report: Report, old: unknown): boolean {
  return report.isUpdate && !jsonEqual(value, old);
}
