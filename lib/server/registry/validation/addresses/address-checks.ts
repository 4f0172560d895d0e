import { isRecord } from '../../../../meta/json-value.ts';
import type { Check } from '../check.ts';
import { dnsSubdomain, type Format } from '../formats.ts';
import { parseIp, type IpAddress } from './ip-address.ts';
import { ipWarnings, legacyIp, unlessStored } from './ip-formats.ts';
import { format } from '../values.ts';

/** Kinds of addresses at which nothing outside of a node can be reached. */
const UNREACHABLE: readonly [(ip: IpAddress) => boolean, (text: string) => string][] = [
  [({ value }) => value === 0n, (text) => `may not be unspecified (${text})`],
  [
    ({ family, value }) => (family === 4 ? value >> 24n === 127n : value === 1n),
    () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    ({ family, value }) =>
      value >> (family === 4 ? 16n : 118n) === (family === 4 ? 0xa9fen : 0x3fan),
    () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    ({ family, value }) =>
      family === 4 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n,
    () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
];

/** An address of an endpoint, or an external address of a Service. @see pkg/apis/core/validation ValidateEndpointIP @ v1.36.3 */
export const endpointIp: Check = format((text) => {
  const ip = parseIp(text);
  if (ip === undefined) return ['must be a valid IP address'];
  return UNREACHABLE.filter(([isOne]) => isOne(ip)).map(([, problem]) => problem(text));
});

/** Whether a text is an IP address, of old forms too. */
export function isIp(text: unknown): boolean {
  return typeof text === 'string' && parseIp(text) !== undefined;
}

/** A name for DNS, and no address. */
export const dnsName: Format = (text) => {
  const problems = dnsSubdomain(text);
  return isIp(text) ? [...problems, 'must be a DNS name, not an IP address'] : problems;
};

/** A text that may be empty, which means that it is not set. */
export function unlessEmpty(check: Check): Check {
  return (value, path, report, old) => {
    if (value !== '') check(value, path, report, old);
  };
}

/** The members of `status.loadBalancer.ingress` by a name, as warnings and checks need them. */
function membersOf(ingress: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(ingress)) return [];
  return ingress.map((one) => (isRecord(one) && Object.hasOwn(one, name) ? one[name] : undefined));
}

/** The addresses of the ingress points of a balancer; those that are stored are accepted. `check` checks one point besides. */
export function balancerPoints(check: Check): Check {
  return (ingress, path, report, old) => {
    if (!Array.isArray(ingress)) return;
    const address = unlessEmpty(format(unlessStored(legacyIp, membersOf(old, 'ip'))));
    const name = unlessEmpty(format(dnsName));
    for (const [index, point] of (ingress as readonly unknown[]).entries()) {
      if (!isRecord(point)) continue;
      const place = `${path}[${index}]`;
      address(point['ip'], `${place}.ip`, report);
      check(point, place, report);
      name(point['hostname'], `${place}.hostname`, report);
    }
  };
}

/** The warnings for the addresses of `status.loadBalancer.ingress`. */
export function balancerWarnings(ingress: unknown): string[] {
  return membersOf(ingress, 'ip').flatMap((ip, index) =>
    typeof ip === 'string' ? ipWarnings(`status.loadBalancer.ingress[${index}]`, ip) : [],
  );
}
