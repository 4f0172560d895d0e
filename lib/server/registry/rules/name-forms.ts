/**
 * A form of texts: it returns the faults of a text in the words of an API server, none when there is no fault.
 * @see apimachinery pkg/util/validation/validation.go, pkg/api/validate/content @ v0.36.3
 */
export type Format = (text: string) => readonly string[];

/** The answer of each form for a text without a fault, so that nothing is allocated. */
export const NO_PROBLEMS: readonly string[] = [];

export const LONGEST_LABEL = 63;
export const LONGEST_SUBDOMAIN = 253;

/** The name rules say characters and count bytes; the rules of label keys and values, and generated rules, say bytes. */
export type LengthUnit = 'characters' | 'bytes';

export function tooLong(limit: number, unit: LengthUnit = 'characters'): string {
  return `must be no more than ${limit} ${unit}`;
}

/** Whether the text has more bytes, as Go's `len` counts them. */
export function isLonger(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  // A UTF-16 unit is at most three bytes.
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

/** The message of a text that does not match a regular expression. */
export function mismatch(message: string, pattern: string, ...examples: readonly string[]): string {
  const ending = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${message} (${ending}`;
  return `${message} (e.g. ${examples.map((one) => `'${one}', `).join(' or ')}${ending}`;
}

/** A form that is one regular expression. */
export function pattern(text: string, message: string, ...examples: readonly string[]): Format {
  const expression = new RegExp(`^${text}$`);
  const problem = [mismatch(message, text, ...examples)];
  return (value) => (expression.test(value) ? NO_PROBLEMS : problem);
}

/** A form with a limit of bytes before it. */
export function atMost(limit: number, form: Format, unit?: LengthUnit): Format {
  const problem = tooLong(limit, unit);
  return (text) => (isLonger(text, limit) ? [problem, ...form(text)] : form(text));
}

export const ENDS = 'must start and end with an alphanumeric character';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const IS_LABEL = new RegExp(`^${LABEL}$`);
const IS_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const BAD_LABEL = mismatch(
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${ENDS}`,
  LABEL,
  'my-name',
  '123-abc',
);
const BAD_SUBDOMAIN = [
  mismatch(
    `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${ENDS}`,
    SUBDOMAIN,
    'example.com',
  ),
];
const BAD_KEY = mismatch(
  `must consist of alphanumeric characters, '-', '_' or '.', and ${ENDS}`,
  NAME,
  'MyName',
  'my.name',
  '123-abc',
);
const TWO_SLASHES = [
  `a valid label key ${BAD_KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
];

/** The pattern of a DNS subdomain, as messages show it. */
export const SUBDOMAIN_PATTERN: string = SUBDOMAIN;

/** Whether the parts between dots all have the form. One regular expression for all of it could take time by the square. */
export function eachPart(text: string, form: RegExp): boolean {
  if (!text.includes('.')) return form.test(text);
  return text.split('.').every((part) => form.test(part));
}

function labelForm(text: string): readonly string[] {
  if (IS_LABEL.test(text)) return NO_PROBLEMS;
  return [eachPart(text, IS_LABEL) ? 'must not contain dots' : BAD_LABEL];
}

function subdomainForm(text: string): readonly string[] {
  return eachPart(text, IS_LABEL) ? NO_PROBLEMS : BAD_SUBDOMAIN;
}

/** A DNS-1123 label: namespaces, container names. */
export const dnsLabel: Format = atMost(LONGEST_LABEL, labelForm);

/** A DNS-1123 subdomain: most object names. */
export const dnsSubdomain: Format = atMost(LONGEST_SUBDOMAIN, subdomainForm);

/** A DNS-1035 label, which starts with a letter: the kinds of custom resources in lower case. */
export const dns1035Label: Format = atMost(
  LONGEST_LABEL,
  pattern(
    '[a-z]([-a-z0-9]*[a-z0-9])?',
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    'my-name',
    'abc-123',
  ),
);

/** A subdomain as generated validation (`+k8s:format`) checks it: the message counts bytes. */
export const longName: Format = atMost(LONGEST_SUBDOMAIN, subdomainForm, 'bytes');

/** A key of labels, and most other names with a prefix: an optional DNS subdomain, a slash, and at most 63 characters. */
export function qualifiedName(text: string): readonly string[] {
  const slash = text.indexOf('/');
  if (slash < 0 && text.length <= LONGEST_LABEL && IS_NAME.test(text)) return NO_PROBLEMS;
  if (slash >= 0 && text.includes('/', slash + 1)) return TWO_SLASHES;
  const problems: string[] = [];
  if (slash === 0) problems.push('prefix part must be non-empty');
  else if (slash > 0) {
    for (const one of longName(text.slice(0, slash))) problems.push(`prefix part ${one}`);
  }
  const name = text.slice(slash + 1);
  if (name === '') problems.push('name part must be non-empty');
  else if (isLonger(name, LONGEST_LABEL))
    problems.push(`name part ${tooLong(LONGEST_LABEL, 'bytes')}`);
  if (!IS_NAME.test(name)) problems.push(`name part ${BAD_KEY}`);
  return problems;
}

/** The value of a label, which may be empty. */
export const labelValue: Format = atMost(
  LONGEST_LABEL,
  pattern(
    `(${NAME})?`,
    `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${ENDS}`,
    'MyValue',
    'my_value',
    '12345',
  ),
  'bytes',
);

/** The minimum rule for all names: a name must be a valid segment of a path. */
export function pathSegment(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return pathSegmentPrefix(text);
}

/** The same for the start of a name. */
export function pathSegmentPrefix(text: string): readonly string[] {
  if (!text.includes('/') && !text.includes('%')) return NO_PROBLEMS;
  return ['/', '%'].filter((one) => text.includes(one)).map((one) => `may not contain '${one}'`);
}
