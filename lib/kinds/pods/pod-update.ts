import { podSpecForm } from './report/pod-spec-form.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { unifiedDiff } from '../../server/registry/validation/unified-diff.ts';
import { checkImage } from './containers/containers.ts';
import { tolerations } from './placement/tolerations.ts';
import { checkKeptAnnotations, checkPodAnnotations } from './spec/pod-annotations.ts';
import { checkPod, podReport } from './pod-checks.ts';
import { MIRROR_ANNOTATION, type PodReport } from './report/pod-report.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import { keepAllBut } from '../subresources/kept-fields.ts';

/** Go's JSON of a value, a member on each line. */
function goJson(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replaceAll(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const LIST = 'ephemeralContainers';

/** Ephemeral containers can be added, but neither changed nor removed. The order does not matter, because patches change it. */
const onlyAdditions: Check = (_object, _path, report) => {
  if (recordAt(report.existing, 'metadata', 'annotations')?.[MIRROR_ANNOTATION] !== undefined) {
    report.forbidden('[]', 'static pods do not support ephemeral containers');
    return;
  }
  const pod = podReport(report);
  checkPod(pod);
  checkAnnotationUpdate(pod);
  const present = recordsAt(pod.spec, LIST);
  for (const old of recordsAt(pod.content.oldSpec, LIST)) {
    const name = textAt(old, 'name');
    const found = present.findLast((one) => textAt(one, 'name') === name);
    const subject = `existing ephemeral containers ${JSON.stringify(name)} may not be`;
    if (found === undefined) pod.forbidden(`spec.${LIST}`, `${subject} removed\n`);
    else if (!jsonEqual(found, old)) {
      const [before, after] = [old, found].map((one) =>
        goJson(goForm('core.EphemeralContainer', one)),
      ) as [string, string];
      const difference = unifiedDiff(before, after);
      pod.forbidden(`spec.${LIST}`, `${subject} changed\n${difference}`);
    }
  }
};

/**
 * `pods/NAME/ephemeralcontainers` adds containers for debugging; it changes nothing else.
 * @see pkg/registry/core/pod/strategy.go podEphemeralContainersStrategy @ v1.36.3
 */
export const ephemeralContainersStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(pod, existing) {
    keepAllBut(pod, existing, { [LIST]: recordAt(pod, 'spec')?.[LIST] });
    countChange(pod, existing);
  },
  validateUpdate: (pod, existing, policy) => causesOf(onlyAdditions, pod, existing, policy),
};

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TERMS_AT = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;

/**
 * Where a pod with scheduling gates runs can be narrowed. What was checked is put back to its stored value.
 * @see pkg/apis/core/validation/validation.go ValidatePodUpdate @ v1.36.3
 */
function checkGatedPlacement(spec: JsonRecord, before: JsonRecord, pod: PodReport): void {
  checkNodeSelector(spec, before, pod);
  if (before['nodeSelector'] === undefined) delete spec['nodeSelector'];
  else spec['nodeSelector'] = before['nodeSelector'];
  const old = recordAt(before, 'affinity', 'nodeAffinity');
  const given = recordAt(spec, 'affinity', 'nodeAffinity');
  if (jsonEqual(old, given)) return;
  checkTerms(given, old, pod);
  const affinity: JsonRecord = { ...recordAt(spec, 'affinity') };
  if (old === undefined) delete affinity['nodeAffinity'];
  else affinity['nodeAffinity'] = old;
  if (Object.keys(affinity).length === 0 && before['affinity'] === undefined) {
    delete spec['affinity'];
  } else spec['affinity'] = affinity;
}

function checkNodeSelector(spec: JsonRecord, before: JsonRecord, pod: PodReport): void {
  const given = recordAt(spec, 'nodeSelector') ?? {};
  const old = recordAt(before, 'nodeSelector') ?? {};
  if (Object.keys(old).every((key) => given[key] === old[key])) return;
  const rule = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  pod.invalid('spec.nodeSelector', spec['nodeSelector'] ?? null, rule);
}

function checkTerms(given: unknown, old: unknown, pod: PodReport): void {
  const stored = recordsAt(old, REQUIRED, 'nodeSelectorTerms');
  const terms = recordsAt(given, REQUIRED, 'nodeSelectorTerms');
  if (stored.length === 0) return;
  const shown = (term: JsonRecord): unknown => goForm('core.NodeSelectorTerm', term);
  if (stored.length !== terms.length) {
    const rule = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    const value = isRecord(recordAt(given, REQUIRED)) ? terms.map(shown) : null;
    pod.invalid(TERMS_AT, value, rule);
    return;
  }
  for (const [index, term] of stored.entries()) {
    const one = terms[index] as JsonRecord;
    if (onlyAdds(one, term)) continue;
    const rule = 'only additions are allowed (no mutations or deletions)';
    pod.invalid(`${TERMS_AT}[${index}]`, shown(one), rule);
  }
}

function onlyAdds(term: JsonRecord, before: JsonRecord): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  if (lists.every((list) => recordsAt(before, list).length === 0)) {
    return lists.every((list) => recordsAt(term, list).length === 0);
  }
  return lists.every((list) => {
    const stored = recordsAt(before, list);
    return jsonEqual(recordsAt(term, list).slice(0, stored.length), stored);
  });
}

const LISTS = ['containers', 'initContainers'] as const;
const LONGEST_DEADLINE = 2 ** 31 - 1;
const DEADLINE = 'spec.activeDeadlineSeconds';

