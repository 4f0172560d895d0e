import type { FieldSchema } from '../../../meta/fields/field-schema.ts';
import { isRecord } from '../../../meta/json-value.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { FieldVersions, KindDefinition } from '../contract/kind-definition.ts';
import { groupOf } from './managed-entry.ts';

/**
 * The versions of a kind for the fields of managers. Objects are not converted between groups for their managers, so that those of the
 * other API of events have none.
 * @see apimachinery pkg/util/managedfields/internal/versionconverter.go @ v0.37.2
 */
export function fieldVersionsOf(
  { describe, fieldForms }: KindDefinition,
  schema: FieldSchema,
  schemaOf: (kind: KindDefinition) => FieldSchema,
): FieldVersions {
  if (fieldForms === undefined) {
    const { group } = describe;
    return {
      haveOtherForms: false,
      schemaOf: (apiVersion) => (groupOf(apiVersion) === group ? schema : undefined),
      convert: (object) => object,
    };
  }
  const kindOf = (apiVersion: string): KindDefinition | undefined =>
    fieldForms().find((one) => apiVersionOf(one.describe) === apiVersion);
  return {
    haveOtherForms: true,
    schemaOf: (apiVersion) => {
      const kind = kindOf(apiVersion);
      return kind && schemaOf(kind);
    },
    convert: (object, from, to) => {
      if (!isRecord(object)) return object;
      const stored = kindOf(from)?.conversion?.toStored(object) ?? object;
      const shown = kindOf(to)?.conversion?.fromStored(stored) ?? stored;
      return { ...shown, apiVersion: to };
    },
  };
}
