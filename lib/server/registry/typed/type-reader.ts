import {
  isValueType,
  type MessageField,
  type MessageType,
  type Presence,
} from '../../../meta/types/message-type.ts';
import { DEEPEST_OBJECT, isRecord, setOwn, type JsonRecord } from '../../../meta/json-value.ts';
import { TypedDecodeError, type DecodeProblems } from './decode-problems.ts';
import { RESOURCE, VALUE_KINDS, WRONG_TYPE, type ValueKind } from './value-readers.ts';

/**
 * Sets the defaults of a message of one type. It gets a copy, in which no member is null and each is a field of the type; the types
 * of the members below are not checked yet, and their own defaults are set afterwards.
 */
export type SetDefaults = (record: JsonRecord) => void;

export type DefaultsByType = ReadonlyMap<string, SetDefaults>;

/** A field of the JSON of a message, those of inline messages included. */
interface Slot {
  readonly name: string;
  readonly index: number;
  readonly shape: 'one' | 'list' | 'map';
  readonly presence: Presence;
  /** Set unless the type is a message. */
  readonly value: ValueKind | undefined;
  readonly field: MessageField;
  /** The name with those of the inline messages that it belongs to, as Go writes it in errors. */
  readonly goName: string;
  /** The struct that declares it. */
  readonly owner: string;
  readonly fallback: unknown;
  /** Whether an empty list differs from none in the metadata of the object itself. */
  readonly keepsEmpty: boolean;
}

/** An empty list of them in a request deletes those of the object. */
const MANAGED_FIELDS = 'managedFields';
/** How deep the metadata of an object is in it. */
const OWN_METADATA = 1;

/** `core.PodSpec` is `PodSpec`. */
function shortName(message: MessageType): string {
  return message.name.slice(message.name.indexOf('.') + 1);
}

/** Which of the values of a field: the index in a list, the key in a map, undefined for a field that is neither. */
type Step = number | string | undefined;

/** Where a value is read. */
interface Place {
  readonly problems: DecodeProblems;
  readonly step: Step;
}

/** Whether a value is a list, a map or an object where the field is one: no default may hide that it is not. */
function hasShape({ shape, value, field }: Slot, given: unknown): boolean {
  if (given === null || given === undefined) return true;
  if (shape === 'list') return Array.isArray(given);
  if (shape === 'map') return isRecord(given);
  return value !== undefined || field.message?.isUnion === true || isRecord(given);
}

function slotsOf(message: MessageType): Slot[] {
  const slots: Slot[] = [];
  const collect = (from: MessageType, inlineNames: readonly string[]): void => {
    for (const field of from.fields) {
      if (field.shape === 'inline') {
        const inner = field.message as MessageType;
        collect(inner, [...inlineNames, shortName(inner)]);
        continue;
      }
      const { name, shape, presence, type } = field;
      const isResource = shape === 'map' && type === 'Quantity';
      slots.push({
        name,
        index: slots.length,
        shape,
        presence,
        value: isResource ? RESOURCE : isValueType(type) ? VALUE_KINDS[type] : undefined,
        field,
        goName: [...inlineNames, name].join('.'),
        owner: shortName(from),
        fallback: field.declaredDefault,
        keepsEmpty: name === MANAGED_FIELDS,
      });
    }
  };
  collect(message, []);
  return slots;
}

/**
 * Reads JSON as a message of one type, and returns it as Go writes that type again: fields in the order of the type, without
 * unknown ones, with zero values where Go has no pointer, without empty lists and maps (but for managed fields), values in their
 * canonical form, keys of maps sorted, defaults set.
 */
export class TypeReader {
  readonly message: MessageType;
  readonly #slots: readonly Slot[];
  readonly #byName: ReadonlyMap<string, Slot>;
  readonly #setDefaults: SetDefaults | undefined;
  readonly #readers: TypeReaders;

  constructor(message: MessageType, readers: TypeReaders, setDefaults: SetDefaults | undefined) {
    this.message = message;
    this.#readers = readers;
    this.#slots = slotsOf(message);
    // A field of a feature that is off is known, and has no value.
    this.#byName = new Map(this.#slots.map((slot) => [slot.name, slot]));
    this.#setDefaults = setDefaults;
  }

