import { dnsSubdomain, mismatch } from '../../registry/rules/name-forms.ts';

const PATH_FORM = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH = new RegExp(`^${PATH_FORM}$`);

/**
 * Why the extra values of a user may not be taken over; undefined: there is no such reason.
 * @see apiserver pkg/endpoints/filters/impersonation/mode.go validateExtra @ v0.36.3
 */
export function extraProblem(
  extra: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return notAllowed('the empty string key');
    const fault = keyFault(key);
    if (fault !== undefined) return `${notAllowed('an invalid key')}: extra.key: ${fault}`;
    if (key !== key.toLowerCase()) {
      return `${notAllowed('a non-lowercase key')}: ${JSON.stringify(key)}`;
    }
    if (values.includes('')) return notAllowed('the empty string value');
  }
  return undefined;
}

function notAllowed(what: string): string {
  return `impersonating ${what} in extra is not allowed`;
}

function keyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  if (slash < 1 || slash === key.length - 1) {
    return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const host = key.slice(0, slash);
  const [problem] = dnsSubdomain(host);
  if (problem !== undefined) return invalid(host, problem);
  const path = key.slice(slash + 1);
  return PATH.test(path) ? undefined : invalid(path, mismatch('Invalid path', PATH_FORM));
}

function invalid(value: string, problem: string): string {
  return `Invalid value: ${JSON.stringify(value)}: ${problem}`;
}
