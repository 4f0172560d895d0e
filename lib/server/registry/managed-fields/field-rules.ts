import { emptyObject } from '../../../meta/fields/empty-object.ts';
import { AddedFields } from '../../../meta/fields/added-fields.ts';
import { deepFreeze } from '../../../kernel/data/deep-freeze.ts';
import { DEDUCED, messageSchema } from '../../../meta/fields/field-schema.ts';
import {
  fieldAt,
  recursiveDifference,
  sortedSet,
  union,
  type FieldSet,
} from '../../../meta/fields/field-set.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import type { FieldRules, KindDefinition } from '../contract/kind-definition.ts';
import { ownFields, type FieldFilter } from './field-updater.ts';
import { fieldVersionsOf } from './field-versions.ts';

const STATUS = fieldAt('status');
const SPEC = fieldAt('spec');
const SPEC_AND_METADATA = union(SPEC, fieldAt('metadata'));

const LABELS = fieldAt('metadata', 'labels');
const POD_METADATA = union(
  fieldAt('metadata', 'deletionTimestamp'),
  fieldAt('metadata', 'ownerReferences'),
);

/** The fields that `status` of a built-in kind resets, where there are more than the spec. @see `GetResetFields` of the strategies @ 1.36.3 */
const RESET_BY_STATUS: Readonly<Record<string, FieldSet>> = {
  'admissionregistration.k8s.io/validatingadmissionpolicies': SPEC_AND_METADATA,
  'apiregistration.k8s.io/apiservices': SPEC_AND_METADATA,
  'apps/deployments': union(SPEC, LABELS),
  'certificates.k8s.io/certificatesigningrequests': union(SPEC, fieldAt('status', 'conditions')),
  'certificates.k8s.io/podcertificaterequests': SPEC_AND_METADATA,
  'flowcontrol.apiserver.k8s.io/flowschemas': SPEC_AND_METADATA,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': SPEC_AND_METADATA,
  'networking.k8s.io/servicecidrs': SPEC_AND_METADATA,
  '/pods': union(SPEC, POD_METADATA),
  'resource.k8s.io/devicetaintrules': SPEC_AND_METADATA,
  'resource.k8s.io/resourceclaims': SPEC_AND_METADATA,
  'storage.k8s.io/csinodes': SPEC_AND_METADATA,
  'storage.k8s.io/volumeattachments': SPEC_AND_METADATA,
  'storagemigration.k8s.io/storageversionmigrations': SPEC_AND_METADATA,
};

/** The fields that the object itself resets, where there are more than the status. */
const RESET_BY_OBJECT: Readonly<Record<string, FieldSet>> = {
  'certificates.k8s.io/certificatesigningrequests': union(SPEC, STATUS),
};

const without =
  (reset: FieldSet): FieldFilter =>
  (fields) =>
    recursiveDifference(fields, reset);

/** Of the subresources besides `status`; others count all fields. @see `GetResetFields` of the storages @ 1.36.3 */
const FILTERS: readonly (readonly [subresource: string, filter: FieldFilter])[] = [
  ['approval', without(union(SPEC, fieldAt('status', 'certificate')))],
  ['finalize', without(STATUS)],
];

const all: FieldFilter = (fields) => fields;

/** The rules of a kind: by the schema of its definition, by the types of the built-in kinds, or by the values alone. */
export function fieldRulesOf(kind: KindDefinition): FieldRules {
  return (kind.fieldRules ??= newFieldRules(kind));
}

function newFieldRules(kind: KindDefinition): FieldRules {
  const { describe, fieldSchema, statusStrategy } = kind;
  const apiVersion = apiVersionOf(describe);
  const typeMeta = { apiVersion, kind: describe.kind };
  const message =
    fieldSchema === undefined ? builtInTypes().kind(apiVersion, describe.kind) : undefined;
  const name = `${describe.group}/${describe.resource}`;
  const ofStatus = message === undefined ? SPEC_AND_METADATA : (RESET_BY_STATUS[name] ?? SPEC);
  const ofObject = RESET_BY_OBJECT[name] ?? STATUS;
  const filters = new Map([
    ...FILTERS,
    ['', statusStrategy === undefined ? all : without(ofObject)],
    ['status', without(ofStatus)],
  ]);
  const filterOf = (subresource: string): FieldFilter => filters.get(subresource) ?? all;
  const schema = fieldSchema ?? (message === undefined ? DEDUCED : messageSchema(message));
  const empty = message === undefined ? typeMeta : { ...typeMeta, ...emptyObject(message) };
  return {
    schema,
    versions: fieldVersionsOf(kind, schema, (one) => fieldRulesOf(one).schema),
    empty,
    created: new AddedFields(schema, empty, (fields) =>
      deepFreeze(sortedSet(ownFields(fields, filterOf('')))),
    ),
    filterOf,
  };
}
