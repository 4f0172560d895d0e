import { labelSelectorFromSpec } from '../../meta/selectors/label-selector.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { TableCell } from '../../server/registry/contract/table-columns.ts';
import { ageOf } from '../../server/registry/rules/duration.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';

export const NONE = '<none>';
export const UNSET = '<unset>';
export const UNKNOWN = '<unknown>';

export function nameCell(object: KubernetesObject): string {
  return textAt(object, 'metadata', 'name');
}

/** The time since the object was created. */
export function ageCell(object: KubernetesObject, nowMs: number): string {
  return ageOf(valueAt(object, 'metadata', 'creationTimestamp'), nowMs);
}

export function isLeaving(object: KubernetesObject): boolean {
  return valueAt(object, 'metadata', 'deletionTimestamp') !== undefined;
}

/** Name and age, with other cells between them. */
export function namedRow(
  between: (object: KubernetesObject, nowMs: number) => readonly TableCell[] = () => [],
): RowCells {
  return (object, nowMs) => [nameCell(object), ...between(object, nowMs), ageCell(object, nowMs)];
}

/** The text at a path, or another text when there is none. */
export function textOr(missing: string, value: unknown, ...path: readonly string[]): string {
  return textAt(value, ...path) || missing;
}

/** A number or a text at a path, as text. */
export function scalarOr(missing: string, value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'number' || typeof found === 'string' ? String(found) : missing;
}

/** `True` or `False`, or `<unset>`. */
export function booleanCell(value: unknown): string {
  if (typeof value !== 'boolean') return UNSET;
  return value ? 'True' : 'False';
}

/** The number of items of the array at a path. */
export function lengthAt(value: unknown, ...path: readonly string[]): number {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.length : 0;
}

/** A map of texts as `a=1,b=2`. */
export function labelsCell(labels: unknown): string {
  const terms = Object.entries(recordAt(labels) ?? {});
  const texts = terms.map(([key, value]) => `${key}=${String(value)}`);
  return texts.toSorted().join(',') || NONE;
}

/** A label selector as text; empty when there is none. */
export function selectorText(selector: unknown, invalid: string): string {
  if (selector === undefined || selector === null) return '';
  try {
    return labelSelectorFromSpec(selector).toString();
  } catch {
    return invalid;
  }
}

/** A label selector as text, `<none>` when it has no terms. */
export function selectorCell(selector: unknown): string {
  return selectorText(selector, '<error>') || NONE;
}

/** Names and images of the containers of a pod spec. */
export function containerCells(podSpec: unknown): readonly [string, string] {
  const containers = recordsAt(podSpec, 'containers');
  const joined = (property: string): string =>
    containers.map((container) => textAt(container, property)).join(',');
  return [joined('name'), joined('image')];
}

/** Whether the first condition of this type holds. */
export function conditionHolds(object: unknown, type: string): boolean {
  const condition = recordsAt(object, 'status', 'conditions').find((one) => one['type'] === type);
  return condition?.['status'] === 'True';
}

/** The first texts of a list, and how many more there are. */
export function someOf(texts: readonly string[], most: number): string {
  if (texts.length > most) {
    return `${texts.slice(0, most).join(',')} + ${texts.length - most} more...`;
  }
  return texts.join(',') || UNSET;
}
