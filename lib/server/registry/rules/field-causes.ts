import type { FieldCause } from '../../../meta/failure/failures.ts';
import { goNumber } from './go-number.ts';
import { goJson, goQuote } from './go-text.ts';

/** Whole, as an API server shows values; the size of the body of a request limits it. */
function quote(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  return typeof value === 'number' ? goNumber(value) : goJson(value);
}

function cause(reason: FieldCause['reason'], field: string, message: string): FieldCause {
  return { reason, message, field };
}

function withDetail(message: string, detail: string): string {
  return detail === '' ? message : `${message}: ${detail}`;
}

// One function for each rule. The wording is that of every API server, because tools match on these texts.

export function fieldRequired(field: string, detail: string = ''): FieldCause {
  return cause('FieldValueRequired', field, withDetail('Required value', detail));
}

export function fieldInvalid(field: string, value: unknown, detail: string): FieldCause {
  return cause('FieldValueInvalid', field, withDetail(`Invalid value: ${quote(value)}`, detail));
}

/** Like `fieldInvalid`, for a place without a value of its own to show. */
export function fieldInvalidHere(field: string, detail: string): FieldCause {
  return cause('FieldValueInvalid', field, withDetail('Invalid value', detail));
}

export function fieldNonNegative(field: string, value: number): FieldCause {
  return fieldInvalid(field, value, 'must be greater than or equal to 0');
}

export function fieldTypeInvalid(field: string, value: unknown, detail: string): FieldCause {
  return cause(
    'FieldValueTypeInvalid',
    field,
    withDetail(`Invalid value: ${quote(value)}`, detail),
  );
}

export function fieldNotSupported(
  field: string,
  value: unknown,
  supported: readonly unknown[],
): FieldCause {
  const list = supported.map(quote).join(', ');
  return cause(
    'FieldValueNotSupported',
    field,
    `Unsupported value: ${quote(value)}: supported values: ${list}`,
  );
}

export function fieldForbidden(field: string, detail: string): FieldCause {
  return cause('FieldValueForbidden', field, withDetail('Forbidden', detail));
}

/** A rule that could not be decided, because of another fault of the object. */
export function fieldInternalError(field: string, detail: string): FieldCause {
  return cause('InternalError', field, `Internal error: ${detail}`);
}

export function fieldDuplicate(field: string, value: unknown): FieldCause {
  return cause('FieldValueDuplicate', field, `Duplicate value: ${quote(value)}`);
}

/** A cause with more words. */
export function withDetailOf(cause: FieldCause, detail: string): FieldCause {
  return { ...cause, message: `${cause.message}: ${detail}` };
}

export function fieldTooLong(field: string, limit: number, unit: string): FieldCause {
  return cause('FieldValueTooLong', field, `Too long: may not be more than ${limit} ${unit}`);
}

export function fieldTooMany(field: string, count: number, limit: number): FieldCause {
  const items = limit === 1 ? 'item' : 'items';
  return cause(
    'FieldValueTooMany',
    field,
    `Too many: ${count}: must have at most ${limit} ${items}`,
  );
}

export function fieldImmutable(field: string, value: unknown): FieldCause {
  return fieldInvalid(field, value, 'field is immutable');
}

export function fieldNotFound(field: string, value: unknown): FieldCause {
  return cause('FieldValueNotFound', field, `Not found: ${quote(value)}`);
}
