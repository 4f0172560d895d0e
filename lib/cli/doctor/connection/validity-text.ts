import type { Validity } from '../contract/findings.ts';

const DAY_MS = 86_400_000;

/** Less than this before the end is a warning. */
export const SOON_MS: number = 14 * DAY_MS;

/** A time for people, in UTC and whole seconds, e.g. `2027-01-31T10:00:00Z`. */
export function dateText(wallMs: number): string {
  if (!Number.isFinite(wallMs)) return 'a time that cannot be read';
  try {
    return new Date(wallMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  } catch {
    return 'a time that cannot be read';
  }
}

/** How far away a time is, e.g. `in 13 days` or `2 hours ago`. */
export function distanceText(wallMs: number, nowMs: number): string {
  const ms = Math.abs(wallMs - nowMs);
  const [count, unit] =
    ms >= 2 * DAY_MS
      ? [ms / DAY_MS, 'days']
      : ms >= 7_200_000
        ? [ms / 3_600_000, 'hours']
        : ms >= 120_000
          ? [ms / 60_000, 'minutes']
          : [ms / 1000, 'seconds'];
  const text = `${Math.floor(count)} ${unit}`;
  return wallMs >= nowMs ? `in ${text}` : `${text} ago`;
}

/** Whether something is valid at a time. */
export function validityAt(
  { fromMs, toMs }: Validity,
  nowMs: number,
): 'valid' | 'expired' | 'not yet valid' {
  if (toMs !== undefined && nowMs > toMs) return 'expired';
  if (fromMs !== undefined && nowMs < fromMs) return 'not yet valid';
  return 'valid';
}
