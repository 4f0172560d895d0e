import { parseCidr, parseIp } from '../../registry/validation/addresses/ip-address.ts';
import { GoPattern } from '../pattern/go-pattern.ts';
import { isRequestUri } from './uri-format.ts';

const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PARTS = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const PART = /(\d+)\s*([A-Za-zµ]+)/g;
const NANOS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const LONGEST_NANOS = 2 ** 63;

/** Units as Scala writes them; the last one of a unit may have an ending: `2 hours`. */
const UNITS: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** Whether a text is a duration of Go or of Scala: `1h30m`, `2 days`. */
function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) {
    let nanos = 0;
    for (const [, count = '', unit = ''] of text.matchAll(PARTS)) {
      nanos += Number(count) * (NANOS[unit] ?? 0);
    }
    if (nanos < LONGEST_NANOS) return true;
  }
  let found = false;
  for (const [, count = '', name = ''] of text.matchAll(PART)) {
    if (Number(count) >= LONGEST_NANOS) return false;
    const unit = name.toLowerCase();
    found ||= UNITS.some(
      (names) => names.includes(unit) || unit.startsWith(names.at(-1) as string),
    );
  }
  return found;
}

const ATOM = /^[^\s()<>[\]:;@\\,."\p{Cc}]+$/u;
const ADDRESS = /^(?:"((?:[^"\\\p{Cc}]|\\[\s\S])*)"|([^"@]*))@(.*)$/su;
const LITERAL = /^\[[^\s[\]\\]*\]$/;
const COMMENT = /\s*\((?:[^()\\]|\\.)*\)\s*$/;

/** Whether Go's mail package reads a text as one address: `a@example.com`, or `Ann <a@example.com>`. */
function isEmailAddress(text: string): boolean {
  const plain = text.replace(COMMENT, '').trim();
  if (!plain.endsWith('>')) return isAddress(plain);
  const open = plain.lastIndexOf('<');
  if (open < 0 || !isPhrase(plain.slice(0, open).trim())) return false;
  return isAddress(plain.slice(open + 1, -1).trim());
}

function isAddress(text: string): boolean {
  const [, quoted, local = '', domain = ''] = ADDRESS.exec(text) ?? [];
  if (quoted === undefined && !isDotted(local)) return false;
  return isDotted(domain) || LITERAL.test(domain);
}

function isDotted(text: string): boolean {
  return text.split('.').every((one) => ATOM.test(one));
}

/** A display name: words, or texts in quotes; it may be empty. */
function isPhrase(text: string): boolean {
  const words = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, 'x').split(/\s+/);
  return text === '' || words.every((word) => /^[^()<>[\]:;@\\,"]+$/.test(word));
}

/** Whether a text has a format. */
export type TextFormat = (text: string) => boolean;

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const RGB =
  /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/;
const BASE64 = /^[A-Za-z0-9+\\/]*={0,2}$/;
const BASE64_END = /(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$/;
const MAC = /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1)*[0-9a-f]{2}|[0-9a-f]{4}(?:\.[0-9a-f]{4})+)$/i;
const MAC_DIGITS = [12, 16, 40];
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LETTER = String.raw`a-zA-Z0-9\p{S}\p{L}`;
const HOSTNAME = `^([${LETTER}]((-?[${LETTER}]{0,62})?)|([${LETTER}](([-${LETTER}]{0,61}[${LETTER}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`;
const HOSTNAME_STEPS = 10_000_000;
let hostname: GoPattern | undefined;
const LONGEST_HOSTNAME = 255;
const LONGEST_LABEL = 63;
const LONGEST_NAME = 253;

/**
 * The formats of texts that API servers check, by their names without dashes.
 * @see kube-openapi pkg/validation/strfmt @ 43fb72c5454a; apiextensions-apiserver pkg/apiserver/validation/formats.go @ v0.36.3
 */
const FORMATS: ReadonlyMap<string, TextFormat> = new Map<string, TextFormat>([
  ['bsonobjectid', (text) => /^[0-9a-f]{24}$/i.test(text)],
  ['uri', isRequestUri],
  ['email', isEmailAddress],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseIp(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseIp(text)?.hasLeadingZeros === false],
  ['cidr', (text) => parseCidr(text) !== undefined],
  [
    'mac',
    (text) => MAC.test(text) && MAC_DIGITS.includes(text.replaceAll(/[^0-9a-f]/gi, '').length),
  ],
  ['uuid', (text) => UUID.test(text)],
  ['uuid3', (text) => UUID3.test(text)],
  ['uuid4', (text) => UUID4.test(text)],
  ['uuid5', (text) => UUID5.test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', (text) => RGB.test(text)],
  ['byte', (text) => text.length % 4 === 0 && BASE64.test(text) && BASE64_END.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= LONGEST_LABEL && SHORT_NAME.test(text)],
  ['k8slongname', isLongName],
]);

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** Whether values of these types are checked for the format; others are as if they had none. */
export function isSupportedFormat(format: string, types: readonly string[]): boolean {
  if (format === '') return false;
  const type = types.length === 1 ? (types[0] as string) : '';
  if (type === '' || type === 'string') return FORMATS.has(format.replaceAll('-', ''));
  return Object.hasOwn(NUMBER_FORMATS, type) && (NUMBER_FORMATS[type] ?? []).includes(format);
}

/** The check of a format; undefined for one of numbers. */
export function textFormat(format: string): TextFormat | undefined {
  return format === '' ? undefined : FORMATS.get(format.replaceAll('-', ''));
}

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > LONGEST_HOSTNAME) return false;
  if (text.split('.').some((label) => Buffer.byteLength(label) > LONGEST_LABEL)) return false;
  hostname ??= new GoPattern(HOSTNAME);
  return hostname.test(text, { steps: HOSTNAME_STEPS }) === true;
}

function isLongName(text: string): boolean {
  return text.length <= LONGEST_NAME && text.split('.').every((one) => SHORT_NAME.test(one));
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (month === undefined || day === undefined || month === '00' || month > '12') return false;
  const last = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= last;
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hours = '', minutes = '', seconds = ''] = TIME.exec(time) ?? [];
  return hours !== '' && hours <= '23' && minutes <= '59' && seconds <= '59';
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (all, digit, index) => all + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (all, digit, index) => all + (index % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const value = index % 2 === 0 ? Number(digit) : 2 * Number(digit);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
