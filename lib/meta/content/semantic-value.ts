/** A quantity: sign, digits with a point, and a suffix or an exponent. */
const QUANTITY =
  /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/;

const EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY = 'KMGTPE';

/** A number as digits × 10 ^ exponent. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = '', exponent = '0'] =
    QUANTITY.exec(String(value)) ?? [];
  const text = whole + fraction;
  if (text === '') return undefined;
  const isBinary = suffix.length === 2;
  const factor = isBinary ? 1024n ** BigInt(BINARY.indexOf(suffix.charAt(0)) + 1) : 1n;
  const power = isBinary ? 0 : (EXPONENTS[suffix] ?? Number(exponent));
  return {
    digits: BigInt(text) * factor * (sign === '-' ? -1n : 1n),
    exponent: power - fraction.length,
  };
}

/**
 * Whether two quantities are the same number, such as `1000m` and `1`, or `1Gi` and `1024Mi`. False when one is no quantity.
 * @see apimachinery pkg/api/resource/quantity.go Cmp @ v0.36.3
 */
export function sameQuantity(one: unknown, other: unknown): boolean {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a === undefined || b === undefined) return false;
  const least = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent }: Decimal): bigint =>
    digits * 10n ** BigInt(exponent - least);
  return scaled(a) === scaled(b);
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Seconds since 1970 and their fraction, as one text. */
function instantOf(value: unknown): string | undefined {
  const text = value instanceof Date ? value.toISOString() : value;
  if (typeof text !== 'string') return undefined;
  const [, seconds = '', fraction = '', zone = ''] = TIME.exec(text) ?? [];
  const atMs = Date.parse(seconds + zone);
  return Number.isNaN(atMs) ? undefined : `${atMs}.${fraction.replace(/0+$/, '')}`;
}

/** Whether two times, texts of RFC 3339 or `Date`, are the same instant. False when one is no time. */
export function sameInstant(one: unknown, other: unknown): boolean {
  const instant = instantOf(one);
  return instant !== undefined && instant === instantOf(other);
}
