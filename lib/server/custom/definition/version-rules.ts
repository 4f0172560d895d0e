import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
} from '../../registry/rules/field-causes.ts';
import { recordAt, recordsAt, textAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';
import { isSelectable, schemaAt } from './structure/schema-path.ts';
import { unsupportedMember } from './structure/structural-rules.ts';

const COLUMN_TYPES = 'boolean,date,integer,number,string';
const COLUMN_FORMATS = 'byte,date,date-time,double,float,int32,int64,password';
const MOST_SELECTABLE = 8;
const LONGEST_WARNING = 256;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The deprecation of a version. */
export function deprecationCauses(version: JsonRecord, path: string): FieldCause[] {
  const warning = valueAt(version, 'deprecationWarning');
  if (typeof warning !== 'string') return [];
  return deprecationFaults(version['deprecated'] === true, warning).map((fault) =>
    fieldInvalid(`${path}.deprecationWarning`, warning, fault),
  );
}

function deprecationFaults(deprecated: boolean, warning: string): string[] {
  if (!deprecated) return ['can only be set for deprecated versions'];
  const faults: string[] = [];
  const bytes = Buffer.byteLength(warning);
  if (bytes > LONGEST_WARNING) faults.push(`must be <= ${LONGEST_WARNING} characters long`);
  if (bytes === 0) faults.push('must not be an empty string');
  let at = 0;
  for (const character of warning) {
    if (!PRINTABLE.test(character)) {
      const rule = 'must only contain printable UTF-8 characters';
      faults.push(`${rule}; non-printable character found at index ${at}`);
      break;
    }
    at += Buffer.byteLength(character);
  }
  return faults;
}

/** The subresource `scale`. */
export function subresourceCauses(subresources: unknown, path: string): FieldCause[] {
  const scale = recordAt(subresources, 'scale');
  if (scale === undefined) return [];
  const causes: FieldCause[] = [];
  for (const [name, root] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const field = `${path}.scale.${name}`;
    const value = textAt(scale, name);
    if (value === '') causes.push(fieldRequired(field));
    else if (!value.startsWith('.')) causes.push(notSimple(field, value));
    else if (!value.startsWith(`${root}.`)) {
      causes.push(fieldInvalid(field, value, `should be a json path under ${root}`));
    }
  }
  const selector = textAt(scale, 'labelSelectorPath');
  const field = `${path}.scale.labelSelectorPath`;
  if (selector !== '' && !selector.startsWith('.')) causes.push(notSimple(field, selector));
  else if (selector !== '' && !/^\.(?:spec|status)\./.test(selector)) {
    const detail = 'should be a json path under either .spec or .status';
    causes.push(fieldInvalid(field, selector, detail));
  }
  return causes;
}

function notSimple(field: string, path: string): FieldCause {
  return fieldInvalid(field, path, 'must be a simple json path starting with .');
}

/** A column of the table. */
export function columnCauses(column: JsonRecord, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  if (textAt(column, 'name') === '') causes.push(fieldRequired(`${path}.name`));
  const type = textAt(column, 'type');
  const types = `must be one of ${COLUMN_TYPES}`;
  if (type === '') causes.push(fieldRequired(`${path}.type`, types));
  else if (!COLUMN_TYPES.split(',').includes(type)) {
    causes.push(fieldInvalid(`${path}.type`, type, types));
  }
  const format = textAt(column, 'format');
  if (format !== '' && !COLUMN_FORMATS.split(',').includes(format)) {
    causes.push(fieldInvalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS}`));
  }
  const jsonPath = textAt(column, 'jsonPath');
  if (jsonPath === '') causes.push(fieldRequired(`${path}.JSONPath`));
  else if (!jsonPath.startsWith('.')) causes.push(notSimple(`${path}.JSONPath`, jsonPath));
  return causes;
}

/** The fields that selectors may use. `allowsMany`: the stored definition has the same ones already. */
export function selectableFieldCauses(
  fields: readonly JsonRecord[],
  schema: JsonRecord | undefined,
  path: string,
  allowsMany: boolean,
): FieldCause[] {
  if (fields.length === 0 || (schema !== undefined && unsupportedMember(schema) !== undefined)) {
    return [];
  }
  const causes: FieldCause[] = [];
  const seen = new Set<string>();
  for (const [index, one] of fields.entries()) {
    const field = `${path}[${index}].jsonPath`;
    const jsonPath = textAt(one, 'jsonPath');
    if (jsonPath === '') {
      causes.push(fieldRequired(field));
      continue;
    }
    const found = schemaAt(schema ?? {}, jsonPath, false);
    if ('problem' in found) {
      causes.push(fieldInvalid(field, jsonPath, `is an invalid path: ${found.problem}`));
      continue;
    }
    if (found.steps[0] === 'metadata') {
      causes.push(fieldInvalid(field, jsonPath, 'must not point to fields in metadata'));
    }
    if (!isSelectable(found.schema)) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      causes.push(fieldInvalid(field, jsonPath, detail));
    }
    const key = found.steps.join('.');
    if (seen.has(key)) causes.push(fieldDuplicate(field, jsonPath));
    seen.add(key);
  }
  if (seen.size > MOST_SELECTABLE && !allowsMany) {
    causes.push(fieldTooMany(path, seen.size, MOST_SELECTABLE));
  }
  return causes;
}

/** The columns of a version. */
export function columnsCauses(holder: unknown, path: string): FieldCause[] {
  return recordsAt(holder, 'additionalPrinterColumns').flatMap((column, index) =>
    columnCauses(column, `${path}.additionalPrinterColumns[${index}]`),
  );
}
