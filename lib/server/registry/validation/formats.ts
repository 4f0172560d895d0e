/**
 * Forms of texts. Each function returns the faults of a text in the words of an API server, none when there is no fault.
 * @see apimachinery pkg/util/validation/validation.go @ v0.36.3
 */
export type Format = (text: string) => readonly string[];

/** Maximum length of a DNS subdomain. */
const LONGEST_SUBDOMAIN = 253;

export function tooLong(limit: number): string {
  return `must be no more than ${limit} characters`;
}

/** The message of a text that does not match a regular expression. */
export function mismatch(message: string, pattern: string, ...examples: readonly string[]): string {
  const ending = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${message} (${ending}`;
  return `${message} (e.g. ${examples.map((one) => `'${one}', `).join(' or ')}${ending}`;
}

const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const IS_CONFIG_KEY = new RegExp(`^${CONFIG_KEY}$`);

/** A key of a ConfigMap or a Secret. */
export function configMapKey(text: string): readonly string[] {
  const problems: string[] = [];
  if (text.length > LONGEST_SUBDOMAIN) problems.push(tooLong(LONGEST_SUBDOMAIN));
  if (!IS_CONFIG_KEY.test(text)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(mismatch(rule, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  }
  if (text === '.') problems.push("must not be '.'");
  else if (text === '..') problems.push("must not be '..'");
  else if (text.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}
