import {
  isRecord,
  jsonEqual,
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { ipWarnings } from '../../../server/registry/validation/addresses/ip-formats.ts';
import {
  APP_ARMOR,
  appArmorOf,
  SECCOMP_CONTAINER,
  SECCOMP_POD,
} from '../report/profile-annotations.ts';
import { visitContainers } from '../report/pod-report.ts';
import { placementWarnings, podAffinityWarnings } from './placement-warnings.ts';
import { isWholeQuantity } from '../../../server/registry/validation/quantity-checks.ts';

// See pkg/api/pod/warnings.go @ v1.36.3.

/** Sources that do nothing any more, and how messages call them. */
const DEPRECATED: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'scaleIO: deprecated in v1.16, non-functional in v1.22+',
  flocker: 'flocker: deprecated in v1.22, non-functional in v1.25+',
  storageos: 'storageOS: deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'quobyte: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'glusterfs: deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'cephfs: deprecated in v1.28, non-functional in v1.31+',
  rbd: 'rbd: deprecated in v1.28, non-functional in v1.31+',
};

/** A warning when the amount is no whole number of bytes. */
export function fractionWarnings(amount: unknown, path: string): string[] {
  if (typeof amount !== 'string' || isWholeQuantity(amount)) return [];
  return [
    `${path}: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
  ];
}

export function volumeWarnings(spec: JsonRecord, path: string): string[] {
  const volumes = recordsAt(spec, 'volumes');
  const sources = volumes.flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`;
    const found = Object.keys(DEPRECATED)
      .filter((name) => isRecord(volume[name]))
      .map((name) => `${at}.${DEPRECATED[name]}`);
    const claim = ['ephemeral', 'volumeClaimTemplate', 'spec'];
    const sizes = ['requests', 'limits'].flatMap((which) =>
      fractionWarnings(
        valueAt(volume, ...claim, 'resources', which, 'storage'),
        `${at}.${claim.join('.')}.resources.${which}[storage]`,
      ),
    );
    return [...found, ...sizes];
  });
  return [...sources, ...volumes.flatMap(overlapWarnings)];
}

interface FilePath {
  readonly path: string;
  /** The text of its source behind the path; empty in a volume of one source. */
  readonly source: string;
}

function textOf({ path, source }: FilePath): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}

function pathsOf(owner: unknown, source: string): FilePath[] {
  return recordsAt(owner, 'items').map((file) => ({ path: textAt(file, 'path'), source }));
}

/** The pairs of paths of which one is, or is within, the other one. */
function overlaps(paths: readonly FilePath[]): string[] {
  const trimmed = paths.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }));
  return trimmed.flatMap((one, index) =>
    trimmed
      .slice(0, index)
      .filter((other) => touches(one.path, other.path))
      .map((other) => `${textOf(one)} with ${textOf(other)}`),
  );
}

