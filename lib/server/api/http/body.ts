import { errorMessage } from '../../../kernel/errors.ts';
import type { ApiError } from '../../../meta/api-error.ts';
import { badRequest } from '../../../meta/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { PROTOBUF_MEDIA_TYPE } from '../../../meta/protobuf/envelope.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import { parseJsonDocument } from '../../storage/scheme/json-document.ts';
import { ProtobufSerializer } from '../../storage/scheme/protobuf-serializer.ts';
import { isSchemeError } from '../../storage/scheme/scheme-error.ts';
import { LARGEST_YAML_BYTES, parseYamlDocument } from '../../storage/scheme/yaml-document.ts';
import type { ApiRequest } from './api-request.ts';
import { asJson, asObject, isJsonObject, type Json, type JsonObject } from './json-tree.ts';
import { entityTooLarge, unsupportedMediaType } from './request-failures.ts';

/** @see apiserver pkg/server/config.go MaxRequestBodyBytes @ 24a394e */
export const LARGEST_BODY_BYTES: number = 3 * 1024 * 1024;

const TEXT_TYPES: readonly string[] = ['application/json', 'application/yaml'];

const protobuf = new ProtobufSerializer();

/** The media type of the body without its parameters, in lower case; empty when there is none. */
export function contentTypeOf({ headers }: Pick<ApiRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The object in a body. If `apiVersion` and `kind` are left out, those of the endpoint are used.
 * @throws {ApiError} 400 for something that is not an object of this kind, 413 if it is too large, 415 for formats other than
 * JSON, YAML and the protobuf of built-in kinds.
 */
export function decodeObject(request: ApiRequest, expected: GroupVersionKind): UnstructuredObject {
  return asObject(checkKind(decodeBody(request, expected), expected));
}

/**
 * The object in a body, of any kind.
 * @param expected The kind of a protobuf body that does not name its kind.
 * @throws {ApiError} 400, 413, 415.
 */
export function decodeBody(request: ApiRequest, expected: GroupVersionKind): JsonObject {
  const contentType = contentTypeOf(request);
  if (contentType === PROTOBUF_MEDIA_TYPE) return decodeProtobuf(request.body, expected);
  if (contentType !== '' && !TEXT_TYPES.includes(contentType)) {
    throw unsupportedMediaType(contentType, [...TEXT_TYPES, PROTOBUF_MEDIA_TYPE]);
  }
  const document = decodeDocument(request.body, contentType === 'application/yaml');
  if (!isJsonObject(document)) throw badRequest('the body must be an object');
  return document;
}

function decodeProtobuf(body: Uint8Array, expected: GroupVersionKind): JsonObject {
  checkSize(body, LARGEST_BODY_BYTES);
  try {
    return asJson(protobuf.decode(body, { defaults: expected }));
  } catch (error) {
    if (!isSchemeError(error, 'UNSUPPORTED_ENCODING')) throw unreadable(error);
    throw unsupportedMediaType(PROTOBUF_MEDIA_TYPE, TEXT_TYPES, error.message);
  }
}

/** Refuses an object of another kind than that of the endpoint; sets a missing apiVersion and kind. */
export function checkKind(object: JsonObject, expected: GroupVersionKind): JsonObject {
  const apiVersion = apiVersionOf(expected);
  checkTypeField(object, 'apiVersion', 'API version', apiVersion);
  checkTypeField(object, 'kind', 'kind', expected.kind);
  const { metadata = null } = object;
  if (metadata !== null && !isJsonObject(metadata)) {
    throw badRequest('the metadata of the object in the body must be an object');
  }
  if (object['apiVersion'] === apiVersion && object['kind'] === expected.kind) return object;
  return { ...object, apiVersion, kind: expected.kind };
}

function checkTypeField(
  object: JsonObject,
  field: 'apiVersion' | 'kind',
  name: string,
  expected: string,
): void {
  const found = object[field] ?? '';
  if (found !== '' && found !== expected) {
    throw badRequest(
      `the ${name} in the data (${JSON.stringify(found).slice(0, 200)}) does not match the expected ${name} (${expected})`,
    );
  }
}

/**
 * Parses the bytes of a body. Numbers become doubles: whole numbers beyond 2^53 lose digits.
 * @throws {ApiError} 400 when they are empty, malformed or nested deeper than 1 000 levels; 413 above 3 MiB, for YAML
 * above 64 KiB.
 */
export function decodeDocument(body: Uint8Array, yaml: boolean = false): Json {
  checkSize(body, yaml ? LARGEST_YAML_BYTES : LARGEST_BODY_BYTES);
  if (isBlank(body)) throw badRequest('the request needs a body');
  try {
    return (yaml ? parseYamlDocument(body) : parseJsonDocument(body)) as Json;
  } catch (error) {
    throw unreadable(error);
  }
}

function checkSize(body: Uint8Array, limitBytes: number): void {
  if (body.byteLength > limitBytes) throw entityTooLarge(`limit is ${limitBytes} bytes`);
}

const SPACE = 0x20;

function isBlank(body: Uint8Array): boolean {
  return body.every((byte) => byte <= SPACE);
}

function unreadable(error: unknown): ApiError {
  return badRequest(`the body cannot be read: ${errorMessage(error)}`, error);
}
