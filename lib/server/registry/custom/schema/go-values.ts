import { isRecord } from '../../rules/json-value.ts';

/** A number as Go prints it: `1e+25`, `1e-05`. */
export function goNumber(value: number): string {
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e21)) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    const sign = exponent.startsWith('-') ? '-' : '+';
    return `${digits}e${sign}${exponent.slice(1).padStart(2, '0')}`;
  }
  return String(value);
}

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
