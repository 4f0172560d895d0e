/** How a quantity was written, and is written again: `1500m`, `1Gi`, `15e2`. */
type QuantityFormat = 'decimal' | 'binary' | 'exponent';

/** A quantity of resources, exact to 10⁻⁹. */
export interface Quantity {
  /** In units of 10⁻⁹. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
const NANO_DIGITS = 9;
const MICRO_PER_MILLI = 1_000_000n;
const KILO = 1024n;

/** Powers of ten, from `n` on in steps of three. */
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const UNIT = DECIMAL_SUFFIXES.indexOf('');
/** Powers of 1024. */
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const EXPONENT = /^[eE]([-+]?\d+)$/;
const MOST_EXPONENT = 100;

const WRONG_FORM =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";

/** Whole numbers below 1000, with a suffix that cannot be shortened, are already canonical. */
const CANONICAL = /^(?:0|[1-9]\d{0,2}(?:[num]|[kMGTPE]|)|(?:[1-9]\d{0,2}(?:Ki|Mi|Gi|Ti|Pi|Ei)))$/;

/**
 * Reads `250m`, `1.5Gi`, `2e3`.
 * @throws {SyntaxError} with the words of Kubernetes.
 * @see apimachinery pkg/api/resource/quantity.go ParseQuantity @ v0.36.3
 */
export function parseQuantity(text: string): Quantity {
  const match = FORM.exec(text);
  if (match === null || text === '') throw new SyntaxError(WRONG_FORM);
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const { format, multiplier, digits } = scaleOf(suffix);
  const mantissa = BigInt(`${whole}${fraction}` || '0') * multiplier;
  // A power of ten: that of nano, that of the suffix, less the digits after the point.
  const power = NANO_DIGITS + digits - fraction.length;
  const magnitude =
    power >= 0 ? mantissa * 10n ** BigInt(power) : dividedUp(mantissa, 10n ** BigInt(-power));
  return { nanos: sign === '-' ? -magnitude : magnitude, format };
}

interface Scale {
  readonly format: QuantityFormat;
  readonly multiplier: bigint;
  /** The power of ten. */
  readonly digits: number;
}

function scaleOf(suffix: string): Scale {
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) return { format: 'decimal', multiplier: 1n, digits: (decimal - UNIT) * 3 };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { format: 'binary', multiplier: KILO ** BigInt(binary), digits: 0 };
  const exponent = Number(EXPONENT.exec(suffix)?.[1] ?? Number.NaN);
  if (!(Math.abs(exponent) <= MOST_EXPONENT)) throw new SyntaxError(WRONG_SUFFIX);
  return { format: 'exponent', multiplier: 1n, digits: exponent };
}

function dividedUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** The quantity as Kubernetes writes it: the largest suffix with a whole number. */
export function quantityText({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const magnitude = nanos < 0n ? -nanos : nanos;
  const isWhole = magnitude % NANO === 0n;
  if (format === 'binary' && isWhole && magnitude >= KILO * NANO) {
    return sign + binaryText(magnitude / NANO);
  }
  let mantissa = magnitude;
  let steps = 0;
  while (
    mantissa % 1000n === 0n &&
    (format === 'exponent' || steps < DECIMAL_SUFFIXES.length - 1)
  ) {
    mantissa /= 1000n;
    steps += 1;
  }
  if (format !== 'exponent') return `${sign}${mantissa}${DECIMAL_SUFFIXES[steps]}`;
  const exponent = (steps - UNIT) * 3;
  return `${sign}${mantissa}${exponent === 0 ? '' : `e${exponent}`}`;
}

function binaryText(whole: bigint): string {
  let mantissa = whole;
  let steps = 0;
  while (mantissa % KILO === 0n && steps < BINARY_SUFFIXES.length - 1) {
    mantissa /= KILO;
    steps += 1;
  }
  return `${mantissa}${BINARY_SUFFIXES[steps]}`;
}

/** The text in its canonical form: `1000m` is `1`, `1024Mi` is `1Gi`. @throws {SyntaxError} */
export function canonicalQuantity(text: string): string {
  return CANONICAL.test(text) ? text : quantityText(parseQuantity(text));
}

/** The same, rounded up to thousandths, as for the resources of containers. @throws {SyntaxError} */
export function canonicalResource(text: string): string {
  if (CANONICAL.test(text) && !text.endsWith('n') && !text.endsWith('u')) return text;
  const { nanos, format } = parseQuantity(text);
  const sign = nanos < 0n ? -1n : 1n;
  const rounded = dividedUp(sign * nanos, MICRO_PER_MILLI) * MICRO_PER_MILLI * sign;
  return quantityText({ nanos: rounded, format });
}