/** Neither is empty: warnings are for objects without faults. */
function touches(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

/** Files of one volume that hide each other. */
function overlapWarnings(volume: JsonRecord): string[] {
  const name = JSON.stringify(textAt(volume, 'name'));
  const { configMap, secret, downwardAPI } = volume;
  const warn = (source: string, paths: readonly FilePath[]): string[] =>
    overlaps(paths).map((pair) => `volume ${name} (${source}): overlapping paths: ${pair}`);
  const quoted = (owner: unknown, member: string): string => JSON.stringify(textAt(owner, member));
  return [
    ...warn(`ConfigMap ${quoted(configMap, 'name')}`, pathsOf(configMap, '')),
    ...warn(`Secret ${quoted(secret, 'secretName')}`, pathsOf(secret, '')),
    ...warn('DownwardAPI', pathsOf(downwardAPI, '')),
    ...projectedWarnings(recordAt(volume, 'projected'), name, (paths) => warn('Projected', paths)),
  ];
}

function projectedWarnings(
  projected: JsonRecord | undefined,
  name: string,
  warn: (paths: readonly FilePath[]) => string[],
): string[] {
  const sources = recordsAt(projected, 'sources');
  const empty = sources.filter((source) => Object.keys(source).length === 0);
  return [
    ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
    ...warn(sources.flatMap(projectedPaths)),
  ];
}

function projectedPaths(source: JsonRecord): FilePath[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const quoted = (owner: unknown): string => JSON.stringify(textAt(owner, 'name'));
  if (recordsAt(configMap, 'items').length > 0) {
    return pathsOf(configMap, `ConfigMap ${quoted(configMap)}`);
  }
  if (recordsAt(secret, 'items').length > 0) return pathsOf(secret, `Secret ${quoted(secret)}`);
  if (recordsAt(downwardAPI, 'items').length > 0) return pathsOf(downwardAPI, 'DownwardAPI');
  if (isRecord(serviceAccountToken)) {
    return [{ path: textAt(serviceAccountToken, 'path'), source: 'ServiceAccountToken' }];
  }
  return certificatePaths(source);
}

/** The files of a certificate by their names, in the order in which they are looked at. */
const CERTIFICATE_FILES = {
  certificateChainPath: 'PodCertificate chain',
  keyPath: 'PodCertificate key',
  credentialBundlePath: 'PodCertificate credential bundle',
};

function certificatePaths({ clusterTrustBundle: bundle, podCertificate }: JsonRecord): FilePath[] {
  if (isRecord(bundle)) {
    const name = textAt(bundle, 'name') || textAt(bundle, 'signerName');
    return [{ path: textAt(bundle, 'path'), source: `ClusterTrustBundle ${JSON.stringify(name)}` }];
  }
  return Object.entries(CERTIFICATE_FILES)
    .map(([member, source]) => ({ path: textAt(podCertificate, member), source }))
    .filter(({ path }) => path !== '');
}

interface PlacedPort {
  readonly at: string;
  readonly port: JsonRecord;
}

function portsOf(spec: JsonRecord, path: string): PlacedPort[] {
  const found: PlacedPort[] = [];
  visitContainers(spec, path, (container, at) => {
    for (const [index, port] of recordsAt(container, 'ports').entries()) {
      found.push({ at: `${at}.ports[${index}]`, port });
    }
  });
  return found;
}

/** How Go's `%+v` prints the port. */
function goTextOf(port: JsonRecord): string {
  return `{Name:${textAt(port, 'name')} HostPort:${numberAt(port, 'hostPort')} ContainerPort:${numberAt(port, 'containerPort')} Protocol:${textAt(port, 'protocol')} HostIP:${textAt(port, 'hostIP')}}`;
}

/** How the port collides with another one of the same number and protocol. */
function collision(port: JsonRecord, other: JsonRecord): string | undefined {
  const [address, otherAddress] = [textAt(port, 'hostIP'), textAt(other, 'hostIP')];
  const [host, otherHost] = [numberAt(port, 'hostPort'), numberAt(other, 'hostPort')];
  if (address === otherAddress && host === otherHost) return 'duplicate';
  if (host === 0 || otherHost === 0) return 'overlapping';
  const isOneOpen = (address === '') !== (otherAddress === '');
  return host === otherHost && isOneOpen ? 'dangerously ambiguous' : undefined;
}

/** Ports that are defined twice. @see pkg/api/pod/warnings.go @ v1.36.3 */
function portWarnings(spec: JsonRecord, path: string): string[] {
  const warnings: string[] = [];
  const known = new Map<string, PlacedPort[]>();
  const ports = portsOf(spec, path);
  for (const { at, port } of ports) {
    if (textAt(port, 'hostIP') !== '' && numberAt(port, 'hostPort') === 0) {
      warnings.push(`${at}: hostIP set without hostPort: ${goTextOf(port)}`);
    }
    const key = `${numberAt(port, 'containerPort')}/${textAt(port, 'protocol')}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const how = collision(port, other.port);
      if (how !== undefined) warnings.push(`${at}: ${how} port definition with ${other.at}`);
    }
    known.set(key, [...others, { at, port }]);
  }
  return [...warnings, ...nameWarnings(ports)];
}

function nameWarnings(ports: readonly PlacedPort[]): string[] {
  const known = new Map<string, string>();
  return ports.flatMap(({ at, port }) => {
    const name = textAt(port, 'name');
    const other = known.get(name);
    if (name !== '' && other === undefined) known.set(name, at);
    if (other === undefined) return [];
    return [
      `${at}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}

/** A pod or a pod template. */
export interface WarnedTemplate {
  readonly metadata: unknown;
  readonly spec: unknown;
  /** The path of the template; empty for a pod. */
  readonly path: string;
}

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls':
    'non-functional in v1.11+; use the "sysctls" field instead',
};

/**
 * Texts for fields that are allowed but hardly meant.
 * @see pkg/api/pod/warnings.go @ v1.36.3
 */
export function specWarnings({ metadata, spec, path }: WarnedTemplate): string[] {
  if (!isRecord(spec)) return [];
  const annotations = recordAt(metadata, 'annotations') ?? {};
  const [specAt, notesAt] =
    path === ''
      ? ['spec', 'metadata.annotations']
      : [`${path}.spec`, `${path}.metadata.annotations`];
  return [
    ...placementWarnings(spec, specAt),
    ...Object.entries(DEPRECATED_ANNOTATIONS)
      .filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, text]) => `${notesAt}[${key}]: ${text}`),
    ...volumeWarnings(spec, specAt),
    ...repeated(recordsAt(spec, 'hostAliases'), 'ip', `${specAt}.hostAliases`),
    ...repeated(recordsAt(spec, 'imagePullSecrets'), 'name', `${specAt}.imagePullSecrets`),
    ...recordsAt(spec, 'imagePullSecrets').flatMap((one, index) =>
      textAt(one, 'name') === ''
        ? [`${specAt}.imagePullSecrets[${index}].name: invalid empty name ""`]
        : [],
    ),
    ...BYTE_RESOURCES.flatMap((name) =>
      fractionWarnings(valueAt(spec, 'overhead', name), `${specAt}.overhead[${name}]`),
    ),
    ...seccompWarnings(annotations[SECCOMP_POD], spec, `${notesAt}[${SECCOMP_POD}]`),
    ...containerWarnings(spec, specAt, { annotations, notesAt, isTemplate: path !== '' }),
    ...portWarnings(spec, specAt),
    ...(numberAt(spec, 'terminationGracePeriodSeconds') < 0
      ? [
          `${specAt}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...podAffinityWarnings(spec, specAt),
    ...textsAt(spec, 'dnsConfig', 'nameservers').flatMap((one, index) =>
      ipWarnings(`${specAt}.dnsConfig.nameservers[${index}]`, one),
    ),
    ...recordsAt(spec, 'hostAliases').flatMap((one, index) =>
      ipWarnings(`${specAt}.hostAliases[${index}].ip`, textAt(one, 'ip')),
    ),
  ];
}

const BYTE_RESOURCES = ['memory', 'ephemeral-storage'];

function repeated(list: readonly JsonRecord[], member: string, at: string): string[] {
  const texts = list.map((one) => textAt(one, member));
  return texts.flatMap((text, index) =>
    texts.indexOf(text) < index
      ? [`${at}[${index}].${member}: duplicate ${member} ${JSON.stringify(text)}`]
      : [],
  );
}

/** An annotation without the field that replaces it. */
function seccompWarnings(annotation: unknown, owner: JsonRecord, at: string): string[] {
  if (annotation === undefined) return [];
  if (valueAt(owner, 'securityContext', 'seccompProfile') !== undefined) return [];
  return [`${at}: non-functional in v1.27+; use the "seccompProfile" field instead`];
}

interface Notes {
  readonly annotations: JsonRecord;
  readonly notesAt: string;
  /** Pods are warned when the annotation is taken over. */
  readonly isTemplate: boolean;
}

function containerWarnings(
  spec: JsonRecord,
  path: string,
  { annotations, notesAt, isTemplate }: Notes,
): string[] {
  const warnings: string[] = [];
  const whole = valueAt(spec, 'securityContext', 'appArmorProfile');
  visitContainers(spec, path, (container, at) => {
    const name = textAt(container, 'name');
    const key = SECCOMP_CONTAINER + name;
    warnings.push(...seccompWarnings(annotations[key], container, `${notesAt}[${key}]`));
    const armor = annotations[APP_ARMOR + name];
    const own = valueAt(container, 'securityContext', 'appArmorProfile');
    if (isTemplate && own === undefined && typeof armor === 'string') {
      if (whole === undefined || !jsonEqual(whole, appArmorOf(armor))) {
        warnings.push(appArmorWarning(`${notesAt}[${APP_ARMOR}${name}]`));
      }
    }
    for (const resource of BYTE_RESOURCES) {
      for (const which of ['limits', 'requests']) {
        const amount = valueAt(container, 'resources', which, resource);
        warnings.push(...fractionWarnings(amount, `${at}.resources.${which}[${resource}]`));
      }
    }
    warnings.push(...environmentWarnings(recordsAt(container, 'env'), `${at}.env`));
  });
  return warnings;
}

export function appArmorWarning(at: string): string {
  return `${at}: deprecated since v1.30; use the "appArmorProfile" field instead`;
}

/** A variable that is set twice hides the first one, unless its value has a reference to it. */
function environmentWarnings(variables: readonly JsonRecord[], at: string): string[] {
  const known = new Set<string>();
  return variables.flatMap((one, index) => {
    const name = textAt(one, 'name');
    const isKnown = known.has(name);
    known.add(name);
    if (!isKnown) return [];
    const value = textAt(one, 'value');
    const reference = `$(${name})`;
    const isExtended = value !== reference && value.includes(reference);
    if (one['valueFrom'] === undefined && isExtended) return [];
    return [
      `${at}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}
