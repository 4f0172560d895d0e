import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { hasCondition } from './job-conditions.ts';
import { shownPodSpec, shownTemplate } from './template-form.ts';

/** Whether pods of the job neither run nor will: it is suspended, and was not started or has stopped. */
function isAtRest(job: JsonRecord): boolean {
  if (valueAt(job, 'spec', 'suspend') !== true) return false;
  if ((valueAt(job, 'status', 'active') ?? 0) !== 0) return false;
  const notStarted = valueAt(job, 'status', 'startTime') === undefined;
  return notStarted || hasCondition(job, 'Suspended');
}

/** The old pod with what decides where the new one runs. */
function movedPod(old: JsonRecord, pod: JsonRecord): JsonRecord {
  const moved = { ...old };
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    if (pod[name] === undefined) delete moved[name];
    else moved[name] = pod[name];
  }
  const affinity = movedAffinity(recordAt(old, 'affinity'), recordAt(pod, 'affinity'));
  if (affinity === undefined) delete moved['affinity'];
  else moved['affinity'] = affinity;
  return moved;
}

/** The node affinity may change; another one may not. */
function movedAffinity(
  old: JsonRecord | undefined,
  affinity: JsonRecord | undefined,
): JsonRecord | undefined {
  if (old === undefined && affinity === undefined) return undefined;
  const { nodeAffinity: _old, ...others } = old ?? {};
  const nodeAffinity = affinity?.['nodeAffinity'];
  if (affinity === undefined && Object.keys(others).length === 0) return undefined;
  return nodeAffinity === undefined ? others : { ...others, nodeAffinity };
}

/** The old containers with the resources of the new ones. */
function withResources(old: JsonRecord, pod: JsonRecord, list: string): JsonRecord {
  const [before, after] = [old[list], pod[list]];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return old;
  const merged = before.map((one: unknown, index) =>
    isRecord(one) ? { ...one, resources: valueAt(after[index], 'resources') } : one,
  );
  return { ...old, [list]: merged };
}

/**
 * The template of a job stays; of one at rest, where its pods run and their resources may change.
 * @see pkg/apis/batch/validation/validation.go validatePodTemplateUpdate @ v1.36.3
 */
export const fixedTemplate: Check = (template, path, report, old) => {
  const { existing } = report;
  if (existing === undefined) return;
  if (!isAtRest(existing)) {
    if (jsonEqual(template, old)) return;
    report.add(fieldInvalid(path, shownTemplate(template), 'field is immutable'));
    return;
  }
  const pod = recordAt(template, 'spec') ?? {};
  let before = movedPod(recordAt(old, 'spec') ?? {}, pod);
  for (const list of ['containers', 'initContainers']) before = withResources(before, pod, list);
  if (jsonEqual(pod, before)) return;
  report.add(fieldInvalid(`${path}.spec`, shownPodSpec(pod), 'field is immutable'));
};
