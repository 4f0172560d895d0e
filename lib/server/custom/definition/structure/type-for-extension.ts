import type { FieldCause } from '../../../../meta/failure/failures.ts';
import { fieldInvalid, fieldRequired } from '../../../registry/rules/field-causes.ts';
import { textAt, type JsonRecord } from '../../../../meta/json-value.ts';

/** An extension that is for one type only. */
export function typeForExtension(
  schema: JsonRecord,
  path: string,
  wanted: string,
  extension: string,
): FieldCause[] {
  const type = textAt(schema, 'type');
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${extension} is specified`;
  if (type === '') return [fieldRequired(`${path}.type`, detail)];
  return [fieldInvalid(`${path}.type`, type, detail)];
}
