import type { FieldCause } from '../../../../meta/failures.ts';
import {
  fieldForbidden,
  fieldImmutable,
  fieldInvalid,
  fieldInvalidSecretly,
  fieldTooLong,
} from '../../rules/field-causes.ts';
import { isRecord, jsonEqual, recordAt, textAt } from '../../rules/json-value.ts';
import { serviceAccountToken } from '../../subresources/service-account-token.ts';
import { type KindRules } from '../contract/kind-rules.ts';
import type { MutableObject } from '../../rules/mutable-object.ts';

/** Maximum size of all values of one object. See pkg/apis/core/types.go MaxSecretSize @ 24a394e. */
const LARGEST_DATA_BYTES = 1024 * 1024;

const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function validateDataMap(object: MutableObject, field: string, base64: boolean): FieldCause[] {
  const data = object[field] ?? {};
  if (!isRecord(data)) return [fieldInvalidSecretly(field, 'must be a map of strings')];
  const causes: FieldCause[] = [];
  for (const [key, value] of Object.entries(data)) {
    const at = `${field}[${key}]`;
    if (!DATA_KEY.test(key) || key === '.' || key === '..') {
      const rule =
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.', at most 253 of them";
      causes.push(fieldInvalid(field, key, rule));
    }
    if (typeof value !== 'string') causes.push(fieldInvalidSecretly(at, 'must be a string'));
    else if (base64 && !BASE64.test(value)) {
      causes.push(fieldInvalidSecretly(at, 'must be base64 encoded'));
    }
  }
  return causes;
}

function validateSize(object: MutableObject, fields: readonly string[]): FieldCause[] {
  let bytes = 0;
  for (const field of fields) {
    for (const value of Object.values(recordAt(object, field) ?? {})) {
      if (typeof value === 'string') bytes += value.length;
    }
  }
  // Base64 text is a third longer than the bytes that it encodes.
  const limit = fields.includes('binaryData') ? LARGEST_DATA_BYTES : (LARGEST_DATA_BYTES * 4) / 3;
  return bytes > limit ? [fieldTooLong(fields[0] ?? '', LARGEST_DATA_BYTES, 'bytes')] : [];
}

/** With `immutable: true`, the data and `immutable` itself cannot change. */
function validateImmutable(
  object: MutableObject,
  existing: MutableObject,
  fields: readonly string[],
): FieldCause[] {
  if (existing['immutable'] !== true) return [];
  const causes: FieldCause[] = [];
  const detail = 'field is immutable when `immutable` is set';
  if (object['immutable'] !== true) causes.push(fieldForbidden('immutable', detail));
  for (const field of fields) {
    if (!jsonEqual(object[field] ?? {}, existing[field] ?? {})) {
      causes.push(fieldForbidden(field, detail));
    }
  }
  return causes;
}

function validateSecret(object: MutableObject): FieldCause[] {
  return [...validateDataMap(object, 'data', true), ...validateSize(object, ['data'])];
}

export const secrets: KindRules = {
  resource: 'secrets',
  strategy: {
    validate: validateSecret,
    validateUpdate(object, existing) {
      const sameType = object['type'] === existing['type'];
      return [
        ...validateSecret(object),
        ...(sameType ? [] : [fieldImmutable('type', object['type'])]),
        ...validateImmutable(object, existing, ['data']),
      ];
    },
  },
  selectableFields: { type: (object) => textAt(object, 'type') },
};

export const serviceAccounts: KindRules = {
  resource: 'serviceaccounts',
  newSubresources: (parts) => ({ token: serviceAccountToken(parts) }),
};
