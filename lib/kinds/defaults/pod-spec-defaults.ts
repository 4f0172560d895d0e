import { imageTag } from './image-tag.ts';
import {
  defaultTo,
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { SetDefaults } from '../../server/registry/typed/type-reader.ts';

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

/** The newer list of addresses and the older single address say the same. */
function joinAddresses(status: JsonRecord, single: string, list: string): void {
  const first = textAt(recordsAt(status, list)[0], 'ip');
  const address = textAt(status, single);
  if (first !== '') status[single] = first;
  else if (address !== '') status[list] = [{ ip: address }];
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
    joinAddresses(status, 'podIP', 'podIPs');
  },
};
