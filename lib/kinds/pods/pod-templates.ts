import { isRecord, jsonEqual } from '../../meta/json-value.ts';
import { checkedBy } from '../../server/registry/validation/check.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { dropDisabledFields } from './pod-preparation.ts';
import { podTemplateChecks, podTemplateWarnings } from './pod-template.ts';

function specOf(template: unknown): unknown {
  return isRecord(template) ? template['spec'] : undefined;
}

/** @see pkg/registry/core/podtemplate/strategy.go @ v1.36.3 */
export const podTemplates: KindRules = {
  resource: 'podtemplates',
  strategy: {
    ...checkedBy(fields({ template: podTemplateChecks })),
    prepareForCreate(object) {
      dropDisabledFields(specOf(object['template']), undefined);
    },
    prepareForUpdate(object, existing) {
      dropDisabledFields(specOf(object['template']), specOf(existing['template']));
    },
    warnings: (object, existing) =>
      existing !== undefined && jsonEqual(object['template'], existing['template'])
        ? []
        : podTemplateWarnings(object['template'], 'template'),
  },
};
