import {
  defaultTo,
  isRecord,
  numberAt,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
  type JsonRecord,
} from '../../rules/json-value.ts';

/** Read and write for the owner, read for all others: 0644. See pkg/apis/core/v1/defaults.go @ 24a394e. */
const VOLUME_MODE = 420;
const TOKEN_LIFE_SECONDS = 3600;

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Sets the defaults of a pod spec. See pkg/apis/core/v1/defaults.go @ 24a394e. */
export function defaultPodSpec(spec: JsonRecord | undefined): void {
  if (spec === undefined) return;
  defaultTo(spec, 'restartPolicy', 'Always');
  defaultTo(spec, 'terminationGracePeriodSeconds', 30);
  defaultTo(spec, 'dnsPolicy', 'ClusterFirst');
  defaultTo(spec, 'securityContext', {});
  defaultTo(spec, 'schedulerName', 'default-scheduler');
  for (const list of ['initContainers', 'containers']) {
    for (const container of recordsAt(spec, list)) {
      defaultContainer(container, spec['hostNetwork'] === true);
    }
  }
  for (const volume of recordsAt(spec, 'volumes')) defaultVolume(volume);
}

/** Sets the defaults of a pod template, and adds empty metadata if it is missing. */
export function defaultPodTemplate(spec: JsonRecord | undefined): void {
  const template = recordAt(spec, 'template');
  if (template === undefined) return;
  defaultTo(template, 'metadata', {});
  defaultPodSpec(recordAt(template, 'spec'));
}

/** A container with a limit but no request for a resource requests as much as the limit. Not applied to templates. */
export function defaultRequests(spec: JsonRecord | undefined): void {
  for (const list of ['initContainers', 'containers']) {
    for (const container of recordsAt(spec, list)) {
      const limits = Object.entries(recordAt(container, 'resources', 'limits') ?? {});
      const resources = recordAt(container, 'resources');
      if (resources === undefined || limits.length === 0) continue;
      const requests = defaultTo(resources, 'requests', {});
      if (!isRecord(requests)) continue;
      for (const [name, limit] of limits) {
        if (!Object.hasOwn(requests, name)) setOwn(requests, name, limit);
      }
    }
  }
}

function defaultContainer(container: JsonRecord, hostNetwork: boolean): void {
  defaultTo(container, 'resources', {});
  defaultTo(container, 'terminationMessagePath', '/dev/termination-log');
  defaultTo(container, 'terminationMessagePolicy', 'File');
  defaultTo(container, 'imagePullPolicy', pullPolicyOf(textAt(container, 'image')));
  for (const port of recordsAt(container, 'ports')) {
    defaultTo(port, 'protocol', 'TCP');
    if (hostNetwork) defaultNumber(port, 'hostPort', numberAt(port, 'containerPort'));
  }
  for (const variable of recordsAt(container, 'env')) {
    defaultFieldReference(recordAt(variable, 'valueFrom', 'fieldRef'));
  }
  for (const name of PROBES) defaultProbe(recordAt(container, name));
  for (const name of ['postStart', 'preStop']) {
    defaultHttpGet(recordAt(container, 'lifecycle', name, 'httpGet'));
  }
}

/** An image with the tag `latest`, written or implied, is always pulled. */
function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  return !name.includes(':') || name.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: JsonRecord | undefined): void {
  if (probe === undefined) return;
  defaultNumber(probe, 'timeoutSeconds', 1);
  defaultNumber(probe, 'periodSeconds', 10);
  defaultNumber(probe, 'successThreshold', 1);
  defaultNumber(probe, 'failureThreshold', 3);
  defaultHttpGet(recordAt(probe, 'httpGet'));
  const grpc = recordAt(probe, 'grpc');
  if (grpc !== undefined) defaultTo(grpc, 'service', '');
}

function defaultHttpGet(httpGet: JsonRecord | undefined): void {
  if (httpGet === undefined) return;
  defaultTo(httpGet, 'path', '/');
  defaultTo(httpGet, 'scheme', 'HTTP');
}

function defaultFieldReference(reference: JsonRecord | undefined): void {
  if (reference !== undefined) defaultTo(reference, 'apiVersion', 'v1');
}

/** A volume with only a name is an empty directory. */
function defaultVolume(volume: JsonRecord): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume['emptyDir'] = {};
  for (const name of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = recordAt(volume, name);
    if (source !== undefined) defaultTo(source, 'defaultMode', VOLUME_MODE);
  }
  const host = recordAt(volume, 'hostPath');
  if (host !== undefined) defaultTo(host, 'type', '');
  defaultDownward(recordAt(volume, 'downwardAPI'));
  for (const projection of recordsAt(volume, 'projected', 'sources')) {
    defaultDownward(recordAt(projection, 'downwardAPI'));
    const token = recordAt(projection, 'serviceAccountToken');
    if (token !== undefined) defaultTo(token, 'expirationSeconds', TOKEN_LIFE_SECONDS);
  }
}

function defaultDownward(source: JsonRecord | undefined): void {
  for (const item of recordsAt(source, 'items')) defaultFieldReference(recordAt(item, 'fieldRef'));
}

/** Like `defaultTo`, for a number where 0 means none: typed clients send 0 for an unset field. */
function defaultNumber(record: JsonRecord, name: string, value: number): void {
  if (defaultTo(record, name, value) === 0) record[name] = value;
}
