import { recordAt, textAt, textsAt } from '../../meta/json-value.ts';
import { cidrWarnings, ipWarnings } from '../../server/registry/validation/addresses/ip-formats.ts';
import { clusterIpsOf, isExternalName, specOf, typeOf } from './service-fields.ts';

const HINTS = 'service.kubernetes.io/topology-aware-hints';

/** The texts of `Warning` headers. @see pkg/api/service/warnings.go @ v1.36.3 */
export function serviceWarnings(service: unknown): string[] {
  const spec = specOf(service);
  const externalIps = textsAt(spec, 'externalIPs');
  const balancerIp = textAt(spec, 'loadBalancerIP');
  const clusterIp = textAt(spec, 'clusterIP');
  const isExternal = isExternalName(spec);
  const isHeadless = typeOf(spec) === 'ClusterIP' && clusterIp === 'None';
  const found: string[] = [];
  const warn = (isTrue: boolean, text: string): void => {
    if (isTrue) found.push(text);
  };
  warn(
    recordAt(service, 'metadata', 'annotations')?.[HINTS] !== undefined,
    `annotation ${HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`,
  );
  if (clusterIp !== 'None') {
    for (const [index, text] of clusterIpsOf(spec).entries()) {
      found.push(...ipWarnings(`spec.clusterIPs[${index}]`, text));
    }
  }
  const ignored = 'is ignored for headless services';
  warn(isHeadless && balancerIp !== '', `spec.loadBalancerIP ${ignored}`);
  warn(isHeadless && externalIps.length > 0, `spec.externalIPs ${ignored}`);
  warn(isHeadless && spec['sessionAffinity'] !== 'None', `spec.SessionAffinity ${ignored}`);
  for (const [index, text] of externalIps.entries()) {
    found.push(...ipWarnings(`spec.externalIPs[${index}]`, text));
  }
  warn(
    externalIps.length > 0 && !isHeadless && !isExternal,
    'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
  );
  found.push(...ipWarnings('spec.loadBalancerIP', balancerIp));
  for (const [index, text] of textsAt(spec, 'loadBalancerSourceRanges').entries()) {
    found.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${index}]`, text));
  }
  warn(
    isExternal && externalIps.length > 0,
    'spec.externalIPs is ignored when spec.type is "ExternalName"',
  );
  warn(
    !isExternal && textAt(spec, 'externalName') !== '',
    'spec.externalName is ignored when spec.type is not "ExternalName"',
  );
  warn(
    spec['trafficDistribution'] === 'PreferClose',
    'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
  );
  return found;
}
