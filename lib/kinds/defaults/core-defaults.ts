import {
  defaultTo,
  isRecord,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  textsAt,
  numberAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { SetDefaults } from '../../server/registry/typed/type-reader.ts';

const DEFAULT_DOMAIN = 'docker.io';
/** Maximum length of a repository without its domain. */
const LONGEST_REPOSITORY = 255;

const ALPHANUMERIC = '[a-z0-9]+';
const COMPONENT = `${ALPHANUMERIC}(?:(?:[._]|__|-+)${ALPHANUMERIC})*`;
const IS_REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const HOST_PART = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const IS_DOMAIN = new RegExp(
  `^(?:${HOST_PART}(?:\\.${HOST_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`,
);
const IS_TAG = /^\w[\w.-]{0,127}$/;
const IS_DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const IS_IDENTIFIER = /^[a-f0-9]{64}$/;

/**
 * The tag of an image, `latest` when it names none; empty for an image with a digest only, and for a text that is no image.
 * @see github.com/distribution/reference v0.6.0 normalize.go
 */
function imageTag(image: string): string {
  if (IS_IDENTIFIER.test(image)) return '';
  const at = image.indexOf('@');
  const digest = at < 0 ? undefined : image.slice(at + 1);
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  const tag = colon < 0 ? undefined : named.slice(colon + 1);
  const { domain, repository } = placed(colon < 0 ? named : named.slice(0, colon));
  const isImage =
    repository.length <= LONGEST_REPOSITORY &&
    IS_REPOSITORY.test(repository) &&
    IS_DOMAIN.test(domain) &&
    (tag === undefined || IS_TAG.test(tag)) &&
    (digest === undefined || IS_DIGEST.test(digest));
  if (!isImage) return '';
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** The first part is a domain when it looks like one. */
function placed(name: string): { readonly domain: string; readonly repository: string } {
  const slash = name.indexOf('/');
  if (slash < 0) return { domain: DEFAULT_DOMAIN, repository: `library/${name}` };
  const first = name.slice(0, slash);
  const isDomain = first === 'localhost' || /[.:A-Z]/.test(first);
  if (!isDomain) return { domain: DEFAULT_DOMAIN, repository: name };
  return { domain: first, repository: name.slice(slash + 1) };
}

/** Read and write for the owner, read for all others: 0644. */
const VOLUME_MODE = 420;
const TOKEN_LIFE_SECONDS = 3600;

/** Sets a number for which 0 means none: typed clients send 0 for an unset field. */
export function defaultNumber(record: JsonRecord, name: string, value: number): void {
  if (defaultTo(record, name, value) === 0) record[name] = value;
}

/** Sets a value that no client sent. An empty text is a value, as the field is a pointer in Go. */
export function defaultUnset(record: JsonRecord, name: string, value: unknown): void {
  if (record[name] === undefined || record[name] === null) record[name] = value;
}

/** An image with the tag `latest`, written or implied, is always pulled. */
function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

function setContainerDefaults(container: JsonRecord): void {
  defaultTo(container, 'imagePullPolicy', pullPolicyOf(textAt(container, 'image')));
  defaultTo(container, 'terminationMessagePath', '/dev/termination-log');
  defaultTo(container, 'terminationMessagePolicy', 'File');
}

/** A volume with only a name is an empty directory. */
function setVolumeDefaults(volume: JsonRecord): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume['emptyDir'] = {};
  const image = recordAt(volume, 'image');
  if (image === undefined || textAt(image, 'pullPolicy') !== '') return;
  volume['image'] = { ...image, pullPolicy: pullPolicyOf(textAt(image, 'reference')) };
}

function setPodSpecDefaults(spec: JsonRecord): void {
  defaultTo(spec, 'dnsPolicy', 'ClusterFirst');
  defaultTo(spec, 'restartPolicy', 'Always');
  defaultUnset(spec, 'securityContext', {});
  defaultUnset(spec, 'terminationGracePeriodSeconds', 30);
  defaultTo(spec, 'schedulerName', 'default-scheduler');
  // The older name of the field is kept beside the newer one, with the same value.
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account === '') return;
  spec['serviceAccountName'] = account;
  spec['serviceAccount'] = account;
}

