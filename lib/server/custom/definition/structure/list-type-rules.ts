import type { FieldCause } from '../../../../meta/failure/failures.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../../registry/rules/field-causes.ts';
import {
  recordAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../../meta/json-value.ts';
import { itemsGoForm } from './schema-go-form.ts';
import { typeForExtension } from './type-for-extension.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';
const ATOMIC_ITEM = 'must be atomic as item of a list with x-kubernetes-list-type=set';
const LIST_TYPES = ['atomic', 'set', 'map'];

/** The rules for kinds of lists: sets, and maps by keys. */
export function listTypeCauses(
  schema: JsonRecord,
  path: string,
  requiresAtomicSets: boolean,
): FieldCause[] {
  const causes: FieldCause[] = [];
  const listType = valueAt(schema, LIST_TYPE);
  const at = `${path}.${LIST_TYPE}`;
  if (listType !== undefined) {
    const wrongType = typeForExtension(schema, path, 'array', LIST_TYPE);
    causes.push(...wrongType);
    if (wrongType.length === 0 && requiresAtomicSets && listType === 'set') {
      causes.push(...atomicItemCauses(schema, path));
    }
    if (!LIST_TYPES.includes(listType as string)) {
      causes.push(fieldNotSupported(at, listType, LIST_TYPES));
    }
  }
  const keys = textsAt(schema, MAP_KEYS);
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${MAP_KEYS} is non-empty`;
    causes.push(
      listType === undefined ? fieldRequired(at, detail) : fieldInvalid(at, listType, detail),
    );
  }
  if (listType === 'map') causes.push(...mapCauses(schema, path, keys));
  return causes;
}

function atomicItemCauses(schema: JsonRecord, path: string): FieldCause[] {
  const items = recordAt(schema, 'items');
  const listType = valueAt(items, LIST_TYPE);
  const type = textAt(items, 'type');
  if (type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [fieldInvalid(`${path}.items.${LIST_TYPE}`, listType, ATOMIC_ITEM)];
  }
  if (type === 'object' && textAt(items, 'x-kubernetes-map-type') !== 'atomic') {
    return [fieldInvalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, ATOMIC_ITEM)];
  }
  return [];
}

function mapCauses(schema: JsonRecord, path: string, keys: readonly string[]): FieldCause[] {
  const causes: FieldCause[] = [];
  const rule = `if ${LIST_TYPE} is map`;
  if (keys.length === 0) {
    causes.push(fieldRequired(`${path}.${MAP_KEYS}`, `must not be empty ${rule}`));
  }
  const given = valueAt(schema, 'items');
  const items = recordAt(schema, 'items');
  if (given === undefined) {
    causes.push(fieldRequired(`${path}.items`, `must have a schema ${rule}`));
  } else if (items === undefined) {
    const detail = `must only have a single schema ${rule}`;
    causes.push(fieldInvalid(`${path}.items`, itemsGoForm(given), detail));
  }
  if (items === undefined) return causes;
  const type = textAt(items, 'type');
  if (type !== 'object') {
    const detail = `must be object if parent array's ${LIST_TYPE} is map`;
    causes.push(fieldInvalid(`${path}.items.type`, type, detail));
    return causes;
  }
  for (const [index, key] of keys.entries()) {
    const property = recordAt(items, 'properties', key);
    const field = `${path}.${MAP_KEYS}`;
    if (property === undefined) {
      causes.push(fieldInvalid(field, keys, 'entries must all be names of item properties'));
    } else if (['array', 'object'].includes(textAt(property, 'type'))) {
      const detail = `must be a scalar type if parent array's ${LIST_TYPE} is map`;
      causes.push(fieldInvalid(`${path}.items.properties[${key}].type`, type, detail));
    }
    if (keys.indexOf(key) < index) {
      causes.push(fieldInvalid(field, keys, 'must not contain duplicate entries'));
    }
  }
  return causes;
}

/** Items of sets and maps have a value, and keys of maps too. */
export function keysOfListCauses(schema: JsonRecord, path: string): FieldCause[] {
  const items = recordAt(schema, 'items');
  const listType = textAt(schema, LIST_TYPE);
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const causes: FieldCause[] = [];
  if (items['nullable'] === true) {
    const detail = `cannot be nullable when ${LIST_TYPE} is ${listType}`;
    causes.push(fieldForbidden(`${path}.items.nullable`, detail));
  }
  if (listType === 'set') return causes;
  const required = new Set(textsAt(items, 'required'));
  for (const key of textsAt(schema, MAP_KEYS)) {
    const property = recordAt(items, 'properties', key);
    if (property === undefined) continue;
    const field = `${path}.items.properties[${key}]`;
    const because = `this property is in ${MAP_KEYS}, so it`;
    if (!required.has(key) && valueAt(property, 'default') === undefined) {
      const detail = `${because} must have a default or be a required property`;
      causes.push(fieldRequired(`${field}.default`, detail));
    }
    if (property['nullable'] === true) {
      causes.push(fieldForbidden(`${field}.nullable`, `${because} cannot be nullable`));
    }
  }
  return causes;
}
