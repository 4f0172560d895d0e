import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  fieldImmutable,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../registry/rules/field-causes.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';
import { approvalCauses } from './api-approval.ts';
import { commonMembers, versionsGoForm, type CommonMembers } from './common-members.ts';
import { hasCondition, versionsOf } from './custom-resource-definition.ts';
import { conversionCauses } from './conversion-rules.ts';
import { defaultCauses } from './default-rules.ts';
import { groupCauses, labelFaults, nameCauses, requiredNameCauses } from './name-rules.ts';
import { rootCauses, schemaCauses } from './structure/schema-rules.ts';
import { someSchema } from './structure/schema-walk.ts';
import { STRICT, strictUpdate, toleranceOf, type Tolerance } from './tolerance.ts';
import { structuralCauses, unsupportedMember } from './structure/structural-rules.ts';
import {
  columnsCauses,
  deprecationCauses,
  selectableFieldCauses,
  subresourceCauses,
} from './version-rules.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** @see apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go @ v0.36.3 */
export function validateDefinition(definition: MutableObject): FieldCause[] {
  const spec = recordAt(definition, 'spec') ?? {};
  const name = `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`;
  const { metadata } = definition;
  const wrongName =
    (metadata.name ?? '') === name
      ? []
      : [fieldInvalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')];
  return [...wrongName, ...commonCauses(definition, undefined, STRICT)];
}

export function validateDefinitionUpdate(
  definition: MutableObject,
  existing: MutableObject,
): FieldCause[] {
  // An update that breaks no rule needs no tolerance, for which the stored definition is checked too.
  const causes = commonCauses(definition, existing, strictUpdate(existing));
  if (causes.length === 0) return causes;
  return commonCauses(definition, existing, toleranceOf(definition, existing));
}

/** The status of a definition, through its own subresource. */
export function validateDefinitionStatus(definition: MutableObject): FieldCause[] {
  return nameCauses(recordAt(definition, 'status', 'acceptedNames'), 'status.acceptedNames');
}

function commonCauses(
  definition: MutableObject,
  existing: MutableObject | undefined,
  tolerance: Tolerance,
): FieldCause[] {
  return [
    ...specCauses(recordAt(definition, 'spec') ?? {}, tolerance),
    ...(existing === undefined ? [] : immutableCauses(definition, existing)),
    ...validateDefinitionStatus(definition),
    ...storedVersionCauses(definition),
    ...approvalCauses(definition, existing),
    ...preserveCauses(definition, existing),
  ];
}

function specCauses(spec: JsonRecord, tolerance: Tolerance): FieldCause[] {
  const versions = recordsAt(spec, 'versions');
  const common = commonMembers(versions);
  const names = recordAt(spec, 'names');
  const causes = [...groupCauses(textAt(spec, 'group')), ...scopeCauses(textAt(spec, 'scope'))];
  causes.push(...missingSchemaCauses(versions, common, tolerance));
  const preserves = spec['preserveUnknownFields'] === true;
  const schemas = versions.map((version) => recordAt(version, 'schema', 'openAPIV3Schema'));
  const hasDefaults = schemas.some((schema) => hasDefault(schema));
  if (preserves && hasDefaults) {
    const detail = 'must be false in order to use defaults in the schema';
    causes.push(fieldInvalid('spec.preserveUnknownFields', true, detail));
  }
  const structural =
    !preserves || hasDefaults || tolerance.requiresStructure || schemas.some(hasExtension);
  for (const [index, version] of versions.entries()) {
    causes.push(...versionCauses(version, index, common, { ...tolerance, structural }));
  }
  causes.push(...versionListCauses(versions, common));
  causes.push(...requiredNameCauses(names, 'spec.names'));
  causes.push(...nameCauses(names, 'spec.names'));
  const [first] = versions;
  if (first !== undefined)
    causes.push(...commonMemberCauses(first, versions, common, { ...tolerance, structural }));
  const conversion = recordAt(spec, 'conversion');
  if (preserves && textAt(conversion, 'strategy') !== 'None' && conversion !== undefined) {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    causes.push(fieldInvalid('spec.conversion.strategy', textAt(conversion, 'strategy'), detail));
  }
  return [...causes, ...conversionCauses(conversion, tolerance)];
}

function scopeCauses(scope: string): FieldCause[] {
  if (scope === '') return [fieldRequired('spec.scope')];
  return SCOPES.includes(scope) ? [] : [fieldNotSupported('spec.scope', scope, SCOPES)];
}

function missingSchemaCauses(
  versions: readonly JsonRecord[],
  common: CommonMembers,
  { requiresSchema }: Tolerance,
): FieldCause[] {
  const [first] = versions;
  if (common.schema && recordAt(first, 'schema', 'openAPIV3Schema') !== undefined) return [];
  return versions.flatMap((version, index) => {
    const needsOne = requiresSchema || version['served'] === true;
    const has = !common.schema && recordAt(version, 'schema', 'openAPIV3Schema') !== undefined;
    if (!needsOne || has) return [];
    const detail = requiresSchema ? '' : 'because otherwise all fields are pruned';
    return [fieldRequired(`spec.versions[${index}].schema.openAPIV3Schema`, detail)];
  });
}

function hasDefault(schema: JsonRecord | undefined): boolean {
  return someSchema(schema, (one) => valueAt(one, 'default') !== undefined);
}

const EXTENSIONS = [
  'embedded-resource',
  'preserve-unknown-fields',
  'int-or-string',
  'list-map-keys',
  'list-type',
  'validations',
].map((name) => `x-kubernetes-${name}`);

function hasExtension(schema: JsonRecord | undefined): boolean {
  return someSchema(schema, (one) => EXTENSIONS.some((name) => valueAt(one, name) !== undefined));
}

type VersionTolerance = Tolerance & { readonly structural: boolean };

function versionCauses(
  version: JsonRecord,
  index: number,
  common: CommonMembers,
  tolerance: VersionTolerance,
): FieldCause[] {
  const path = `spec.versions[${index}]`;
  const name = textAt(version, 'name');
  const causes: FieldCause[] = [];
  const faults = labelFaults(name);
  if (faults !== '') causes.push(fieldInvalid(`${path}.name`, name, faults));
  causes.push(...deprecationCauses(version, path));
  if (!common.schema) {
    const status = recordAt(version, 'subresources', 'status') !== undefined;
    causes.push(...validationCauses(version['schema'], `${path}.schema`, status, tolerance));
  }
  if (!common.subresources) {
    causes.push(...subresourceCauses(version['subresources'], `${path}.subresources`));
  }
  if (!common.additionalPrinterColumns) causes.push(...columnsCauses(version, path));
  const selectable = recordsAt(version, 'selectableFields');
  if (common.selectableFields || selectable.length === 0) return causes;
  const field = `${path}.selectableFields`;
  const schema = common.schema ? undefined : recordAt(version, 'schema', 'openAPIV3Schema');
  if (schema === undefined) {
    const detail = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [...causes, fieldInvalid(field, '', detail)];
  }
  const allowsMany = tolerance.manySelectable.has(name);
  return [...causes, ...selectableFieldCauses(selectable, schema, field, allowsMany)];
}

/** The common fields of the versions, at their places inside of API servers. */
function commonMemberCauses(
  first: JsonRecord,
  versions: readonly JsonRecord[],
  common: CommonMembers,
  tolerance: VersionTolerance,
): FieldCause[] {
  const causes: FieldCause[] = [];
  if (common.schema) {
    const status = versions.some((one) => recordAt(one, 'subresources', 'status') !== undefined);
    causes.push(...validationCauses(first['schema'], 'spec.validation', status, tolerance));
  }
  if (common.subresources) {
    causes.push(...subresourceCauses(first['subresources'], 'spec.subresources'));
  }
  if (common.additionalPrinterColumns) causes.push(...columnsCauses(first, 'spec'));
  const selectable = recordsAt(first, 'selectableFields');
  if (!common.selectableFields || selectable.length === 0) return causes;
  const field = 'spec.selectableFields';
  if (!common.schema || recordAt(first, 'schema') === undefined) {
    const detail = 'may only be set when validations.schema is included';
    return [...causes, fieldInvalid(field, '', detail)];
  }
  const schema = recordAt(first, 'schema', 'openAPIV3Schema');
  const allowsMany = tolerance.manySelectable.has(textAt(first, 'name'));
  return [...causes, ...selectableFieldCauses(selectable, schema, field, allowsMany)];
}

function validationCauses(
  validation: unknown,
  path: string,
  hasStatus: boolean,
  tolerance: VersionTolerance,
): FieldCause[] {
  const schema = recordAt(validation, 'openAPIV3Schema');
  if (schema === undefined) return [];
  const field = `${path}.openAPIV3Schema`;
  const causes = rootCauses(schema, field, hasStatus);
  const unsupported = tolerance.structural ? unsupportedMember(schema) : undefined;
  if (tolerance.structural && unsupported === undefined) {
    const structural = structuralCauses(schema, field);
    causes.push(
      ...(structural.length > 0
        ? structural
        : defaultCauses(schema, field, tolerance.requiresPrunedDefaults)),
    );
  }
  causes.push(...schemaCauses(schema, field, tolerance));
  if (causes.length > 0 || unsupported === undefined) return causes;
  return [fieldInvalid(field, '', unsupported)];
}

function versionListCauses(versions: readonly JsonRecord[], common: CommonMembers): FieldCause[] {
  const names = versions.map((version) => textAt(version, 'name'));
  const wrong = (detail: string): FieldCause =>
    fieldInvalid(
      'spec.versions',
      versions.length === 0 ? [] : versionsGoForm(versions, common),
      detail,
    );
  const causes: FieldCause[] = [];
  if (new Set(names).size < names.length) causes.push(wrong('must contain unique version names'));
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    causes.push(wrong('must have exactly one version marked as storage version'));
  }
  const [name = ''] = names;
  const faults = name === '' ? '' : labelFaults(name);
  if (faults !== '') causes.push(fieldInvalid('spec.version', name, faults));
  return causes;
}

