import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import {
  textAt,
  valueAt,
  recordAt,
  textsAt,
  jsonEqual,
  recordsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { serviceProxy } from '../subresources/proxies.ts';
import {
  balancerPoints,
  balancerWarnings,
} from '../../server/registry/validation/addresses/address-checks.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { ServiceAllocation } from './service-allocation.ts';
import { serviceChecks } from './service-checks.ts';
import {
  isBalanced,
  isExternalName,
  specOf,
  clusterIpsOf,
  typeOf,
  hasNodePorts,
  isExternallyAccessible,
  needsHealthCheck,
  nodePortsOf,
  sameTexts,
} from './service-fields.ts';
import { cidrWarnings, ipWarnings } from '../../server/registry/validation/addresses/ip-formats.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';

/** Whether an update removed what the first condition says, and left the field as it was. */
function isLeft(
  field: string,
  applies: (spec: JsonRecord) => boolean,
  spec: JsonRecord,
  old: JsonRecord,
): boolean {
  return applies(old) && !applies(spec) && jsonEqual(spec[field], old[field]);
}

const hasAddress = (spec: JsonRecord): boolean => !isExternalName(spec);

/**
 * Removes fields that make no sense for the new type of a Service, if the update did not change them. The spec must be private.
 * @see pkg/registry/core/service/strategy.go dropTypeDependentFields @ v1.36.3
 */
function dropTypeDependentFields(service: MutableObject, existing: MutableObject): void {
  const spec = specOf(service);
  const old = specOf(existing);
  if (hasAddress(old) && !hasAddress(spec)) {
    const isSameIp = textAt(spec, 'clusterIP') === textAt(old, 'clusterIP');
    if (isSameIp && sameTexts(clusterIpsOf(spec), clusterIpsOf(old))) {
      delete spec['clusterIP'];
      delete spec['clusterIPs'];
    }
  }
  for (const [field, applies] of DEPENDENT) {
    if (isLeft(field, applies, spec, old)) delete spec[field];
  }
  const known = nodePortsOf(old);
  const isLess = nodePortsOf(spec).every((one) => known.includes(one));
  if (hasNodePorts(old) && !hasNodePorts(spec) && isLess) {
    for (const port of recordsAt(spec, 'ports')) delete port['nodePort'];
  }
  if (!isBalanced(spec)) {
    const { status } = service;
    if (textAt(old, 'type') === 'LoadBalancer') {
      service['status'] = { ...(status as JsonRecord | undefined), loadBalancer: {} };
    }
  }
  // Set by defaults, and not shown for this type.
  if (isExternalName(spec)) dropDefaultPolicy(spec);
}

const DEPENDENT: readonly (readonly [string, (spec: JsonRecord) => boolean])[] = [
  ['ipFamilies', hasAddress],
  ['ipFamilyPolicy', hasAddress],
  ['healthCheckNodePort', needsHealthCheck],
  ['allocateLoadBalancerNodePorts', isBalanced],
  ['loadBalancerClass', isBalanced],
  ['externalTrafficPolicy', isExternallyAccessible],
];

/** kube-apiserver stores the policy and does not show it. A wrong one is left for the validation. */
function dropDefaultPolicy(spec: JsonRecord): void {
  const policy = spec['internalTrafficPolicy'];
  if (policy === 'Cluster' || policy === 'Local') delete spec['internalTrafficPolicy'];
}

const HINTS = 'service.kubernetes.io/topology-aware-hints';

/** The texts of `Warning` headers. @see pkg/api/service/warnings.go @ v1.36.3 */
function serviceWarnings(service: unknown): string[] {
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

const INGRESS = 'status.loadBalancer.ingress';
const MODES: readonly unknown[] = ['Proxy', 'VIP'];

const ipMode: Check = (point, path, report) => {
  const place = `${path}.ipMode`;
  const mode = valueAt(point, 'ipMode');
  const hasIp = textAt(point, 'ip') !== '';
  if (mode === undefined) {
    if (hasIp) report.required(place, 'must be specified when `ip` is set');
  } else if (!hasIp) {
    report.forbidden(place, 'may not be specified when `ip` is not set');
  } else if (!MODES.includes(mode)) report.notSupported(place, mode, MODES);
};

const points = balancerPoints(ipMode);

const ingressOf = (service: unknown): unknown =>
  valueAt(service, 'status', 'loadBalancer', 'ingress');

const statusChecks: Check = (service, _path, report) => {
  const ingress = ingressOf(service);
  if (isBalanced(specOf(service))) points(ingress, INGRESS, report, ingressOf(report.existing));
  else if (Array.isArray(ingress) && ingress.length > 0) {
    const rule = "may only be used when `spec.type` is 'LoadBalancer'";
    report.forbidden(INGRESS, rule);
  }
};

/** @see pkg/registry/core/service/strategy.go @ v1.36.3 */
export const services: KindRules = {
  resource: 'services',
  strategy: {
    ...serviceChecks,
    warnings: serviceWarnings,
    prepareForCreate(service) {
      service['status'] = { loadBalancer: {} };
      if (isExternalName(specOf(service))) dropDefaultPolicy(specOf(service));
    },
    prepareForUpdate: dropTypeDependentFields,
  },
  statusStrategy: {
    ...newStatusStrategy({
      validateUpdate: (service, existing, policy) =>
        causesOf(statusChecks, service, existing, policy),
    }),
    allowCreateOnUpdate: true,
    warnings: (service) => balancerWarnings(ingressOf(service)),
  },
  selectableFields: {
    'spec.clusterIP': (service) => textAt(service, 'spec', 'clusterIP'),
    'spec.type': (service) => textAt(service, 'spec', 'type'),
  },
  newSubresources: (parts) => ({ proxy: serviceProxy(parts) }),
  newHooks: (parts) => new ServiceAllocation(parts),
};
