import {
  jsonEqual,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import {
  clusterIpsOf,
  hasNodePorts,
  isBalanced,
  isExternallyAccessible,
  isExternalName,
  needsHealthCheck,
  nodePortsOf,
  sameTexts,
  specOf,
} from './service-fields.ts';

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
export function dropTypeDependentFields(service: MutableObject, existing: MutableObject): void {
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
export function dropDefaultPolicy(spec: JsonRecord): void {
  const policy = spec['internalTrafficPolicy'];
  if (policy === 'Cluster' || policy === 'Local') delete spec['internalTrafficPolicy'];
}
