import type { FieldCause } from '../../../../meta/failure/failures.ts';
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../../registry/rules/field-causes.ts';
import { recordsAt, textAt, valueAt, type JsonRecord } from '../../../../meta/json-value.ts';
import { schemaAt } from './schema-path.ts';
import { unsupportedMember } from './structural-rules.ts';

const NEWLINE = /[\n\r]/;
const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** Checks of rules in CEL that do not parse CEL: texts, reasons and paths. */
export function celRuleCauses(schema: JsonRecord, path: string): FieldCause[] {
  return recordsAt(schema, 'x-kubernetes-validations').flatMap((rule, index) =>
    ruleCauses(schema, rule, `${path}.x-kubernetes-validations[${index}]`),
  );
}

function ruleCauses(schema: JsonRecord, rule: JsonRecord, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  const text = textAt(rule, 'rule').trim();
  const message = textAt(rule, 'message');
  const plain = message.trim();
  if (text === '') causes.push(fieldRequired(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && plain === '') {
    causes.push(fieldInvalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (NEWLINE.test(plain)) {
    causes.push(fieldInvalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (NEWLINE.test(text) && plain === '') {
    const detail = 'message must be specified if rule contains line breaks';
    causes.push(fieldRequired(`${path}.message`, detail));
  }
  const expression = textAt(rule, 'messageExpression');
  if (expression !== '' && expression.trim() === '') {
    const detail = 'messageExpression must be non-empty if specified';
    causes.push(fieldRequired(`${path}.messageExpression`, detail));
  }
  const reason = valueAt(rule, 'reason');
  if (reason !== undefined && !REASONS.includes(reason as string)) {
    causes.push(fieldNotSupported(`${path}.reason`, reason, REASONS));
  }
  const fieldPath = textAt(rule, 'fieldPath');
  const at = `${path}.fieldPath`;
  if (fieldPath !== '' && fieldPath.trim() === '') {
    causes.push(fieldInvalid(at, fieldPath, 'must be non-empty if specified'));
  }
  if (NEWLINE.test(fieldPath)) {
    causes.push(fieldInvalid(at, fieldPath, 'must not contain line breaks'));
  }
  const isWrong =
    fieldPath !== '' &&
    unsupportedMember(schema) === undefined &&
    'problem' in schemaAt(schema, fieldPath, true);
  if (isWrong) causes.push(fieldInvalid(at, fieldPath, 'must be a valid path'));
  return causes;
}
