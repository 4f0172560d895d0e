import { deepFreeze } from '../../kernel/data/deep-freeze.ts';
import type { KubernetesObject, ObjectMeta } from '../object.ts';
import type { SharedMember } from './shared-member.ts';

/** The place of the managed fields in an object: offsets from its start, −1 when they are absent. */
export interface ManagedFieldsPlace {
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  /** After the closing brace of the metadata. */
  readonly metadataEnd: number;
}

const COMMA = 0x2c;
const PROPERTY = 'managedFields';

/** A constructor that returns the object that it is given, so that a derived class adds its private fields to that object. */
const GivenObject = function GivenObject(given: object): object {
  return given;
} as unknown as new (
  given: object,
) => object;

/**
 * Managed fields as the text of their member in the JSON, decoded when they are read first. Handlers read them rarely, and they are a
 * fifth of a pod and more: decoding the pods of the benches without them takes 0.8 of the time.
 *
 * A private field, and not a map from metadata to texts: it costs nothing to the garbage collector, and is no property that a copy,
 * a comparison or a serialiser would see.
 */
class ManagedFieldsText extends GivenObject {
  /** A character for each byte. */
  #text: string;
  #value: unknown;

  private constructor(metadata: object, text: string) {
    super(metadata);
    this.#text = text;
  }

  static put(metadata: object, text: string): void {
    void new ManagedFieldsText(metadata, text);
  }

  static read(metadata: object): unknown {
    // An object that inherits from the metadata has no text of its own.
    if (!(#text in metadata)) return undefined;
    if (metadata.#text !== '') {
      const json = Buffer.from(`{${metadata.#text.slice(1)}}`, 'latin1').toString();
      metadata.#value = (JSON.parse(json) as { managedFields?: unknown }).managedFields;
      metadata.#text = '';
    }
    return Object.isFrozen(metadata) ? deepFreeze(metadata.#value) : metadata.#value;
  }
}

/** One for all objects: they then have the same hidden class. */
const lazily: PropertyDescriptor = {
  get(this: object): unknown {
    return ManagedFieldsText.read(this);
  },
  set(this: object, value: unknown) {
    // On a frozen object it throws, as an assignment does.
    Object.defineProperty(this, PROPERTY, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  },
  enumerable: true,
  configurable: true,
};

/**
 * Decodes an object like `JSON.parse` of its bytes, its managed fields only when they are read.
 *
 * Guarantees: reads, assignments, deletion, `Object.freeze`, spread, `structuredClone`, `JSON.stringify` and comparisons of values
 * give the same as with all of it decoded at once.
 *
 * Not guaranteed: that `managedFields` is a data property; `console.log` shows it as a getter.
 *
 * @param place Without it, and for managed fields that are not the last member of the metadata, all is decoded at once.
 * @param shared A member whose value is not decoded again.
 */
export function parseLazily(
  bytes: Buffer,
  start: number,
  end: number,
  place: ManagedFieldsPlace | undefined,
  shared?: SharedMember,
): KubernetesObject {
  const isLazy =
    place !== undefined &&
    areLast(bytes, start, place) &&
    (shared === undefined || shared.start >= place.managedFieldsEnd);
  const from = isLazy ? start + place.managedFieldsStart : start;
  const to = isLazy ? start + place.managedFieldsEnd : start;
  const rest =
    shared === undefined
      ? bytes.toString('utf8', to, end)
      : `${bytes.toString('utf8', to, start + shared.start)}0${bytes.toString('utf8', start + shared.end, end)}`;
  const text = isLazy ? bytes.toString('utf8', start, from) + rest : rest;
  const object = JSON.parse(text) as KubernetesObject & Record<string, unknown>;
  if (shared !== undefined) object[shared.name] = shared.value;
  if (isLazy) {
    const metadata = object.metadata as ObjectMeta;
    ManagedFieldsText.put(metadata, bytes.toString('latin1', from, to));
    Object.defineProperty(metadata, PROPERTY, lazily);
  }
  return object;
}

/** Whether the managed fields are the last member of the metadata, and not the only one. Servers write them last. */
function areLast(
  bytes: Buffer,
  start: number,
  { managedFieldsStart, managedFieldsEnd, metadataEnd }: ManagedFieldsPlace,
): boolean {
  return (
    managedFieldsStart > 0 &&
    managedFieldsEnd === metadataEnd - 1 &&
    bytes[start + managedFieldsStart] === COMMA
  );
}
