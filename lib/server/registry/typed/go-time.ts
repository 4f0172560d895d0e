/** A part of the layout `2006-01-02T15:04:05Z07:00`: what is expected, and what matches it. */
interface LayoutPart {
  readonly name: string;
  readonly form: RegExp;
  /** Values outside are `out of range`. */
  readonly range?: readonly [least: number, most: number, name: string];
}

const TO_SECONDS: readonly LayoutPart[] = [
  { name: '2006', form: /\d{4}/y },
  { name: '-', form: /-/y },
  { name: '01', form: /\d\d/y, range: [1, 12, 'month'] },
  { name: '-', form: /-/y },
  { name: '02', form: /\d\d/y, range: [1, 31, 'day'] },
  { name: 'T', form: /T/y },
  { name: '15', form: /\d\d/y, range: [0, 23, 'hour'] },
  { name: ':', form: /:/y },
  { name: '04', form: /\d\d/y, range: [0, 59, 'minute'] },
  { name: ':', form: /:/y },
  { name: '05', form: /\d\d/y, range: [0, 59, 'second'] },
];
const ZONE: LayoutPart = { name: 'Z07:00', form: /Z|[+-]\d\d:\d\d/y };
const SECONDS_LAYOUT: readonly LayoutPart[] = [
  ...TO_SECONDS,
  // The layout does not name a fraction, and any is read.
  { name: '', form: /(?:[.,]\d+)?/y },
  ZONE,
];
const MICRO_LAYOUT: readonly LayoutPart[] = [
  ...TO_SECONDS,
  { name: '.000000', form: /[.,]\d{6}/y },
  ZONE,
];
const NAMES = { seconds: '2006-01-02T15:04:05Z07:00', micro: '2006-01-02T15:04:05.000000Z07:00' };

const UTC_SECONDS =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const ZERO = '0001-01-01T00:00:00Z';

/** The length of `2006-01-02T15:04:05`. */
const TO_SECOND = 19;
const MINUTE_MS = 60_000;

/**
 * A time as `metav1.Time` writes it, in UTC with whole seconds; undefined for the zero time.
 * @throws {SyntaxError} with the words of Go.
 */
export function canonicalTime(text: string): string | undefined {
  if (UTC_SECONDS.test(text)) return text === ZERO ? undefined : text;
  const utc = `${toUtc(text, SECONDS_LAYOUT, NAMES.seconds)}Z`;
  return utc === ZERO ? undefined : utc;
}

/** A time as `metav1.MicroTime` writes it, which reads no other precision. @throws {SyntaxError} with the words of Go. */
export function canonicalMicroTime(text: string): string | undefined {
  const utc = toUtc(text, MICRO_LAYOUT, NAMES.micro);
  const micros = text.slice(TO_SECOND + 1, TO_SECOND + 7);
  return `${utc}Z` === ZERO && micros === '000000' ? undefined : `${utc}.${micros}Z`;
}

/** The time to the second in UTC, without zone. */
function toUtc(text: string, layout: readonly LayoutPart[], name: string): string {
  const quoted = `parsing time ${JSON.stringify(text)}`;
  let at = 0;
  for (const { name: expected, form, range } of layout) {
    form.lastIndex = at;
    const found = form.exec(text)?.[0];
    if (found === undefined) {
      const rest = JSON.stringify(text.slice(at));
      throw new SyntaxError(`${quoted} as "${name}": cannot parse ${rest} as "${expected}"`);
    }
    if (range !== undefined && (Number(found) < range[0] || Number(found) > range[1])) {
      throw new SyntaxError(`${quoted}: ${range[2]} out of range`);
    }
    at += found.length;
  }
  if (at < text.length) {
    throw new SyntaxError(`${quoted}: extra text: ${JSON.stringify(text.slice(at))}`);
  }
  return shifted(text, quoted);
}

function shifted(text: string, quoted: string): string {
  const local = text.slice(0, TO_SECOND);
  const ms = Date.parse(`${local}Z`);
  const day = new Date(ms).getUTCDate();
  if (Number.isNaN(ms) || day !== Number(local.slice(8, 10))) {
    throw new SyntaxError(`${quoted}: day out of range`);
  }
  if (text.endsWith('Z')) return local;
  const [sign, hours, minutes] = [text.at(-6), Number(text.slice(-5, -3)), Number(text.slice(-2))];
  const offsetMs = (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, TO_SECOND);
}
