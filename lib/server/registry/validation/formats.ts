import {
  atMost,
  eachPart,
  ENDS,
  LONGEST_SUBDOMAIN,
  mismatch,
  NO_PROBLEMS,
  pattern,
  SUBDOMAIN_PATTERN,
  type Format,
} from '../rules/name-forms.ts';

// The forms of names are with the rules of metadata, which come before this folder.
export {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  isLonger,
  labelValue,
  mismatch,
  pathSegment,
  qualifiedName,
  type Format,
} from '../rules/name-forms.ts';

/** Several forms, whose faults are all named. */
export function bothOf(one: Format, other: Format): Format {
  return (text) => [...one(text), ...other(text)];
}

/** A form of a part of a text, whose faults start with words. */
export function prefixed(words: string, form: Format): Format {
  return (text) => form(text).map((problem) => words + problem);
}

const PART_WITH_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const IS_PART_WITH_UNDERSCORE = new RegExp(`^${PART_WITH_UNDERSCORE}$`);
const BAD_WITH_UNDERSCORE = [
  mismatch(
    `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and ${ENDS}`,
    `${PART_WITH_UNDERSCORE}(\\.${PART_WITH_UNDERSCORE})*`,
    'example.com',
  ),
];

/** A DNS-1123 subdomain where parts may start with, and contain, an underscore. */
export const dnsSubdomainWithUnderscore: Format = atMost(LONGEST_SUBDOMAIN, (text) =>
  eachPart(text, IS_PART_WITH_UNDERSCORE) ? NO_PROBLEMS : BAD_WITH_UNDERSCORE,
);

const IS_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const BAD_WILDCARD = [
  mismatch(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    `\\*\\.${SUBDOMAIN_PATTERN}`,
    '*.example.com',
  ),
];

/** `*.` and a DNS-1123 subdomain. */
export const wildcardSubdomain: Format = atMost(LONGEST_SUBDOMAIN, (text) =>
  text.startsWith('*.') && eachPart(text.slice(2), IS_LABEL) ? NO_PROBLEMS : BAD_WILDCARD,
);

export const cIdentifier: Format = pattern(
  '[A-Za-z_][A-Za-z0-9_]*',
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  'my_name',
  'MY_NAME',
  'MyName',
);

/** `50%`. */
export const percent: Format = pattern(
  '[0-9]+%',
  "a valid percent string must be a numeric string followed by an ending '%'",
  '1%',
  '93%',
);

export const httpHeaderName: Format = pattern(
  '[-A-Za-z0-9]+',
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  'X-Header-Name',
);

/** The reason of a condition, without its limit of length. */
export const conditionReason: Format = pattern(
  '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

/** The name of a port in a pod or a Service (`IANA_SVC_NAME`). */
export function portName(text: string): readonly string[] {
  const problems: string[] = [];
  if (text.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(text)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(text)) problems.push('must contain at least one letter (a-z)');
  if (text.includes('--')) problems.push('must not contain consecutive hyphens');
  if (text.startsWith('-') || text.endsWith('-')) {
    problems.push('must not begin or end with a hyphen');
  }
  return problems;
}

function noParentDirectory(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`must not be '${text}'`];
  return text.startsWith('..') ? ["must not start with '..'"] : NO_PROBLEMS;
}

/** A key of a ConfigMap or a Secret. */
export const configMapKey: Format = atMost(
  LONGEST_SUBDOMAIN,
  bothOf(
    pattern(
      '[-._a-zA-Z0-9]+',
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      'key.name',
      'KEY_NAME',
      'key-name',
    ),
    noParentDirectory,
  ),
);

const BAD_VARIABLE = [
  "a valid environment variable name must consist only of printable ASCII characters other than '='",
];

/** The name of an environment variable. */
export function envVarName(text: string): readonly string[] {
  if (text === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]*$/.test(text) ? NO_PROBLEMS : BAD_VARIABLE;
}

const BAD_INTEGER = ['must be a valid decimal integer in canonical form'];

/** An integer as one writes it: no leading zeros, no plus sign. */
export function decimalInteger(text: string): readonly string[] {
  if (text === '') return ['must be non-empty'];
  return /^(?:0|-?[1-9]\d*)$/.test(text) ? NO_PROBLEMS : BAD_INTEGER;
}