/** A container with a limit but no request for a resource requests as much as the limit. */
function withRequests(container: JsonRecord): JsonRecord {
  const resources = recordAt(container, 'resources');
  const limits = Object.entries(recordAt(resources, 'limits') ?? {});
  if (limits.length === 0) return container;
  const requests = { ...recordAt(resources, 'requests') };
  for (const [name, limit] of limits) {
    if (!Object.hasOwn(requests, name)) setOwn(requests, name, limit);
  }
  return { ...container, resources: { ...resources, requests } };
}

/** On the network of its node, a pod has its ports there. */
function withHostPorts(container: JsonRecord): JsonRecord {
  if (!Array.isArray(container['ports'])) return container;
  const ports = container['ports'].map((port: unknown) =>
    isRecord(port) && numberAt(port, 'hostPort') === 0
      ? { ...port, hostPort: port['containerPort'] }
      : port,
  );
  return { ...container, ports };
}

/** The defaults of a pod that a pod in a template does not get. */
function setPodDefaults(pod: JsonRecord): void {
  const given = recordAt(pod, 'spec');
  const spec = { ...given };
  pod['spec'] = spec;
  for (const list of ['initContainers', 'containers']) {
    if (!Array.isArray(spec[list])) continue;
    spec[list] = spec[list].map((one: unknown) => {
      if (!isRecord(one)) return one;
      const container = withRequests(one);
      return spec['hostNetwork'] === true ? withHostPorts(container) : container;
    });
  }
  defaultUnset(spec, 'enableServiceLinks', true);
}

/** The newer list of addresses and the older single one say the same; a single one that differs replaces the list. */
function joinAddresses(status: JsonRecord): void {
  const addresses = recordsAt(status, 'podIPs');
  const first = textAt(addresses[0], 'ip');
  const single = textAt(status, 'podIP');
  if (single === '') {
    if (addresses.length > 0) status['podIP'] = first;
  } else if (single !== first) {
    status['podIPs'] = [{ ip: single }];
  }
}

function defaultMode(source: JsonRecord): void {
  defaultUnset(source, 'defaultMode', VOLUME_MODE);
}

/** The defaults of pods and their parts, by type. @see pkg/apis/core/v1/defaults.go @ v1.36.3 */
export const POD_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  'core.Pod': setPodDefaults,
  'core.PodSpec': setPodSpecDefaults,
  'core.Container': setContainerDefaults,
  'core.EphemeralContainerCommon': setContainerDefaults,
  'core.Volume': setVolumeDefaults,
  'core.SecretVolumeSource': defaultMode,
  'core.ConfigMapVolumeSource': defaultMode,
  'core.DownwardAPIVolumeSource': defaultMode,
  'core.ProjectedVolumeSource': defaultMode,
  'core.HostPathVolumeSource': (source) => {
    defaultUnset(source, 'type', '');
  },
  'core.ServiceAccountTokenProjection': (source) => {
    defaultUnset(source, 'expirationSeconds', TOKEN_LIFE_SECONDS);
  },
  'core.ObjectFieldSelector': (reference) => {
    defaultTo(reference, 'apiVersion', 'v1');
  },
  'core.Probe': (probe) => {
    defaultNumber(probe, 'timeoutSeconds', 1);
    defaultNumber(probe, 'periodSeconds', 10);
    defaultNumber(probe, 'successThreshold', 1);
    defaultNumber(probe, 'failureThreshold', 3);
  },
  'core.HTTPGetAction': (action) => {
    defaultTo(action, 'path', '/');
    defaultTo(action, 'scheme', 'HTTP');
  },
  'core.PodStatus': (status) => {
    joinAddresses(status);
  },
};

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

/** The newer list of address ranges and the older single one say the same; a single one that differs replaces the list. */
function setNodeDefaults(spec: JsonRecord): void {
  const single = textAt(spec, 'podCIDR');
  const [first] = textsAt(spec, 'podCIDRs');
  if (single === '' && first !== undefined) spec['podCIDR'] = first;
  else if (single !== '' && single !== first) spec['podCIDRs'] = [single];
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
