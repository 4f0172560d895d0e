import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { schemaGoForm } from './structure/schema-go-form.ts';

/** Inside of API servers, the common fields of all versions are fields of the definition itself. */
export interface CommonMembers {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly additionalPrinterColumns: boolean;
  readonly selectableFields: boolean;
}

/** @see apiextensions-apiserver pkg/apis/apiextensions/v1/conversion.go @ v0.36.3 */
export function commonMembers(versions: readonly JsonRecord[]): CommonMembers {
  const [first] = versions;
  const isCommon = (name: keyof CommonMembers): boolean =>
    first !== undefined &&
    versions.every((version) => jsonEqual(valueAt(version, name), valueAt(first, name)));
  return {
    schema: isCommon('schema'),
    subresources: isCommon('subresources'),
    additionalPrinterColumns: isCommon('additionalPrinterColumns'),
    selectableFields: isCommon('selectableFields'),
  };
}

/** Versions as kube-apiserver prints its internal type. */
export function versionsGoForm(
  versions: readonly JsonRecord[],
  common: CommonMembers,
): readonly JsonRecord[] {
  return versions.map((version) => ({
    Name: version['name'] ?? '',
    Served: version['served'] ?? false,
    Storage: version['storage'] ?? false,
    Deprecated: version['deprecated'] ?? false,
    DeprecationWarning: version['deprecationWarning'] ?? null,
    Schema: common.schema ? null : validationForm(recordAt(version, 'schema')),
    Subresources: common.subresources ? null : subresourcesForm(version['subresources']),
    AdditionalPrinterColumns: common.additionalPrinterColumns
      ? null
      : listForm(version, 'additionalPrinterColumns', columnForm),
    SelectableFields: common.selectableFields
      ? null
      : listForm(version, 'selectableFields', (one) => ({ JSONPath: one['jsonPath'] ?? '' })),
  }));
}

function validationForm(schema: JsonRecord | undefined): unknown {
  if (schema === undefined) return null;
  const declared = recordAt(schema, 'openAPIV3Schema');
  return { OpenAPIV3Schema: declared === undefined ? null : schemaGoForm(declared) };
}

function subresourcesForm(value: unknown): unknown {
  if (!isRecord(value)) return null;
  const scale = recordAt(value, 'scale');
  return {
    Status: recordAt(value, 'status') === undefined ? null : {},
    Scale:
      scale === undefined
        ? null
        : {
            SpecReplicasPath: scale['specReplicasPath'] ?? '',
            StatusReplicasPath: scale['statusReplicasPath'] ?? '',
            LabelSelectorPath: scale['labelSelectorPath'] ?? null,
          },
  };
}

function listForm(
  version: JsonRecord,
  name: string,
  form: (one: JsonRecord) => JsonRecord,
): unknown {
  const list = recordsAt(version, name);
  return list.length === 0 ? null : list.map(form);
}

function columnForm(column: JsonRecord): JsonRecord {
  return {
    Name: column['name'] ?? '',
    Type: column['type'] ?? '',
    Format: column['format'] ?? '',
    Description: column['description'] ?? '',
    Priority: column['priority'] ?? 0,
    JSONPath: column['jsonPath'] ?? '',
  };
}
