import type { Check } from '../../../server/registry/validation/check.ts';
import { fields } from '../../../server/registry/validation/combine.ts';
import { dnsSubdomain, type Format } from '../../../server/registry/validation/formats.ts';
import { format } from '../../../server/registry/validation/values.ts';

const LARGEST_SPEC_KIB = 64;
const LONGEST_DOMAIN = 256;
const LONGEST_USER = 104;

const NET_BIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_PART = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const DNS = new RegExp(`^${DNS_PART}(?:\\.${DNS_PART})*$`);
// oxlint-disable-next-line no-control-regex -- the rule is about control characters
const CONTROL = /[\u0000-\u001f\u007f]/;
const DOTS_AND_SPACES = /^[. ]+$/;
const WRONG_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

const credentialSpec: Check = (value, path, report) => {
  if (typeof value !== 'string') return;
  if (value === '') {
    report.invalid(path, value, 'gmsaCredentialSpec cannot be an empty string');
  } else if (Buffer.byteLength(value) > LARGEST_SPEC_KIB * 1024) {
    const rule = `gmsaCredentialSpec size must be under ${LARGEST_SPEC_KIB} KiB`;
    report.invalid(path, value, rule);
  }
};

const NAME = 'runAsUserName';

const userName: Format = (name) => {
  if (name === '') return [`${NAME} cannot be an empty string`];
  if (CONTROL.test(name)) return [`${NAME} cannot contain control characters`];
  const parts = name.split('\\');
  if (parts.length > 2) return [`${NAME} cannot contain more than one backslash`];
  const user = parts.at(-1) as string;
  return [...domainProblems(parts.length > 1 ? parts[0] : undefined), ...userProblems(user)];
};

function domainProblems(domain: string | undefined): string[] {
  if (domain === undefined) return [];
  const problems: string[] = [];
  if (domain.length >= LONGEST_DOMAIN) {
    problems.push(`${NAME}'s Domain length must be under ${LONGEST_DOMAIN} characters`);
  }
  if (!NET_BIOS.test(domain) && !DNS.test(domain)) {
    problems.push(`${NAME}'s Domain doesn't match the NetBios nor the DNS format`);
  }
  return problems;
}

function userProblems(user: string): string[] {
  const problems: string[] = [];
  if (user === '') problems.push(`${NAME}'s User cannot be empty`);
  else if (user.length > LONGEST_USER) {
    problems.push(`${NAME}'s User length must not be longer than ${LONGEST_USER} characters`);
  }
  if (DOTS_AND_SPACES.test(user)) {
    problems.push(`${NAME}'s User cannot contain only periods or spaces`);
  }
  if (WRONG_IN_USER.test(user)) {
    problems.push(`${NAME}'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

/** @see pkg/apis/core/validation/validation.go validateWindowsSecurityContextOptions @ v1.36.3 */
export const windowsOptions: Check = fields({
  gmsaCredentialSpecName: format(dnsSubdomain),
  gmsaCredentialSpec: credentialSpec,
  runAsUserName: format(userName),
});
