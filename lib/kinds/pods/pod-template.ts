import { isRecord, recordAt, recordsAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { labelMap } from '../../server/registry/validation/label-selector-checks.ts';
import { checkPodAnnotations, checkProfileAnnotations } from './spec/pod-annotations.ts';
import { checkPodSpec } from './spec/pod-spec-checks.ts';
import { annotationMap } from './report/annotation-map.ts';
import { PodReport } from './report/pod-report.ts';
import { specWarnings } from './warnings/spec-warnings.ts';

/**
 * The rules of a pod template. Which restart policies its kind allows is a rule of the kind. At an update, the old value is the
 * stored template.
 * @see pkg/apis/core/validation/validation.go ValidatePodTemplateSpec @ v1.36.3
 */
export const podTemplateChecks: Check = (value, path, report, old) => {
  const template: JsonRecord = isRecord(value) ? value : {};
  const { labels, annotations } = recordAt(template, 'metadata') ?? {};
  const spec = recordAt(template, 'spec') ?? {};
  const pod = new PodReport(report, {
    path: `${path}.spec`,
    spec,
    oldSpec: recordAt(old, 'spec'),
    metadata: undefined,
  });
  labelMap(labels, `${path}.labels`, pod);
  annotationMap(annotations, `${path}.annotations`, pod);
  const before = recordAt(old, 'metadata')?.['annotations'];
  checkPodAnnotations(annotations, `${path}.annotations`, pod, before);
  checkPodSpec(pod);
  checkProfileAnnotations(annotations, pod, `${path}.spec`);
  if (recordsAt(spec, 'ephemeralContainers').length === 0) return;
  const rule = 'ephemeral containers not allowed in pod template';
  pod.forbidden(`${path}.spec.ephemeralContainers`, rule);
};

/** The warnings of a pod template. */
export function podTemplateWarnings(template: unknown, path: string): string[] {
  const { metadata, spec } = isRecord(template) ? template : {};
  return specWarnings({ metadata, spec, path });
}
