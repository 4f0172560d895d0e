import type { Check } from '../../../server/registry/validation/check.ts';
import { all, fields, isEmpty, required } from '../../../server/registry/validation/combine.ts';
import { labelMap } from '../../../server/registry/validation/label-selector-checks.ts';
import { annotationMap } from '../report/annotation-map.ts';
import { claimSpecChecks } from './claim-spec.ts';

/** The metadata that a template of claims may not have, in the order of the fields in Go. */
const NOT_ALLOWED = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Reported at the template itself, as API servers do. */
const onlyLabels: Check = (metadata, path, report) => {
  const given = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of NOT_ALLOWED) {
    if (!isEmpty(given[name])) report.forbidden(`${path}.${name}`, 'cannot be set');
  }
};

/** The metadata of a template of claims. */
export const claimTemplateMetadata: Check = all(
  fields({ annotations: annotationMap, labels: labelMap }),
  onlyLabels,
);

const claimTemplate: Check = fields({
  metadata: claimTemplateMetadata,
  spec: claimSpecChecks,
});

/** @see pkg/apis/core/validation/validation.go validateEphemeralVolumeSource @ v1.36.3 */
export const ephemeralVolume: Check = fields({ volumeClaimTemplate: required(claimTemplate) });
