import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectReport } from '../contract/inspector-snapshot.ts';
import { boundedObject } from './bounded-object.ts';
import { lineDifference } from './line-difference.ts';
import { maskedObject } from './masked-object.ts';

/** Characters of an object that are shown; to write more as YAML would hold up the event loop. */
const LONGEST = 64 * 1024;

export interface ShownObject {
  readonly informer: string;
  readonly key: string;
  readonly cached: KubernetesObject;
  /** The object of the server; `gone` when it has none. Left out: it was not asked. */
  readonly served?: KubernetesObject | 'gone' | undefined;
}

/** An object as YAML, without secrets, and its difference to that of the server. */
export async function objectReport({
  informer,
  key,
  cached,
  served,
}: ShownObject): Promise<ObjectReport> {
  const secrets = holdsSecrets(informer);
  const own = await shown(cached, secrets);
  const resourceVersion = cached.metadata?.resourceVersion ?? '';
  const report = { informer, key, resourceVersion, yaml: own.yaml, notes: own.notes };
  if (served === undefined) return report;
  if (served === 'gone') {
    const lines = lineDifference(own.yaml.split('\n'), []);
    return { ...report, difference: { resourceVersion: undefined, lines, equal: false } };
  }
  const other = await shown(served, secrets);
  const lines = lineDifference(own.yaml.split('\n'), other.yaml.split('\n'));
  const equal = lines.every(({ mark }) => mark === ' ');
  const version = served.metadata?.resourceVersion;
  return { ...report, difference: { resourceVersion: version, lines, equal } };
}

async function shown(
  object: KubernetesObject,
  secrets: boolean,
): Promise<{ readonly yaml: string; readonly notes: readonly string[] }> {
  // Loaded when an object is looked at.
  const { stringify } = await import('yaml');
  const bounded = boundedObject(object, LONGEST);
  const masked = maskedObject(bounded.value as KubernetesObject, {
    secrets: secrets || object.kind === 'Secret',
  });
  const notes: string[] = [];
  if (bounded.note !== undefined)
    notes.push(`Truncated to ${LONGEST / 1024} KiB: ${bounded.note}.`);
  if (masked.count > 0)
    notes.push(`${masked.count === 1 ? '1 value is' : `${masked.count} values are`} masked.`);
  const options = { aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true };
  return { yaml: stringify(masked.object, options).trimEnd(), notes };
}

/** By the name of an informer, `v1/secrets` or `v1/secrets in shop`: items of lists may lack their kind. */
function holdsSecrets(informer: string): boolean {
  return /(?:^|[^\w.])secrets(?:$|[^\w.])/.test(informer);
}