  /** @throws {TypedDecodeError} for a text that does not follow its form, or an object nested too deeply. */
  read(given: JsonRecord, problems: DecodeProblems): JsonRecord {
    if (problems.depth > DEEPEST_OBJECT) throw new TypedDecodeError('exceeded max depth');
    const { hasTypeMeta } = this.message;
    const record = this.#setDefaults === undefined ? given : this.#defaulted(given);
    const values: unknown[] = [];
    for (const name of Object.keys(given)) {
      const slot = this.#byName.get(name);
      if (slot?.field.isOff === true) {
        // Only for what is unknown or wrong in it.
        this.#member(slot, given[name], problems);
      } else if (slot !== undefined) {
        const value = record === given || hasShape(slot, given[name]) ? record[name] : given[name];
        values[slot.index] = this.#member(slot, value, problems);
      } else if (!(hasTypeMeta && isTypeMember(name))) problems.unknown(name);
    }
    if (record !== given) {
      for (const name of Object.keys(record)) {
        const slot = Object.hasOwn(given, name) ? undefined : this.#byName.get(name);
        if (slot !== undefined) values[slot.index] = this.#member(slot, record[name], problems);
      }
    }
    const result: JsonRecord = {};
    if (hasTypeMeta) copyType(given, result);
    for (const slot of this.#slots) {
      let value = values[slot.index];
      if (value === undefined) value = this.#absent(slot, problems);
      if (value !== undefined) result[slot.name] = value;
    }
    return result;
  }

  /** A copy with the fields that the type has, and the defaults. */
  #defaulted(given: JsonRecord): JsonRecord {
    const copy: JsonRecord = {};
    for (const name of Object.keys(given)) {
      const slot = this.#byName.get(name);
      const value = given[name];
      if (value !== null && slot !== undefined && hasShape(slot, value)) copy[name] = value;
    }
    this.#setDefaults?.(copy);
    return copy;
  }

  /** The value of a field; undefined for one that Go leaves out when it is as given. */
  #member(slot: Slot, given: unknown, problems: DecodeProblems): unknown {
    if (given === null || given === undefined) return undefined;
    if (slot.shape === 'list') return this.#list(slot, given, problems);
    if (slot.shape === 'map') return this.#map(slot, given, problems);
    const value = this.#one(slot, given, problems, undefined);
    if (slot.presence !== 'nonzero') return value;
    return value === '' || value === 0 || value === false ? undefined : value;
  }

  #one(slot: Slot, given: unknown, problems: DecodeProblems, step: Step): unknown {
    if (slot.value !== undefined) {
      const isCounted = typeof given === 'number' && slot.value.isWhole === true;
      const literal = isCounted ? problems.literalAt(slot.name, step) : undefined;
      const value = literal === undefined ? slot.value.read(given) : WRONG_TYPE;
      if (value !== WRONG_TYPE) return value;
      this.#wrongType(slot, given, problems, slot.value.goName, literal);
      return undefined;
    }
    const reader = this.#readers.of(slot.field);
    if (reader.message.isUnion) return this.#union(reader, slot, given, { problems, step });
    if (!isRecord(given)) {
      this.#wrongType(slot, given, problems, reader.goName);
      return undefined;
    }
    return this.#message(reader, slot, given, { problems, step });
  }

  #message(
    reader: TypeReader,
    slot: Slot,
    given: JsonRecord,
    { problems, step }: Place,
  ): JsonRecord {
    problems.enter(slot.name, step, slot.goName);
    const result = reader.read(given, problems);
    problems.leave();
    return result;
  }

  #list(slot: Slot, given: unknown, problems: DecodeProblems): unknown {
    if (!Array.isArray(given)) {
      this.#wrongType(slot, given, problems, `[]${this.#itemName(slot)}`);
      return undefined;
    }
    if (given.length === 0) {
      return slot.keepsEmpty && problems.depth === OWN_METADATA ? [] : undefined;
    }
    const items: unknown[] = [];
    for (let index = 0; index < given.length; index += 1) {
      items.push(this.#item(slot, given[index], problems, index));
    }
    return items;
  }

  #map(slot: Slot, given: unknown, problems: DecodeProblems): unknown {
    if (!isRecord(given)) {
      this.#wrongType(slot, given, problems, `map[string]${this.#itemName(slot)}`);
      return undefined;
    }
    const names = Object.keys(given);
    if (names.length === 0) return undefined;
    const items: JsonRecord = {};
    for (const name of sorted(names)) {
      setOwn(items, name, this.#item(slot, given[name], problems, name));
    }
    return items;
  }

  /** An item of a list or map: null is the zero value. */
  #item(slot: Slot, given: unknown, problems: DecodeProblems, step: Step): unknown {
    if (given !== null && given !== undefined) {
      const value = this.#one(slot, given, problems, step);
      if (value !== undefined) return value;
    }
    if (slot.value !== undefined) return slot.value.zero;
    return this.#readers.of(slot.field).read({}, problems);
  }

  /** The value of a field that was not set: undefined, or its default, or its zero value. */
  #absent({ presence, shape, value, field, fallback }: Slot, problems: DecodeProblems): unknown {
    if (fallback !== undefined && shape === 'one' && this.#readers.setDefaults) {
      const shown = presence !== 'nonzero' || (fallback !== '' && fallback !== 0);
      if (shown) return fallback;
    }
    if (presence === 'nonzero' || presence === 'sent') return undefined;
    if (presence === 'nullable' || shape !== 'one') return null;
    if (value !== undefined) return value.zero;
    const reader = this.#readers.of(field);
    return reader.message.isUnion ? null : reader.read({}, problems);
  }

  /**
   * One of the values of the union is the JSON itself. Go reads it with a decoder of its own, and a value of another form as null.
   * @see apiextensions-apiserver pkg/apis/apiextensions/v1/marshal.go @ v0.36.3
   */
  #union({ message }: TypeReader, slot: Slot, given: unknown, { problems, step }: Place): unknown {
    const schema = this.#readers.of(message.byName.get('schema') as MessageField);
    const readOne = (one: unknown, at: Step): unknown => {
      if (isRecord(one)) return this.#message(schema, slot, one, { problems, step: at });
      this.#wrongType(slot, one, problems, schema.goName);
      return undefined;
    };
    return problems.quietly(() => {
      if (isRecord(given)) return readOne(given, step);
      if (message.byName.has('allows')) {
        if (typeof given === 'boolean') return given;
        throw new TypedDecodeError('boolean or JSON schema expected');
      }
      if (!Array.isArray(given) || given.length === 0) return null;
      if (message.byName.has('jSONSchemas')) {
        return given.map((one: unknown, index) => readOne(one ?? {}, index));
      }
      const other = given.find(
        (one: unknown) => typeof one !== 'string' && one !== null,
      ) as unknown;
      if (other !== undefined) this.#wrongType(slot, other, problems, 'string');
      return given.map((one: unknown) => one ?? '');
    });
  }

  #wrongType(
    slot: Slot,
    given: unknown,
    problems: DecodeProblems,
    type: string,
    literal?: string,
  ): void {
    problems.wrongType(given, slot.owner, slot.goName, type, literal);
  }

  #itemName({ value, field }: Slot): string {
    return value === undefined ? this.#readers.of(field).goName : value.goName;
  }

  /** As Go names it in errors: the last part of its package, and its name. */
  get goName(): string {
    const { apiVersion } = this.message;
    return `${apiVersion.slice(apiVersion.indexOf('/') + 1)}.${shortName(this.message)}`;
  }
}

