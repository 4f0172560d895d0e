import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
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
  if (!isRecord(serviceAccountToken)) return [];
  return [{ path: textAt(serviceAccountToken, 'path'), source: 'ServiceAccountToken' }];
}
