import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { encodeJson } from '../value/codec.ts';
import { parseJsonDocument } from './json-document.ts';
import { asUnstructured, type DecodeOptions, type Serializer } from './serializer.ts';

const OPEN_BRACE = 0x7b;

/**
 * JSON, written with its fields in a fixed order: equal objects give equal bytes.
 *
 * @experimental
 */
export class JsonSerializer implements Serializer {
  readonly encoding = 'json';
  readonly mediaType = 'application/json';

  recognizes(bytes: Uint8Array): boolean {
    return bytes[firstVisible(bytes)] === OPEN_BRACE;
  }

  /** @throws {SchemeError} MALFORMED_OBJECT. */
  decode(bytes: Uint8Array, options: DecodeOptions = {}): UnstructuredObject {
    return asUnstructured(parseJsonDocument(bytes, { strict: options.strict }), options);
  }

  /** @throws {ApiError} 400. */
  encode(object: KubernetesObject): Uint8Array {
    return encodeJson(object);
  }
}

function firstVisible(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && (bytes[at] as number) <= 0x20) at += 1;
  return at;
}
