import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { encodeJson } from '../value/codec.ts';
import { asUnstructured, type DecodeOptions, type Serializer } from './serializer.ts';
import { parseYamlDocument, stringifyYaml } from './yaml-document.ts';

/** The start of a document, a comment, or a name and a colon. */
const START = /^(?:\uFEFF)?\s*(?:---|%YAML|#|["']?[A-Za-z_][\w./-]*["']?[ \t]*:(?:\s|$))/;
const LONGEST_START_BYTES = 1_024;

/**
 * YAML as Kubernetes reads it; see `parseYamlDocument`. Fields are written in a fixed order.
 *
 * @experimental
 */
export class YamlSerializer implements Serializer {
  readonly encoding = 'yaml';
  readonly mediaType = 'application/yaml';

  recognizes(bytes: Uint8Array): boolean {
    const start = Buffer.from(bytes.subarray(0, LONGEST_START_BYTES)).toString('utf8');
    return START.test(start);
  }

  /** @throws {SchemeError} MALFORMED_OBJECT. */
  decode(bytes: Uint8Array, options: DecodeOptions = {}): UnstructuredObject {
    return asUnstructured(parseYamlDocument(bytes, { strict: options.strict }), options);
  }

  /** @throws {ApiError} 400. */
  encode(object: KubernetesObject): Uint8Array {
    const json: unknown = JSON.parse(Buffer.from(encodeJson(object)).toString('utf8'));
    return Buffer.from(stringifyYaml(json), 'utf8');
  }
}
