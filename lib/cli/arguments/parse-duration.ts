import { UsageError } from './usage-error.ts';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A longer time is a mistake in the unit. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * Reads a duration such as `500ms`, `30s`, `1.5m` or `1h`; a number alone is in seconds. From 1 ms to 24 h.
 * @throws {UsageError} naming the option.
 */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const ms = match === null ? NaN : Number(match[1]) * (UNITS_MS[match[2] ?? 's'] ?? NaN);
  if (ms >= 1 && ms <= LONGEST_MS) return ms;
  throw new UsageError(
    `${option} must be a time from 1ms to 24h, such as 30s, not ${JSON.stringify(text)}`,
  );
}
