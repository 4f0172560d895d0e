import type { FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { each, fields } from '../../server/registry/validation/combine.ts';
import { selectorRequirement } from '../../server/registry/validation/label-selector-checks.ts';

/** The attributes of a review. */
export interface ReviewAttributes {
  readonly resource: JsonRecord | undefined;
  readonly nonResource: JsonRecord | undefined;
}

export function attributesOf(review: UnstructuredObject): ReviewAttributes {
  return {
    resource: recordAt(review, 'spec', 'resourceAttributes'),
    nonResource: recordAt(review, 'spec', 'nonResourceAttributes'),
  };
}

/** The faults of a SelfSubjectAccessReview. @see pkg/apis/authorization/validation @ v1.36.3 */
export function selfReviewCauses(review: UnstructuredObject): FieldCause[] {
  return [...attributeCauses(review), ...selectorCauses(review), ...metadataCauses(review, '')];
}

/** The faults of a SubjectAccessReview. */
export function subjectReviewCauses(review: UnstructuredObject): FieldCause[] {
  return [...specCauses(review), ...metadataCauses(review, '')];
}

/** The faults of a LocalSubjectAccessReview in a namespace. */
export function localReviewCauses(review: UnstructuredObject, namespace: string): FieldCause[] {
  const { resource, nonResource } = attributesOf(review);
  const causes = [...specCauses(review), ...metadataCauses(review, namespace)];
  const asked = textAt(resource, 'namespace');
  if (resource !== undefined && asked !== namespace) {
    const rule = 'must match metadata.namespace';
    causes.push(fieldInvalid('spec.resourceAttributes.namespace', asked, rule));
  }
  if (nonResource !== undefined) {
    const rule = 'disallowed on this kind of request';
    causes.push(fieldInvalid('spec.nonResourceAttributes', goForm(nonResource), rule));
  }
  return causes;
}

function attributeCauses(review: UnstructuredObject): FieldCause[] {
  const { resource, nonResource } = attributesOf(review);
  if (resource !== undefined && nonResource !== undefined) {
    const rule = 'cannot be specified in combination with resourceAttributes';
    return [fieldInvalid('spec.nonResourceAttributes', goForm(nonResource), rule)];
  }
  if (resource !== undefined || nonResource !== undefined) return [];
  const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [fieldInvalid('spec.resourceAttributes', null, rule)];
}

/** The attributes with the names of their Go fields, as messages show them. */
function goForm(nonResource: JsonRecord): object {
  return { Path: textAt(nonResource, 'path'), Verb: textAt(nonResource, 'verb') };
}

function specCauses(review: UnstructuredObject): FieldCause[] {
  const causes = attributeCauses(review);
  const named = textAt(review, 'spec', 'user') !== '';
  if (!named && textsAt(review, 'spec', 'groups').length === 0) {
    causes.push(fieldInvalid('spec.user', '', 'at least one of user or group must be specified'));
  }
  return [...causes, ...selectorCauses(review)];
}

const selector =
  (requirement: Check): Check =>
  (value, path, report) => {
    const raw = textAt(value, 'rawSelector');
    const count = recordsAt(value, 'requirements').length;
    if (raw !== '' && count > 0) {
      const rule = 'may not specified at the same time as requirements';
      report.add(fieldInvalid(`${path}.rawSelector`, raw, rule));
    }
    if (value !== undefined && raw === '' && count === 0) {
      const rule = `when ${path} is specified, requirements or rawSelector is required`;
      report.add(fieldRequired(`${path}.requirements`, rule));
    }
    fields({ requirements: each(requirement) })(value, path, report);
  };

const fieldRequirement: Check = (value, path, report) => {
  if (textAt(value, 'key') === '') report.add(fieldRequired(`${path}.key`, 'must be specified'));
  const operator = textAt(value, 'operator');
  const count = textsAt(value, 'values').length;
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    const rule = "must be specified when `operator` is 'In' or 'NotIn'";
    report.add(fieldRequired(`${path}.values`, rule));
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    const rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    report.add(fieldForbidden(`${path}.values`, rule));
  }
};

/** Operators that this server does not know may come from newer clients. */
const selectors = fields({
  spec: fields({
    resourceAttributes: fields({
      fieldSelector: selector(fieldRequirement),
      labelSelector: selector(selectorRequirement({ anyOperator: true })),
    }),
  }),
});

function selectorCauses(review: UnstructuredObject): FieldCause[] {
  return causesOf(selectors, review);
}

/** A review has no metadata; a local one has its namespace. */
function metadataCauses(review: UnstructuredObject, namespace: string): FieldCause[] {
  const { namespace: _own, managedFields: _fields, ...rest } = recordAt(review, 'metadata') ?? {};
  if (Object.keys(rest).length === 0) return [];
  const rule = namespace === '' ? 'must be empty' : 'must be empty except for namespace';
  return [fieldInvalid('metadata', rest, rule)];
}
