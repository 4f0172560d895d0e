import type { MessageField, MessageType } from '../types/message-type.ts';

/** How the items of a list are identified. `atomic`: not at all, the list is one value. */
export interface ListSchema {
  readonly relationship: 'atomic' | 'set' | 'map';
  /** The fields that identify an item of a list of the relationship `map`. */
  readonly keys: readonly string[];
  /** The same in alphabetical order. */
  readonly sortedKeys: readonly string[];
  /** The default of a key; undefined when there is none. */
  keyDefault(key: string): unknown;
  readonly element: FieldSchema;
}

export interface MapSchema {
  /** Whether the map is one value. */
  readonly atomic: boolean;
  /** The schema of a field that the type declares. */
  declared(name: string): FieldSchema | undefined;
  /** The schema of all other fields; undefined when there may be none. */
  readonly element: FieldSchema | undefined;
}

/** `untyped`: any of the others. */
export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped';

/**
 * The facts about a value that server-side apply needs: whether it may be a scalar, a list or a map, and how these merge. Values of
 * built-in kinds are one of the three. Values without a schema may be each of them.
 */
export interface FieldSchema {
  readonly scalar?: ScalarType | undefined;
  readonly list?: ListSchema | undefined;
  readonly map?: MapSchema | undefined;
}

export const SCALAR: FieldSchema = { scalar: 'untyped' };
export const TEXT: FieldSchema = { scalar: 'string' };
export const NUMERIC: FieldSchema = { scalar: 'numeric' };
export const BOOLEAN: FieldSchema = { scalar: 'boolean' };

/** A value of any type that is replaced as a whole. */
const UNTYPED: FieldSchema = {
  scalar: 'untyped',
  get list(): ListSchema {
    return ATOMIC_LIST;
  },
  get map(): MapSchema {
    return { atomic: true, declared: () => undefined, element: UNTYPED };
  },
};

const ATOMIC_LIST: ListSchema = {
  relationship: 'atomic',
  keys: [],
  sortedKeys: [],
  keyDefault: () => undefined,
  element: UNTYPED,
};

/** A value of any type: its maps merge field by field, its lists are replaced. */
export const DEDUCED: FieldSchema = {
  scalar: 'untyped',
  list: ATOMIC_LIST,
  get map(): MapSchema {
    return DEDUCED_MAP;
  },
};

const DEDUCED_MAP: MapSchema = { atomic: false, declared: () => undefined, element: DEDUCED };

/** A map whose fields merge, with a schema for all of them. */
export function mapOf(element: FieldSchema, atomic = false): FieldSchema {
  return { map: { atomic, declared: () => undefined, element } };
}

export function listOf(
  element: FieldSchema,
  list: Partial<Omit<ListSchema, 'sortedKeys'>> = {},
): FieldSchema {
  const sortedKeys = (list.keys ?? []).toSorted();
  return { list: { ...ATOMIC_LIST, ...list, sortedKeys, element } };
}

/** The schema of a built-in type. Each part is made when it is first looked at. */
export function messageSchema(
  message: MessageType,
  atomic: boolean = message.mergeType === 'atomic',
): FieldSchema {
  if (message.isUnion) return DEDUCED;
  const fields = new Map<string, FieldSchema>();
  const declared = (name: string): FieldSchema | undefined => {
    const known = fields.get(name);
    if (known !== undefined) return known;
    const field = message.byName.get(name);
    const schema = field === undefined ? typeMeta(message, name) : fieldSchema(field);
    if (schema !== undefined) fields.set(name, schema);
    return schema;
  };
  return { map: { atomic, declared, element: undefined } };
}

function typeMeta(message: MessageType, name: string): FieldSchema | undefined {
  const isTypeMeta = (message.hasTypeMeta || message.isKind) && /^(?:apiVersion|kind)$/.test(name);
  return isTypeMeta ? TEXT : undefined;
}

function fieldSchema(field: MessageField): FieldSchema {
  const value =
    field.message === undefined ? valueSchema(field.type) : messageSchema(field.message);
  if (field.shape === 'map') return mapOf(value, field.mergeType === 'atomic');
  if (field.shape === 'list') return listOf(value, listRules(field));
  if (field.mergeType === 'atomic' && field.message !== undefined) {
    return messageSchema(field.message, true);
  }
  return value;
}

function listRules({
  mergeType,
  listKeys,
  message,
}: MessageField): Partial<Omit<ListSchema, 'sortedKeys'>> {
  if (mergeType !== 'map' && mergeType !== 'set') return {};
  return {
    relationship: mergeType,
    keys: listKeys,
    keyDefault: (key) => message?.byName.get(key)?.declaredDefault,
  };
}

function valueSchema(type: string): FieldSchema {
  switch (type) {
    case 'string':
    case 'bytes':
      return TEXT;
    case 'bool':
      return BOOLEAN;
    case 'int32':
    case 'int64':
    case 'double':
      return NUMERIC;
    case 'RawJson':
      return DEDUCED;
    case 'RawExtension':
      return mapOf(DEDUCED, true);
    case 'Strings':
      return listOf(TEXT);
    default:
      return SCALAR;
  }
}
