import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '../../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { Report } from '../../../server/registry/validation/check.ts';
import {
  dnsSubdomain,
  dnsSubdomainWithUnderscore,
} from '../../../server/registry/validation/formats.ts';
import { legacyIp } from '../../../server/registry/validation/addresses/ip-formats.ts';
import type { PodReport } from '../report/pod-report.ts';
import { text } from '../report/small-checks.ts';

const MOST_SERVERS = 3;
const MOST_SEARCHES = 32;
const LONGEST_SEARCHES = 2048;

const address = text(legacyIp);
const search = text(dnsSubdomainWithUnderscore);

/**
 * How a pod resolves names.
 * @see pkg/apis/core/validation/validation.go validatePodDNSConfig @ v1.36.3
 */
export function checkDns(spec: JsonRecord, path: string, report: Report): void {
  const { dnsConfig } = spec;
  const servers = textsAt(dnsConfig, 'nameservers');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    const when = 'when `dnsPolicy` is None';
    if (!isRecord(dnsConfig)) {
      report.add(fieldRequired(path, `must provide \`dnsConfig\` ${when}`));
      return;
    }
    if (servers.length === 0) {
      const rule = `must provide at least one DNS nameserver ${when}`;
      report.add(fieldRequired(`${path}.nameservers`, rule));
      return;
    }
  }
  if (!isRecord(dnsConfig)) return;
  if (servers.length > MOST_SERVERS) {
    const rule = `must not have more than ${MOST_SERVERS} nameservers`;
    report.add(fieldInvalid(`${path}.nameservers`, servers, rule));
  }
  for (const [index, one] of servers.entries())
    address(one, `${path}.nameservers[${index}]`, report);
  checkSearches(textsAt(dnsConfig, 'searches'), `${path}.searches`, report);
  for (const [index, one] of recordsAt(dnsConfig, 'options').entries()) {
    if (textAt(one, 'name') !== '') continue;
    report.add(fieldRequired(`${path}.options[${index}]`, 'must not be empty'));
  }
}

function checkSearches(searches: readonly string[], path: string, report: Report): void {
  if (searches.length > MOST_SEARCHES) {
    const rule = `must not have more than ${MOST_SEARCHES} search paths`;
    report.add(fieldInvalid(path, searches, rule));
  }
  if (searches.join(' ').length > LONGEST_SEARCHES) {
    const rule = `must not have more than ${LONGEST_SEARCHES} characters (including spaces) in the search list`;
    report.add(fieldInvalid(path, searches, rule));
  }
  for (const [index, one] of searches.entries()) {
    if (one !== '.')
      search(one.endsWith('.') ? one.slice(0, -1) : one, `${path}[${index}]`, report);
  }
}

const LONGEST_HOSTNAME = 64;
const hostname = text(dnsSubdomain);

/** A name of the host that replaces the other ones. */
export function checkHostname(pod: PodReport, path: string): void {
  const { hostnameOverride, setHostnameAsFQDN, hostNetwork } = pod.spec;
  if (typeof hostnameOverride !== 'string') return;
  const at = `${path}.hostnameOverride`;
  const rule = (what: string): string => `may not be specified when ${what} is true`;
  if (setHostnameAsFQDN === true) pod.add(fieldForbidden(at, rule('setHostnameAsFQDN')));
  if (hostNetwork === true) pod.add(fieldForbidden(at, rule('hostNetwork')));
  if (hostnameOverride.length > LONGEST_HOSTNAME) {
    pod.add(fieldTooLong(at, LONGEST_HOSTNAME, 'bytes'));
  }
  hostname(hostnameOverride, at, pod);
}
