import {
  defaultTo,
  isRecord,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { SetDefaults } from '../../server/registry/typed/type-reader.ts';
import { defaultUnset } from './pod-spec-defaults.ts';

/** Seconds. */
const AFFINITY_SECONDS = 10_800;

const TYPES_WITH_ADDRESS = ['ClusterIP', 'NodePort', 'LoadBalancer'];

function setServiceDefaults(spec: JsonRecord): void {
  const affinity = defaultTo(spec, 'sessionAffinity', 'None');
  if (affinity === 'None') delete spec['sessionAffinityConfig'];
  if (affinity === 'ClientIP') {
    const given = recordAt(spec, 'sessionAffinityConfig', 'clientIP');
    if ((given?.['timeoutSeconds'] ?? undefined) === undefined) {
      spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
    }
  }
  const type = defaultTo(spec, 'type', 'ClusterIP');
  const isExternal = type === 'NodePort' || type === 'LoadBalancer';
  if (isExternal || (type === 'ClusterIP' && textsAt(spec, 'externalIPs').length > 0)) {
    defaultTo(spec, 'externalTrafficPolicy', 'Cluster');
  }
  if (TYPES_WITH_ADDRESS.includes(type as string)) {
    defaultUnset(spec, 'internalTrafficPolicy', 'Cluster');
  }
  if (type === 'LoadBalancer') defaultUnset(spec, 'allocateLoadBalancerNodePorts', true);
}

function setServicePortDefaults(port: JsonRecord): void {
  defaultTo(port, 'protocol', 'TCP');
  // Typed clients send 0 for an unset target port.
  if (defaultTo(port, 'targetPort', port['port']) === 0) port['targetPort'] = port['port'];
}

/** The addresses of load balancers are reached in one way unless the balancer says otherwise. */
function setBalancerDefaults(service: JsonRecord): void {
  if (textAt(service, 'spec', 'type') !== 'LoadBalancer') return;
  const balancer = recordAt(service, 'status', 'loadBalancer');
  const ingress = recordsAt(balancer, 'ingress');
  if (ingress.length === 0) return;
  const withMode = ingress.map((one) =>
    textAt(one, 'ip') === '' ? one : { ...one, ipMode: one['ipMode'] ?? 'VIP' },
  );
  const status = recordAt(service, 'status');
  service['status'] = { ...status, loadBalancer: { ...balancer, ingress: withMode } };
}

/** The selector and the labels are those of the template if there are none. */
function setReplicationControllerDefaults(controller: JsonRecord): void {
  const labels = recordAt(controller, 'spec', 'template', 'metadata', 'labels');
  if (labels === undefined) return;
  const spec = recordAt(controller, 'spec');
  if (Object.keys(recordAt(spec, 'selector') ?? {}).length === 0) {
    controller['spec'] = { ...spec, selector: labels };
  }
  adoptLabels(controller, labels);
}

/** Gives an object without labels the labels of its template. */
export function adoptLabels(object: JsonRecord, labels: JsonRecord): void {
  const metadata = recordAt(object, 'metadata');
  if (Object.keys(recordAt(metadata, 'labels') ?? {}).length > 0) return;
  object['metadata'] = { ...metadata, labels: { ...labels } };
}

/** Values in the second map for the keys that it lacks. */
function fillFrom(target: JsonRecord, source: JsonRecord | undefined): void {
  for (const [name, value] of Object.entries(source ?? {})) {
    if (!Object.hasOwn(target, name)) setOwn(target, name, value);
  }
}

function setLimitDefaults(item: JsonRecord): void {
  if (item['type'] !== 'Container') return;
  const limits = { ...recordAt(item, 'default') };
  const requests = { ...recordAt(item, 'defaultRequest') };
  fillFrom(limits, recordAt(item, 'max'));
  fillFrom(requests, limits);
  fillFrom(requests, recordAt(item, 'min'));
  item['default'] = limits;
  item['defaultRequest'] = requests;
}

/** `stringData` is another form of `data`, without base64; it is never stored. */
function setSecretDefaults(secret: JsonRecord): void {
  defaultTo(secret, 'type', 'Opaque');
  const { stringData, data } = secret;
  if (!isRecord(stringData) || (data !== undefined && !isRecord(data))) return;
  if (!Object.values(stringData).every((one) => one === null || typeof one === 'string')) return;
  delete secret['stringData'];
  const merged = { ...data };
  for (const [key, value] of Object.entries(stringData)) {
    setOwn(merged, key, Buffer.from((value ?? '') as string).toString('base64'));
  }
  secret['data'] = merged;
}

/** The newer list of address ranges and the older single one say the same. */
function setNodeDefaults(spec: JsonRecord): void {
  const single = textAt(spec, 'podCIDR');
  const [first] = textsAt(spec, 'podCIDRs');
  if (first !== undefined) spec['podCIDR'] = first;
  else if (single !== '') spec['podCIDRs'] = [single];
}

function setNamespaceDefaults(namespace: JsonRecord): void {
  const metadata = recordAt(namespace, 'metadata');
  const name = textAt(metadata, 'name');
  if (name === '') return;
  const labels = { ...recordAt(metadata, 'labels'), 'kubernetes.io/metadata.name': name };
  namespace['metadata'] = { ...metadata, labels };
}

/** The defaults of the other kinds of the core, by type. @see pkg/apis/core/v1/defaults.go @ v1.36.3 */
export const CORE_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  'core.Service': setBalancerDefaults,
  'core.ServiceSpec': setServiceDefaults,
  'core.ServicePort': setServicePortDefaults,
  'core.EndpointPort': (port) => {
    defaultTo(port, 'protocol', 'TCP');
  },
  'core.ReplicationController': setReplicationControllerDefaults,
  'core.LimitRangeItem': setLimitDefaults,
  'core.Secret': setSecretDefaults,
  'core.NodeSpec': setNodeDefaults,
  'core.NodeStatus': (status) => {
    if (status['allocatable'] === undefined && status['capacity'] !== undefined) {
      status['allocatable'] = status['capacity'];
    }
  },
  'core.Namespace': setNamespaceDefaults,
  'core.NamespaceStatus': (status) => {
    defaultTo(status, 'phase', 'Active');
  },
  // Not of its spec, which is also the volume within a VolumeAttachment.
  'core.PersistentVolume': (volume) => {
    const spec = { ...recordAt(volume, 'spec') };
    defaultTo(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    defaultUnset(spec, 'volumeMode', 'Filesystem');
    volume['spec'] = spec;
  },
  'core.PersistentVolumeStatus': (status) => {
    defaultTo(status, 'phase', 'Pending');
  },
  'core.PersistentVolumeClaimSpec': (spec) => {
    defaultUnset(spec, 'volumeMode', 'Filesystem');
  },
  'core.PersistentVolumeClaimStatus': (status) => {
    defaultTo(status, 'phase', 'Pending');
  },
};
