import { isRecord, recordAt, recordsAt, textAt } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { checkImage } from './containers/containers.ts';
import { checkPodAnnotations, checkProfileAnnotations } from './spec/pod-annotations.ts';
import { checkPodSpec } from './spec/pod-spec-checks.ts';
import { PodReport } from './report/pod-report.ts';

/** The report on the pod of a write. */
export function podReport(report: Report): PodReport {
  return new PodReport(report, {
    path: 'spec',
    spec: recordAt(report.object, 'spec') ?? {},
    oldSpec: recordAt(report.existing, 'spec'),
    metadata: recordAt(report.object, 'metadata') ?? {},
  });
}

/**
 * The rules of a pod that each write has to keep.
 * @see pkg/apis/core/validation/validation.go validatePodMetadataAndSpec @ v1.36.3
 */
export function checkPod(pod: PodReport): void {
  const { spec } = pod;
  const before = recordAt(pod.existing, 'metadata')?.['annotations'];
  const annotations = pod.content.metadata?.['annotations'];
  checkPodAnnotations(annotations, 'metadata.annotations', pod, before);
  checkPodSpec(pod);
  if (textAt(spec, 'serviceAccountName') === '') refuseTokens(pod);
  for (const list of ['containers', 'initContainers']) {
    for (const [index, one] of recordsAt(spec, list).entries()) {
      checkImage(one, `spec.${list}[${index}]`, pod);
    }
  }
}

function refuseTokens(pod: PodReport): void {
  for (const [index, volume] of recordsAt(pod.spec, 'volumes').entries()) {
    for (const [place, source] of recordsAt(volume, 'projected', 'sources').entries()) {
      if (!isRecord(source['serviceAccountToken'])) continue;
      const at = `spec.volumes[${index}].projected.sources[${place}].serviceAccountToken`;
      const rule = 'must not be specified when serviceAccountName is not set';
      pod.forbidden(at, rule);
    }
  }
}

/** @see pkg/apis/core/validation/validation.go ValidatePodCreate @ v1.36.3 */
export const newPodChecks: Check = (_object, _path, report) => {
  const pod = podReport(report);
  checkPod(pod);
  if (recordsAt(pod.spec, 'ephemeralContainers').length > 0) {
    pod.forbidden('spec.ephemeralContainers', 'cannot be set on create');
  }
  if (textAt(pod.spec, 'nodeName') !== '' && recordsAt(pod.spec, 'schedulingGates').length > 0) {
    const rule = 'cannot be set until all schedulingGates have been cleared';
    pod.forbidden('spec.nodeName', rule);
  }
  checkProfileAnnotations(pod.content.metadata?.['annotations'], pod, 'spec');
};
