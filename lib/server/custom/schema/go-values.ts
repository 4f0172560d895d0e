import { goNumber } from '../../registry/rules/go-number.ts';
import { isRecord } from '../../../meta/json-value.ts';

/** A value as Go's `%v` prints it: `[a b]`, `map[a:1]`. */
export function goText(value: unknown): string {
  if (typeof value === 'number') return goNumber(value);
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isRecord(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${name}:${goText(value[name])}`);
  return `map[${members.join(' ')}]`;
}