/** The annotations of the write; those of the stored pod stay what they are where they say something about the spec. */
export function checkAnnotationUpdate(pod: PodReport): void {
  const annotations = pod.content.metadata?.['annotations'];
  const before = recordAt(pod.existing, 'metadata')?.['annotations'];
  const at = 'metadata.annotations';
  checkKeptAnnotations(
    isRecord(annotations) ? annotations : {},
    isRecord(before) ? before : {},
    at,
    pod,
  );
  checkPodAnnotations(annotations, at, pod, before);
}

/** @returns whether the rest can be compared. */
function checkContainers(pod: PodReport, before: JsonRecord): boolean {
  for (const list of LISTS) {
    const containers = recordsAt(pod.spec, list);
    const at = `spec.${list}`;
    if (containers.length !== recordsAt(before, list).length) {
      pod.forbidden(at, 'pod updates may not add or remove containers');
      return false;
    }
    for (const [index, one] of containers.entries()) {
      if (textAt(one, 'image') === '') pod.required(`${at}[${index}].image`);
      checkImage(one, `${at}[${index}]`, pod);
    }
  }
  return true;
}

/** @returns whether the rest can be compared. */
function checkDeadline(pod: PodReport, before: JsonRecord): boolean {
  const deadline = pod.spec['activeDeadlineSeconds'];
  const old = before['activeDeadlineSeconds'];
  if (typeof deadline !== 'number') {
    const rule = 'must not update from a positive integer to nil value';
    if (old !== undefined) pod.invalid(DEADLINE, null, rule);
    return true;
  }
  if (deadline < 0 || deadline > LONGEST_DEADLINE) {
    const rule = `must be between 0 and ${LONGEST_DEADLINE}, inclusive`;
    pod.invalid(DEADLINE, deadline, rule);
    return false;
  }
  if (typeof old !== 'number' || old >= deadline) return true;
  pod.invalid(DEADLINE, deadline, 'must be less than or equal to previous value');
  return false;
}

function withoutSeconds({ tolerationSeconds: _seconds, ...rest }: JsonRecord): JsonRecord {
  return rest;
}

function checkTolerations(pod: PodReport, before: JsonRecord): void {
  const list = recordsAt(pod.spec, 'tolerations');
  for (const old of recordsAt(before, 'tolerations')) {
    const same = withoutSeconds(old);
    if (list.some((one) => jsonEqual(withoutSeconds(one), same))) continue;
    const rule = 'existing toleration can not be modified except its tolerationSeconds';
    pod.forbidden('spec.tolerations', rule);
    return;
  }
  tolerations(list, 'spec.tolerations', pod);
}

function checkGates(pod: PodReport, before: JsonRecord): void {
  const known = new Set(recordsAt(before, 'schedulingGates').map((one) => textAt(one, 'name')));
  for (const [index, one] of recordsAt(pod.spec, 'schedulingGates').entries()) {
    const name = textAt(one, 'name');
    if (known.has(name)) continue;
    const rule = `only deletion is allowed, but found new scheduling gate '${name}'`;
    pod.forbidden(`spec.schedulingGates[${index}].name`, rule);
  }
}

const CHANGEABLE = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'];
const ONLY =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

function put(record: JsonRecord, name: string, from: JsonRecord): void {
  if (from[name] === undefined) delete record[name];
  else record[name] = from[name];
}

/** The new spec with the stored values of what an update may change. */
function withStoredParts(pod: PodReport, before: JsonRecord): JsonRecord {
  const spec: JsonRecord = { ...pod.spec };
  for (const name of CHANGEABLE) put(spec, name, before);
  for (const list of LISTS) {
    const stored = recordsAt(before, list);
    if (stored.length === 0) continue;
    spec[list] = recordsAt(spec, list).map((one, index) => ({
      ...one,
      image: stored[index]?.['image'],
    }));
  }
  const grace = 'terminationGracePeriodSeconds';
  const old = before[grace];
  if (typeof old === 'number' && old < 0 && spec[grace] === 1) spec[grace] = old;
  if (recordsAt(before, 'schedulingGates').length > 0) checkGatedPlacement(spec, before, pod);
  return spec;
}

/**
 * The fields that an update of a pod may change.
 * @see pkg/apis/core/validation/validation.go ValidatePodUpdate @ v1.36.3
 */
export const podUpdateChecks: Check = (_object, _path, report) => {
  const pod = podReport(report);
  const before = pod.content.oldSpec ?? {};
  checkPod(pod);
  checkAnnotationUpdate(pod);
  if (!checkContainers(pod, before) || !checkDeadline(pod, before)) return;
  checkTolerations(pod, before);
  checkGates(pod, before);
  if (jsonEqual(pod.spec, before)) return;
  const spec = withStoredParts(pod, before);
  if (jsonEqual(spec, before)) return;
  const difference = unifiedDiff(
    ...([before, spec].map((one) => goJson(podSpecForm(one, report.policy.minor))) as [
      string,
      string,
    ]),
  );
  pod.forbidden('spec', ONLY + difference);
};

/** The generation counts the changes of the spec, through which part of the API they come. */
export function countChange(pod: MutableObject, existing: MutableObject): void {
  if (jsonEqual(pod['spec'], existing['spec'])) return;
  pod.metadata.generation = (existing.metadata.generation ?? 0) + 1;
}