/** The readers of messages, each made when it is first needed. */
export class TypeReaders {
  /** Whether absent fields get their defaults. */
  readonly setDefaults: boolean;
  readonly #defaults: DefaultsByType;
  readonly #readers = new Map<string, TypeReader>();
  readonly #byField = new WeakMap<MessageField, TypeReader>();

  /** @param defaults Undefined: also those that the table of types has are left out. */
  constructor(defaults: DefaultsByType | undefined) {
    this.setDefaults = defaults !== undefined;
    this.#defaults = defaults ?? new Map();
  }

  ofMessage(message: MessageType): TypeReader {
    let reader = this.#readers.get(message.name);
    if (reader === undefined) {
      reader = new TypeReader(message, this, this.#defaultsOf(message));
      this.#readers.set(message.name, reader);
    }
    return reader;
  }

  /** Those of the message, then those of its inline messages. */
  #defaultsOf(message: MessageType): SetDefaults | undefined {
    const inline = message.fields
      .filter(({ shape }) => shape === 'inline')
      .map((field) => this.#defaultsOf(field.message as MessageType));
    const all = [this.#defaults.get(message.name), ...inline].filter((one) => one !== undefined);
    if (all.length < 2) return all[0];
    return (record) => {
      for (const set of all) set(record);
    };
  }

  /** The reader of the message that is the type of a field. */
  of(field: MessageField): TypeReader {
    let reader = this.#byField.get(field);
    if (reader === undefined) {
      reader = this.ofMessage(field.message as MessageType);
      this.#byField.set(field, reader);
    }
    return reader;
  }
}

function isTypeMember(name: string): boolean {
  return name === 'kind' || name === 'apiVersion';
}

function copyType(given: JsonRecord, result: JsonRecord): void {
  const { kind, apiVersion } = given;
  if (typeof kind === 'string' && kind !== '') result['kind'] = kind;
  if (typeof apiVersion === 'string' && apiVersion !== '') result['apiVersion'] = apiVersion;
}

function sorted(names: string[]): string[] {
  for (let at = 1; at < names.length; at += 1) {
    if ((names[at - 1] as string) > (names[at] as string)) return names.toSorted();
  }
  return names;
}
