import {
  ensureRecord,
  recordAt,
  recordsAt,
  setOwn,
  textAt,
} from '../../meta/json-value.ts';
import type { JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** The defaults of containers, by the name of a resource. */
interface Defaults {
  readonly requests: JsonRecord;
  readonly limits: JsonRecord;
}

/**
 * Gives the containers of a pod the requests and limits that they leave out, and says so in an annotation.
 * @param limits The items of one LimitRange.
 * @see plugin/pkg/admission/limitranger/admission.go PodMutateLimitFunc @ v1.36.3
 */
export function setContainerDefaults(pod: MutableObject, limits: readonly JsonRecord[]): void {
  const defaults = defaultsOf(limits);
  const notes = [
    ...recordsAt(pod, 'spec', 'containers').flatMap((one) => fill(one, 'container', defaults)),
    ...recordsAt(pod, 'spec', 'initContainers').flatMap((one) =>
      fill(one, 'init container', defaults),
    ),
  ];
  if (notes.length === 0) return;
  const annotations = ensureRecord(pod.metadata, 'annotations');
  if (annotations !== undefined) {
    annotations[ANNOTATION] = `LimitRanger plugin set: ${notes.join('; ')}`;
  }
}

function defaultsOf(limits: readonly JsonRecord[]): Defaults {
  const ofContainers = limits.filter((one) => textAt(one, 'type') === 'Container');
  const merged = (name: string): JsonRecord =>
    Object.assign({}, ...ofContainers.map((one) => recordAt(one, name))) as JsonRecord;
  return { requests: merged('defaultRequest'), limits: merged('default') };
}

/** Fills one container; returns what was set, in words. */
function fill(container: JsonRecord, what: string, { requests, limits }: Defaults): string[] {
  const note = (which: string, set: readonly string[]): string[] =>
    set.length === 0 ? [] : [`${set.join(', ')} ${which} for ${what} ${textAt(container, 'name')}`];
  const setLimits = fillAmounts(container, 'limits', limits);
  const setRequests = fillAmounts(container, 'requests', requests);
  return [...note('request', setRequests), ...note('limit', setLimits)];
}

function fillAmounts(
  container: JsonRecord,
  which: 'limits' | 'requests',
  defaults: JsonRecord,
): string[] {
  const given = recordAt(container, 'resources', which);
  const missing = Object.keys(defaults)
    .filter((name) => given === undefined || !Object.hasOwn(given, name))
    .toSorted();
  if (missing.length === 0) return [];
  const resources = ensureRecord(container, 'resources');
  const amounts = resources && ensureRecord(resources, which);
  if (amounts === undefined) return [];
  for (const name of missing) setOwn(amounts, name, defaults[name]);
  return missing;
}