function immutableCauses(definition: MutableObject, existing: MutableObject): FieldCause[] {
  const established = hasCondition(existing, 'Established');
  const paths = [
    ...(established ? [['scope'], ['names', 'kind']] : []),
    ['group'],
    ['names', 'plural'],
  ];
  return paths.flatMap((path) => {
    const value = valueAt(definition, 'spec', ...path);
    const same = value === valueAt(existing, 'spec', ...path);
    return same ? [] : [fieldImmutable(['spec', ...path].join('.'), value)];
  });
}

function storedVersionCauses(definition: MutableObject): FieldCause[] {
  const stored = textsAt(definition, 'status', 'storedVersions');
  const field = 'status.storedVersions';
  if (stored.length === 0) {
    const given = valueAt(definition, 'status', 'storedVersions') ?? null;
    return [fieldInvalid(field, given, 'must have at least one stored version')];
  }
  const versions = versionsOf(definition);
  const causes: FieldCause[] = [];
  for (const version of versions) {
    const name = textAt(version, 'name');
    if (version['storage'] !== true || stored.includes(name)) continue;
    causes.push(fieldInvalid(field, stored, `must have the storage version ${name}`));
  }
  const names = new Set(versions.map((version) => textAt(version, 'name')));
  for (const [index, name] of stored.entries()) {
    if (names.has(name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    causes.push(fieldInvalid(`${field}[${index}]`, name, detail));
  }
  return causes;
}

function preserveCauses(
  definition: MutableObject,
  existing: MutableObject | undefined,
): FieldCause[] {
  const preserves = (one: unknown): boolean =>
    valueAt(one, 'spec', 'preserveUnknownFields') === true;
  if (!preserves(definition) || preserves(existing)) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [fieldInvalid('spec.preserveUnknownFields', true, detail)];
}
