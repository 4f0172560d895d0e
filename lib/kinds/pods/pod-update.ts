import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { unifiedDiff } from '../../server/registry/validation/unified-diff.ts';
import { checkImage } from './containers/containers.ts';
import { tolerations } from './placement/tolerations.ts';
import { checkGatedPlacement } from './pod-gated-update.ts';
import { checkKeptAnnotations, checkPodAnnotations } from './spec/pod-annotations.ts';
import { checkPod, podReport } from './pod-checks.ts';
import { goJson, podSpecForm } from './pod-spec-form.ts';
import type { PodReport } from './report/pod-report.ts';

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
      pod.add(fieldForbidden(at, 'pod updates may not add or remove containers'));
      return false;
    }
    for (const [index, one] of containers.entries()) {
      if (textAt(one, 'image') === '') pod.add(fieldRequired(`${at}[${index}].image`));
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
    if (old !== undefined) pod.add(fieldInvalid(DEADLINE, null, rule));
    return true;
  }
  if (deadline < 0 || deadline > LONGEST_DEADLINE) {
    const rule = `must be between 0 and ${LONGEST_DEADLINE}, inclusive`;
    pod.add(fieldInvalid(DEADLINE, deadline, rule));
    return false;
  }
  if (typeof old !== 'number' || old >= deadline) return true;
  pod.add(fieldInvalid(DEADLINE, deadline, 'must be less than or equal to previous value'));
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
    pod.add(fieldForbidden('spec.tolerations', rule));
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
    pod.add(fieldForbidden(`spec.schedulingGates[${index}].name`, rule));
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
  const difference = unifiedDiff(goJson(podSpecForm(before)), goJson(podSpecForm(spec)));
  pod.add(fieldForbidden('spec', ONLY + difference));
};

/** The generation counts the changes of the spec, through which part of the API they come. */
export function countChange(pod: MutableObject, existing: MutableObject): void {
  if (jsonEqual(pod['spec'], existing['spec'])) return;
  pod.metadata.generation = (existing.metadata.generation ?? 0) + 1;
}
