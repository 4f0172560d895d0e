import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectReport } from '../contract/inspector-snapshot.ts';
import { boundedObject } from './bounded-object.ts';
import { lineDifference } from './line-difference.ts';
import { maskedObject } from '../../meta/masking/masked-object.ts';
import type { MaskedResource } from '../../meta/masking/object-mask.ts';
import type { InspectedInformer } from '../contract/inspected-parts.ts';

/** Characters of an object that are shown; to write more as YAML would hold up the event loop. */
const LONGEST = 64 * 1024;

export interface ShownObject {
  readonly informer: Pick<InspectedInformer, 'name' | 'resource'>;
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
  const { name, resource } = informer;
  const of = resource ?? resourceOfName(name);
  const own = await shown(cached, of);
  const resourceVersion = cached.metadata?.resourceVersion ?? '';
  const report = { informer: name, key, resourceVersion, yaml: own.yaml, notes: own.notes };
  if (served === undefined) return report;
  if (served === 'gone') {
    const lines = lineDifference(own.yaml.split('\n'), []);
    return { ...report, difference: { resourceVersion: undefined, lines, equal: false } };
  }
  const other = await shown(served, of);
  const lines = lineDifference(own.yaml.split('\n'), other.yaml.split('\n'));
  const equal = lines.every(({ mark }) => mark === ' ');
  const version = served.metadata?.resourceVersion;
  return { ...report, difference: { resourceVersion: version, lines, equal } };
}

async function shown(
  object: KubernetesObject,
  of: MaskedResource | undefined,
): Promise<{ readonly yaml: string; readonly notes: readonly string[] }> {
  // Loaded when an object is looked at.
  const { stringify } = await import('yaml');
  // Masked first: of an object that is cut, the kind may be missing.
  const masked = maskedObject(object, of);
  const bounded = boundedObject(masked.object, LONGEST);
  const notes: string[] = [];
  if (bounded.note !== undefined)
    notes.push(`Truncated to ${LONGEST / 1024} KiB: ${bounded.note}.`);
  if (masked.count > 0)
    notes.push(`${masked.count === 1 ? '1 value is' : `${masked.count} values are`} masked.`);
  const options = { aliasDuplicateObjects: false, lineWidth: 0, sortMapEntries: true };
  return { yaml: stringify(bounded.value, options).trimEnd(), notes };
}

/** By the name of an informer whose source does not say its resource: `secrets in namespace shop`. */
function resourceOfName(informer: string): MaskedResource | undefined {
  const isOfSecrets = /(?:^|[^\w.])secrets(?:$|[^\w.])/.test(informer);
  return isOfSecrets ? { apiVersion: 'v1', resource: 'secrets' } : undefined;
}
