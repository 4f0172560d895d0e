import { recordAt, recordsAt, textAt, textsAt, type JsonRecord } from '../../meta/json-value.ts';
import { endpointIp } from '../../server/registry/validation/addresses/address-checks.ts';
import {
  causesOf,
  type checkedBy,
  type Check,
  type Report,
} from '../../server/registry/validation/check.ts';
import { first, isEmpty, required } from '../../server/registry/validation/combine.ts';
import {
  dnsLabel,
  dnsSubdomain,
  portName,
  qualifiedName,
} from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import {
  legacyCidr,
  legacyIp,
  unlessStored,
} from '../../server/registry/validation/addresses/ip-formats.ts';
import { labelMap } from '../../server/registry/validation/label-selector-checks.ts';
import { format, oneOf, portNumber } from '../../server/registry/validation/values.ts';
import {
  checkAddressUpdate,
  checkServiceAddresses,
  CLUSTER_IPS,
  IP_FAMILIES,
  IP_FAMILY_POLICY,
  UNCHANGED,
} from './service-address-checks.ts';
import {
  clusterIpsOf,
  familiesOf,
  hasNodePorts,
  isBalanced,
  isExternallyAccessible,
  isExternalName,
  isHeadless,
  needsHealthCheck,
  specOf,
  typeOf,
} from './service-fields.ts';

const MOST_AFFINITY_SECONDS = 86_400;
const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'";

/** A rule of the whole spec. `old` is the stored one, empty at a creation. */
type SpecRule = (spec: JsonRecord, old: JsonRecord, report: Report) => void;

function annotationsOf(service: unknown): JsonRecord {
  return recordAt(service, 'metadata', 'annotations') ?? {};
}

const topology: SpecRule = (_spec, _old, report) => {
  const { [HINTS]: hints, [MODE]: mode } = annotationsOf(report.object);
  if (hints === undefined || mode === undefined || hints === mode) return;
  const detail = `must match annotations[${HINTS}] when both are specified`;
  report.invalid(`metadata.annotations[${MODE}]`, mode, detail);
};

const isName = format(dnsSubdomain);

