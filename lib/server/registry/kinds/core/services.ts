import type { FieldCause } from '../../../../meta/failures.ts';
import {
  fieldDuplicate,
  fieldImmutable,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../rules/field-causes.ts';
import {
  defaultTo,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../rules/json-value.ts';
import { serviceProxy } from '../../subresources/proxies.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';
import { dnsLabelProblem } from '../../rules/name-validation.ts';
import { ServiceAllocation } from './service-allocation.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const HIGHEST_PORT = 65_535;

function setDefaults(service: MutableObject): void {
  const spec = recordAt(service, 'spec');
  if (spec === undefined || spec['type'] === 'ExternalName') return;
  const isHeadless = spec['clusterIP'] === 'None';
  // What no selector names can have addresses of both families, also in a cluster of one.
  if (isHeadless && spec['selector'] === undefined && spec['ipFamilies'] === undefined) {
    defaultTo(spec, 'ipFamilyPolicy', 'RequireDualStack');
  }
  defaultTo(spec, 'ipFamilyPolicy', 'SingleStack');
  const isDual =
    isHeadless && spec['ipFamilyPolicy'] !== 'SingleStack' && spec['selector'] === undefined;
  defaultTo(spec, 'ipFamilies', isDual ? ['IPv4', 'IPv6'] : ['IPv4']);
  if (isHeadless) spec['clusterIPs'] = ['None'];
}

/** Whether clients outside of the cluster reach it. */
function isExternal(spec: JsonRecord): boolean {
  const type = textAt(spec, 'type');
  if (type === 'NodePort' || type === 'LoadBalancer') return true;
  return type === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0;
}

/** Fields that only make sense for the type that the service had are not kept. */
function dropDependentFields(spec: JsonRecord, before: JsonRecord): void {
  const field = 'externalTrafficPolicy';
  if (!isExternal(spec) && isExternal(before) && spec[field] === before[field]) delete spec[field];
  const port = 'healthCheckNodePort';
  if (spec['type'] === 'LoadBalancer' && spec[field] === 'Local' && before[port] !== undefined) {
    defaultTo(spec, port, before[port]);
  }
}

/** If an update sets no addresses and node ports, the present ones are kept. */
function keepAllocation(service: MutableObject, existing: MutableObject): void {
  const spec = recordAt(service, 'spec');
  const before = recordAt(existing, 'spec');
  if (spec === undefined || before === undefined) return;
  dropDependentFields(spec, before);
  if (spec['type'] !== 'ExternalName' && textAt(spec, 'clusterIP') === '') {
    const address = textAt(before, 'clusterIP');
    if (address !== '') {
      spec['clusterIP'] = address;
      spec['clusterIPs'] = [address];
    }
  }
  if (spec['type'] === 'ClusterIP' || spec['type'] === 'ExternalName') {
    for (const port of recordsAt(spec, 'ports')) delete port['nodePort'];
    return;
  }
  const known = new Map(
    recordsAt(before, 'ports').map((port) => [portKey(port), port['nodePort']]),
  );
  for (const port of recordsAt(spec, 'ports')) {
    const nodePort = known.get(portKey(port));
    if (nodePort !== undefined) defaultTo(port, 'nodePort', nodePort);
  }
}

function portKey(port: JsonRecord): string {
  return `${textAt(port, 'protocol')}/${String(port['port'])}`;
}

function validate(service: MutableObject): FieldCause[] {
  const spec = recordAt(service, 'spec');
  if (spec === undefined) return [fieldRequired('spec')];
  const causes: FieldCause[] = [];
  const type = textAt(spec, 'type');
  if (!TYPES.includes(type)) causes.push(fieldNotSupported('spec.type', spec['type'], TYPES));
  const ports = recordsAt(spec, 'ports');
  if (type === 'ExternalName') {
    if (textAt(spec, 'externalName') === '') causes.push(fieldRequired('spec.externalName'));
  } else if (ports.length === 0 && spec['clusterIP'] !== 'None') {
    causes.push(fieldRequired('spec.ports'));
  }
  const policy = spec['externalTrafficPolicy'];
  if (policy !== undefined && !isExternal(spec)) {
    const rule = 'may only be set for externally-accessible services';
    causes.push(fieldInvalid('spec.externalTrafficPolicy', policy, rule));
  }
  return [...causes, ...validatePorts(ports)];
}

function validatePorts(ports: readonly JsonRecord[]): FieldCause[] {
  const causes: FieldCause[] = [];
  const names = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    const name = textAt(port, 'name');
    const problem = name === '' ? undefined : dnsLabelProblem(name);
    if (name === '' && ports.length > 1) causes.push(fieldRequired(`${field}.name`));
    if (problem !== undefined) causes.push(fieldInvalid(`${field}.name`, name, problem));
    if (name !== '' && names.has(name)) causes.push(fieldDuplicate(`${field}.name`, name));
    names.add(name);
    const number = port['port'];
    if (!isPort(number)) {
      const rule = `must be between 1 and ${HIGHEST_PORT}, inclusive`;
      causes.push(fieldInvalid(`${field}.port`, number, rule));
    }
    if (!PROTOCOLS.includes(textAt(port, 'protocol'))) {
      causes.push(fieldNotSupported(`${field}.protocol`, port['protocol'], PROTOCOLS));
    }
    if (numbers.has(portKey(port))) causes.push(fieldDuplicate(field, portKey(port)));
    numbers.add(portKey(port));
  }
  return causes;
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= HIGHEST_PORT;
}

function validateUpdate(service: MutableObject, existing: MutableObject): FieldCause[] {
  const causes = validate(service);
  const before = textAt(existing, 'spec', 'clusterIP');
  const after = textAt(service, 'spec', 'clusterIP');
  if (valueAt(service, 'spec', 'type') !== 'ExternalName' && before !== '' && before !== after) {
    causes.push(fieldImmutable('spec.clusterIPs[0]', after));
  }
  return causes;
}

export const services: KindRules = {
  resource: 'services',
  strategy: {
    setDefaults,
    prepareForCreate(service) {
      service['status'] = { loadBalancer: {} };
    },
    prepareForUpdate: keepAllocation,
    validate,
    validateUpdate,
  },
  selectableFields: {
    'spec.clusterIP': (service) => textAt(service, 'spec', 'clusterIP'),
    'spec.type': (service) => textAt(service, 'spec', 'type'),
  },
  newSubresources: (parts) => ({ proxy: serviceProxy(parts) }),
  newHooks: (parts) => new ServiceAllocation(parts),
};
