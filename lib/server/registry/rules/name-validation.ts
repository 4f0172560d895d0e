import type { ApiError } from '../../../meta/api-error.ts';
import { badRequest } from '../../../meta/failures.ts';
import { randomText } from '../../../kernel/random.ts';
import type { Runtime } from '../../../kernel/runtime.ts';

const LONGEST_LABEL = 63;
const LONGEST_SUBDOMAIN = 253;

const LABEL_FORM = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_FORM = `${LABEL_FORM}(\\.${LABEL_FORM})*`;
const DNS_1035_FORM = '[a-z]([-a-z0-9]*[a-z0-9])?';
const NAME_FORM = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL = new RegExp(`^${LABEL_FORM}$`);
const DNS_1035_LABEL = new RegExp(`^${DNS_1035_FORM}$`);
const QUALIFIED_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const OF_A_LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric " +
  `character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL_FORM}')`;
const OF_A_DNS_1035_LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
  `alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS_1035_FORM}')`;
const OF_A_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  `alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN_FORM}')`;
const OF_A_KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_FORM}')`;
const OF_A_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  `alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${NAME_FORM})?')`;

/** Returns the fault of a name; undefined when there is none. */
export type NameRule = (name: string) => string | undefined;

/** The failure of an update whose object has no name. @param name The name in the URL. */
export function nameMissing(name: string): ApiError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** A DNS-1123 label: namespaces, services, container names. */
export function dnsLabelProblem(name: string): string | undefined {
  if (name.length > LONGEST_LABEL) return `must be no more than ${LONGEST_LABEL} characters`;
  if (LABEL.test(name)) return undefined;
  return isSubdomain(name) ? 'must not contain dots' : OF_A_LABEL;
}

/** A DNS-1035 label, which starts with a letter: the kinds of custom resources in lower case. */
export function dns1035LabelProblem(name: string): string | undefined {
  if (name.length > LONGEST_LABEL) return `must be no more than ${LONGEST_LABEL} characters`;
  return DNS_1035_LABEL.test(name) ? undefined : OF_A_DNS_1035_LABEL;
}

/** A DNS-1123 subdomain: most object names. */
export function dnsSubdomainProblem(name: string): string | undefined {
  if (name.length > LONGEST_SUBDOMAIN) {
    return `must be no more than ${LONGEST_SUBDOMAIN} characters`;
  }
  return isSubdomain(name) ? undefined : OF_A_SUBDOMAIN;
}

/** Without one regular expression for all of it, whose time could grow with the square of the length. */
function isSubdomain(name: string): boolean {
  return name.split('.').every((part) => LABEL.test(part));
}

/** The minimum rule for all names: a name must be a valid path segment. */
export function pathSegmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  if (name.includes('/')) return "may not contain '/'";
  return name.includes('%') ? "may not contain '%'" : undefined;
}

/** A label or annotation key, or a finalizer: an optional DNS subdomain, a slash, and a name of at most 63 characters. */
export function qualifiedNameProblem(name: string): string | undefined {
  const parts = name.split('/');
  if (parts.length > 2) {
    return `a valid label key ${OF_A_KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
  }
  const [prefix, own] = parts.length === 2 ? parts : [undefined, parts[0]];
  if (prefix !== undefined) {
    if (prefix === '') return 'prefix part must be non-empty';
    const problem = dnsSubdomainProblem(prefix);
    if (problem !== undefined) return `prefix part ${problem}`;
  }
  if (own === undefined || own === '') return 'name part must be non-empty';
  if (own.length > LONGEST_LABEL) return `name part must be no more than ${LONGEST_LABEL} bytes`;
  return QUALIFIED_NAME.test(own) ? undefined : `name part ${OF_A_KEY}`;
}

export function labelValueProblem(value: string): string | undefined {
  if (value.length > LONGEST_LABEL) return `must be no more than ${LONGEST_LABEL} bytes`;
  return value === '' || QUALIFIED_NAME.test(value) ? undefined : OF_A_VALUE;
}

/** Without vowels and similar characters, so that no words result. See apimachinery util/rand/rand.go @ eed236c. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_GENERATED_NAME = 63;

/**
 * Maximum number of generated names that `create` tries when names are taken. See apiserver registry/generic/registry/store.go
 * @ 24a394e.
 */
export const NAME_GENERATION_ATTEMPTS = 8;

/** A name from `metadata.generateName`: its first 58 characters and 5 random ones. */
export function generateName(runtime: Pick<Runtime, 'random'>, base: string): string {
  const head = base.slice(0, LONGEST_GENERATED_NAME - SUFFIX_LENGTH);
  return head + randomText(runtime, SUFFIX_LENGTH, SUFFIX_ALPHABET);
}

/** An example of a name generated from `base`, for validation: a trailing dash is allowed in a base. */
export function maskTrailingDash(base: string): string {
  return base.endsWith('-') ? `${base.slice(0, -1)}a` : base;
}
