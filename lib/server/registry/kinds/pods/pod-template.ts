import { isRecord } from '../../rules/json-value.ts';
import type { Check } from '../../validation/check.ts';
import { validatePodSpec } from './pod-spec.ts';

/**
 * The rules of a pod template. Which restart policies its kind allows is a rule of the kind.
 * @see pkg/apis/core/validation/validation.go ValidatePodTemplateSpec @ v1.36.3
 */
export const podTemplateChecks: Check = (template, path, report) => {
  const spec = isRecord(template) ? template['spec'] : undefined;
  for (const cause of validatePodSpec(isRecord(spec) ? spec : {}, `${path}.spec`)) {
    report.add(cause);
  }
};