const ofType: SpecRule = (spec, _old, report) => {
  const type = typeOf(spec);
  if (hasNodePorts(spec) && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${type} services`;
    report.invalid(`${CLUSTER_IPS}[0]`, 'None', detail);
  }
  if (!isExternalName(spec)) return;
  const detail = 'may not be set for ExternalName services';
  if (clusterIpsOf(spec).length > 0) report.forbidden(CLUSTER_IPS, detail);
  if (familiesOf(spec).length > 0) report.forbidden(IP_FAMILIES, detail);
  if (spec['ipFamilyPolicy'] !== undefined) report.forbidden(IP_FAMILY_POLICY, detail);
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  if (name === '') report.required('spec.externalName');
  else isName(name, 'spec.externalName', report);
};

const isLabel = format(dnsLabel);
const isPortName = format(portName);
const isQualified = format(qualifiedName);
const isProtocol = required(oneOf(['SCTP', 'TCP', 'UDP']));

const ports: SpecRule = (spec, _old, report) => {
  const found = recordsAt(spec, 'ports');
  const names = new Set<string>();
  for (const [index, port] of found.entries()) {
    const path = `spec.ports[${index}]`;
    const name = textAt(port, 'name');
    if (name !== '') {
      isLabel(name, `${path}.name`, report);
      if (names.has(name)) report.duplicate(`${path}.name`, name);
      names.add(name);
    } else if (found.length > 1) report.required(`${path}.name`);
    portNumber(port['port'] ?? 0, `${path}.port`, report);
    isProtocol(port['protocol'], `${path}.protocol`, report);
    const target = port['targetPort'] ?? 0;
    (typeof target === 'string' ? isPortName : portNumber)(target, `${path}.targetPort`, report);
    isQualified(port['appProtocol'], `${path}.appProtocol`, report);
  }
};

const isAffinity = required(oneOf(['ClientIP', 'None']));

const affinity: SpecRule = (spec, _old, report) => {
  const kind = spec['sessionAffinity'];
  isAffinity(kind, 'spec.sessionAffinity', report);
  const path = 'spec.sessionAffinityConfig';
  const config = recordAt(spec, 'sessionAffinityConfig');
  if (kind === 'None' && config !== undefined) {
    report.forbidden(path, 'must not be set when session affinity is None');
  }
  if (kind !== 'ClientIP') return;
  const seconds = recordAt(config, 'clientIP')?.['timeoutSeconds'];
  const detail = `must be greater than 0 and less than ${MOST_AFFINITY_SECONDS}`;
  if (typeof seconds === 'number' && (seconds <= 0 || seconds > MOST_AFFINITY_SECONDS)) {
    report.invalid(`${path}.clientIP.timeoutSeconds`, seconds, detail);
  }
};

const externalIps: SpecRule = (spec, old, report) => {
  const isAddress = format(unlessStored(legacyIp, textsAt(old, 'externalIPs')));
  const check = first(isAddress, endpointIp);
  for (const [index, text] of textsAt(spec, 'externalIPs').entries()) {
    check(text, `spec.externalIPs[${index}]`, report);
  }
};

const isType = required(oneOf(['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']));

/** Two ports have neither one node port nor one port of the same protocol. */
const portsOnce: SpecRule = (spec, _old, report) => {
  const found = recordsAt(spec, 'ports');
  const isPlain = typeOf(spec) === 'ClusterIP';
  const pathOf = (index: number): string => `spec.ports[${index}]`;
  if (isPlain) {
    for (const [index, { nodePort = 0 }] of found.entries()) {
      const detail = "may not be used when `type` is 'ClusterIP'";
      if (nodePort !== 0) report.forbidden(`${pathOf(index)}.nodePort`, detail);
    }
  }
  const nodePorts = new Set<string>();
  for (const [index, { nodePort = 0, protocol }] of found.entries()) {
    if (nodePort === 0) continue;
    const key = `${String(protocol)} ${String(nodePort)}`;
    if (nodePorts.has(key)) report.duplicate(`${pathOf(index)}.nodePort`, nodePort);
    nodePorts.add(key);
  }
  const numbers = new Set<string>();
  for (const [index, { port = 0, protocol }] of found.entries()) {
    const key = `${String(protocol)} ${String(port)}`;
    if (numbers.has(key)) {
      report.duplicate(pathOf(index), goForm('core.ServicePort', { port, protocol }));
    }
    numbers.add(key);
  }
};

const sourceRanges: SpecRule = (spec, old, report) => {
  const ranges = textsAt(spec, 'loadBalancerSourceRanges').map((one) => one.trim());
  const annotation = annotationsOf(report.object)[SOURCE_RANGES];
  const inSpec = ranges.length > 0;
  if (!inSpec && typeof annotation !== 'string') return;
  // The name of the field is written like this in kube-apiserver's messages.
  const path = inSpec ? 'spec.LoadBalancerSourceRanges' : `metadata.annotations[${SOURCE_RANGES}]`;
  if (!isBalanced(spec)) report.forbidden(path, ONLY_BALANCED);
  if (inSpec) {
    const before = textsAt(old, 'loadBalancerSourceRanges').map((one) => one.trim());
    const isRange = format(unlessStored(legacyCidr, before));
    for (const [index, text] of ranges.entries()) isRange(text, `${path}[${index}]`, report);
    return;
  }
  const text = String(annotation).trim();
  const isStored = annotationsOf(report.existing)[SOURCE_RANGES] === annotation;
  if (text === '' || (report.isUpdate && isStored)) return;
  for (const one of text.split(',')) format(legacyCidr)(one.trim(), path, report);
};

/** Called twice at an update, as in kube-apiserver, where a fault is named twice. */
const balancerClass: SpecRule = (spec, _old, report) => {
  const path = 'spec.loadBalancerClass';
  const name = spec['loadBalancerClass'];
  if (name === undefined) return;
  if (isBalanced(spec)) isQualified(name, path, report);
  else report.forbidden(path, ONLY_BALANCED);
};

const balancerNodePorts: SpecRule = (spec, _old, report) => {
  const path = 'spec.allocateLoadBalancerNodePorts';
  const isSet = spec['allocateLoadBalancerNodePorts'] !== undefined;
  if (isSet && !isBalanced(spec)) report.forbidden(path, ONLY_BALANCED);
};

const POLICIES = ['Cluster', 'Local'];
const isExternalPolicy = required(oneOf(POLICIES));
const isInternalPolicy = oneOf(POLICIES);

const externalTraffic: SpecRule = (spec, _old, report) => {
  const path = 'spec.externalTrafficPolicy';
  const policy = textAt(spec, 'externalTrafficPolicy');
  if (isExternallyAccessible(spec)) isExternalPolicy(policy, path, report);
  else if (policy !== '') {
    const detail = 'may only be set for externally-accessible services';
    report.invalid(path, policy, detail);
  }
  const port = spec['healthCheckNodePort'] ?? 0;
  const portPath = 'spec.healthCheckNodePort';
  if (needsHealthCheck(spec)) {
    if (port === 0) report.required(portPath);
    else portNumber(port, portPath, report);
  } else if (port !== 0) {
    const detail =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    report.invalid(portPath, port, detail);
  }
};

const internalTraffic: SpecRule = (spec, _old, report) => {
  const path = 'spec.internalTrafficPolicy';
  const policy = spec['internalTrafficPolicy'];
  const isNeeded = hasNodePorts(spec) || typeOf(spec) === 'ClusterIP';
  if (policy === undefined && isNeeded) report.required(path);
  isInternalPolicy(policy, path, report);
};

const isDistribution = oneOf(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

const RULES: readonly SpecRule[] = [
  topology,
  (spec, _old, report) => {
    const mayBeEmpty = isHeadless(spec) || isExternalName(spec);
    if (isEmpty(spec['ports']) && !mayBeEmpty) report.required('spec.ports');
  },
  ofType,
  ports,
  (spec, _old, report) => labelMap(spec['selector'], 'spec.selector', report),
  affinity,
  checkServiceAddresses,
  externalIps,
  (spec, _old, report) => isType(spec['type'], 'spec.type', report),
  portsOnce,
  sourceRanges,
  balancerNodePorts,
  balancerClass,
  externalTraffic,
  internalTraffic,
  (spec, _old, report) =>
    isDistribution(spec['trafficDistribution'], 'spec.trafficDistribution', report),
];

const NOTHING: JsonRecord = {};

const created: Check = (service, _path, report) => {
  const spec = specOf(service);
  for (const rule of RULES) rule(spec, NOTHING, report);
};

const updated: Check = (service, _path, report) => {
  const spec = specOf(service);
  const old = specOf(report.existing);
  checkAddressUpdate(spec, old, report);
  const { loadBalancerClass: name } = spec;
  if (isBalanced(spec) && isBalanced(old) && name !== old['loadBalancerClass']) {
    report.invalid('spec.loadBalancerClass', name ?? null, UNCHANGED);
  }
  balancerClass(spec, old, report);
  const isSamePort = spec['healthCheckNodePort'] === old['healthCheckNodePort'];
  if (needsHealthCheck(spec) && needsHealthCheck(old) && !isSamePort) {
    report.forbidden('spec.healthCheckNodePort', 'field is immutable');
  }
  for (const rule of RULES) rule(spec, old, report);
};

/** The validation of services. @see pkg/apis/core/validation/validation.go validateService @ v1.36.3 */
export const serviceChecks: ReturnType<typeof checkedBy> = {
  validate: (service, policy) => causesOf(created, service, undefined, policy),
  validateUpdate: (service, existing, policy) => causesOf(updated, service, existing, policy),
};
