const SECOND_MS = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Row {
  /** The row applies to durations shorter than this, in seconds. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  /** The second unit; not written when it is 0. */
  readonly rest?: { readonly unit: number; readonly letter: string };
}

/** The precision of an age, e.g. `90s`, `5m10s`, `47h`, `3d4h`. See apimachinery util/duration @ eed236c. */
const rows: readonly Row[] = [
  { below: 2 * MINUTE, unit: 1, letter: 's' },
  { below: 10 * MINUTE, unit: MINUTE, letter: 'm', rest: { unit: 1, letter: 's' } },
  { below: 3 * HOUR, unit: MINUTE, letter: 'm' },
  { below: 8 * HOUR, unit: HOUR, letter: 'h', rest: { unit: MINUTE, letter: 'm' } },
  { below: 2 * DAY, unit: HOUR, letter: 'h' },
  { below: 8 * DAY, unit: DAY, letter: 'd', rest: { unit: HOUR, letter: 'h' } },
  { below: 2 * YEAR, unit: DAY, letter: 'd' },
  { below: 8 * YEAR, unit: YEAR, letter: 'y', rest: { unit: DAY, letter: 'd' } },
  { below: Infinity, unit: YEAR, letter: 'y' },
];

/** A duration in the form of `kubectl get`; -2 seconds or less are `<invalid>`. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / SECOND_MS);
  if (Number.isNaN(seconds) || seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const { unit, letter, rest } = rows.find(({ below }) => seconds < below) as Row;
  const whole = `${Math.floor(seconds / unit)}${letter}`;
  const remainder = rest === undefined ? 0 : Math.floor((seconds % unit) / rest.unit);
  return remainder === 0 ? whole : `${whole}${remainder}${rest?.letter}`;
}

/** The age of an RFC 3339 timestamp, or `<unknown>` when there is none. */
export function ageOf(timestamp: unknown, nowMs: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return '<unknown>';
  return humanDuration(nowMs - Date.parse(timestamp));
}

let lastSecond = Number.NaN;
let lastTimestamp = '';

/** RFC 3339 in UTC with second precision, the form of `metav1.Time`. */
export function timestampOf(wallMs: number): string {
  const second = Math.floor(wallMs / SECOND_MS);
  // All times within one second have the same text.
  if (second !== lastSecond) {
    lastTimestamp = `${new Date(second * SECOND_MS).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastTimestamp;
}
