import type { Check } from './check.ts';
import { dnsLabel, dnsSubdomain, mismatch } from './formats.ts';

const HTTP_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const IS_HTTP_PATH = new RegExp(`^${HTTP_PATH}$`);
const BAD_PATH = mismatch('Invalid path', HTTP_PATH);

/** A text that must not be empty, and the faults of one that is not. */
function textCheck(
  check: (text: string, add: (value: string, detail: string) => void) => void,
): Check {
  return (value, path, report) => {
    if (value === undefined || value === '') report.required(path);
    if (typeof value !== 'string' || value === '') return;
    check(value, (wrong, detail) => report.invalid(path, wrong, detail));
  };
}

/** A domain of at least three parts: `IsFullyQualifiedName`. @see apimachinery pkg/util/validation/validation.go @ v0.36.3 */
export const fullyQualifiedName: Check = textCheck((text, add) => {
  const problems = dnsSubdomain(text);
  if (problems.length > 0) add(text, problems.join(','));
  else if (text.split('.').length < 3) {
    add(text, 'should be a domain with at least three segments separated by dots');
  }
});

/** A domain of at least two parts, with or without a dot at the end: `IsFullyQualifiedDomainName`. */
export const fullyQualifiedDomainName: Check = textCheck((text, add) => {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  const problems = dnsSubdomain(name);
  const labels = name.split('.');
  if (problems.length > 0) return add(name, problems.join(','));
  if (labels.length < 2) {
    return add(name, 'should be a domain with at least two segments separated by dots');
  }
  const long = labels.find((label) => dnsLabel(label).length > 0);
  if (long !== undefined) add(long, dnsLabel(long).join(','));
});

/** `acme.io/foo`: a DNS subdomain and a path. */
export const domainPrefixedPath: Check = textCheck((text, add) => {
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1) {
    return add(text, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  const [host, path] = [text.slice(0, slash), text.slice(slash + 1)];
  for (const problem of dnsSubdomain(host)) add(host, problem);
  if (!IS_HTTP_PATH.test(path)) add(path, BAD_PATH);
});
