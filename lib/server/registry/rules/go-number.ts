/** The largest integer of Go is one less, for which this is the nearest double. */
const INT64_END = 2 ** 63;
/** From this power of ten on, Go prints a double with an exponent. */
const FIRST_LARGE_POWER = 6;
const LARGEST_INT64 = '9223372036854775807';

/** Whether Go reads a number of JSON as an integer. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -INT64_END && value <= INT64_END;
}

/** A double as an `int64` of Go on amd64, where one that does not fit becomes the least. */
export function toInt64(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(whole) < INT64_END ? whole : -INT64_END;
}

/** A number of JSON as Go's `%v` prints it: `1000000`, `1.5`, `1.2345675e+06`, `1e+20`. */
export function goNumber(value: number): string {
  if (!isInt64(value)) return goFloat(value);
  return value === INT64_END ? LARGEST_INT64 : BigInt(value).toString();
}

/** A double as Go's `%v` prints it, also a whole one: `1e+06`. @see Go strconv FormatFloat, format 'g' */
export function goFloat(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < FIRST_LARGE_POWER) return String(value);
  const sign = power < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}
