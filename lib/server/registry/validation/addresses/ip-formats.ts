import { NO_PROBLEMS, type Format } from '../../rules/name-forms.ts';
import { ipText, networkText, parseCidr, parseIp } from './ip-address.ts';

const NO_IP = ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
const NO_CIDR = ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
const NO_INTERFACE = ['must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'];

function notCanonical(text: string, canonical: string): readonly string[] {
  return text === canonical ? NO_PROBLEMS : [`must be in canonical form ("${canonical}")`];
}

/**
 * An IP address in a field that is older than the rule of canonical texts: `IsValidIPForLegacyField`, strict.
 * @see apimachinery pkg/util/validation/ip.go @ v0.36.3
 */
export function legacyIp(text: string): readonly string[] {
  const ip = parseIp(text);
  if (ip === undefined) return NO_IP;
  const problems: string[] = [];
  if (ip.hasLeadingZeros) problems.push('must not have leading 0s');
  else if (ip.isMapped) problems.push('must not be an IPv4-mapped IPv6 address');
  return problems;
}

/** An IP address in its canonical text. */
export function ip(text: string): readonly string[] {
  const problems = legacyIp(text);
  const address = parseIp(text);
  return problems.length > 0 || address === undefined
    ? problems
    : notCanonical(text, ipText(address));
}

/** A network in a field that is older than the rule of canonical texts: `IsValidCIDRForLegacyField`, strict. */
export function legacyCidr(text: string): readonly string[] {
  const network = parseCidr(text);
  if (network === undefined) return NO_CIDR;
  const { address, start, hasLeadingZeros } = network;
  if (hasLeadingZeros) return ['must not have leading 0s in IP or prefix length'];
  if (address.isMapped) return ['must not have an IPv4-mapped IPv6 address'];
  return start === address.value
    ? NO_PROBLEMS
    : ['must not have bits set beyond the prefix length'];
}

/** A network in its canonical text. */
export function cidr(text: string): readonly string[] {
  const problems = legacyCidr(text);
  const network = parseCidr(text);
  return problems.length > 0 || network === undefined
    ? problems
    : notCanonical(text, networkText(network));
}

/** An address with the prefix length of its network, in its canonical text. */
export function interfaceAddress(text: string): readonly string[] {
  const network = parseCidr(text);
  if (network === undefined) return NO_INTERFACE;
  return notCanonical(text, `${ipText(network.address)}/${network.length}`);
}

/** A form at an update: a text that the stored object has is accepted. */
export function unlessStored(form: Format, stored: readonly unknown[]): Format {
  return (text) => (stored.includes(text) ? NO_PROBLEMS : form(text));
}

/** The warnings for an accepted address that is not canonical: `GetWarningsForIP`. */
export function ipWarnings(path: string, text: string): string[] {
  const ip = parseIp(text);
  if (ip === undefined) return [];
  const canonical = ipText(ip);
  if (ip.hasLeadingZeros || ip.isMapped) {
    return [`${path}: non-standard IP address "${text}" is invalid: use "${canonical}"`];
  }
  if (canonical === text) return [];
  return [
    `${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`,
  ];
}

/** The warnings for an accepted network that is not canonical: `GetWarningsForCIDR`. */
export function cidrWarnings(path: string, text: string): string[] {
  const network = parseCidr(text);
  if (network === undefined) return [];
  const { address, start, hasLeadingZeros } = network;
  const canonical = networkText(network);
  const warnings: string[] = [];
  if (start !== address.value) {
    const single = `${ipText(address)}/${address.family === 4 && !address.isMapped ? 32 : 128}`;
    warnings.push(
      `${path}: CIDR value "${text}" is ambiguous in this context (should be "${canonical}" or "${single}"?)`,
    );
  }
  if (hasLeadingZeros || address.isMapped) {
    warnings.push(`${path}: non-standard CIDR value "${text}" is invalid: use "${canonical}"`);
  } else if (warnings.length === 0 && canonical !== text) {
    warnings.push(
      `${path}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format ("${canonical}")`,
    );
  }
  return warnings;
}
