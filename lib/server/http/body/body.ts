import { isUtf8 } from 'node:buffer';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import { parseJsonDocument } from '../../storage/scheme/json-document.ts';
import { ProtobufSerializer } from '../../storage/scheme/protobuf-serializer.ts';
import { LARGEST_YAML_BYTES, parseYamlDocument } from '../../storage/scheme/yaml-document.ts';
import type { ApiRequest } from '../api-request.ts';
import { noTypeMeta, TYPE_META, unrecognizedBody, wrongType } from './body-failures.ts';
import { BUILT_IN_GROUPS } from '../built-in-groups.ts';
import { inputType } from './content-type.ts';
import { builtInObject, customObject } from './declared-kind.ts';
import {
  bodyFaultsOf,
  repeatedMembers,
  yamlFaults,
  type BodyFaults,
} from '../../registry/rules/body-faults.ts';
import { jsonSyntaxError } from '../../../kernel/text/go-json-syntax.ts';
import { asJson, isJsonObject, type Json, type JsonObject } from './json-tree.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE, type MediaType } from '../media/media-type.ts';
import { entityTooLarge } from '../request-failures.ts';

/** @see apiserver pkg/server/config.go MaxRequestBodyBytes @ 24a394e */
export const LARGEST_BODY_BYTES: number = 3 * 1024 * 1024;

const protobuf = new ProtobufSerializer();

/**
 * The object in a body. In an object of a built-in kind, `apiVersion` and `kind` may be left out; those of the endpoint are used.
 * @param otherVersions Other apiVersions of the kind that are taken.
 * @throws {ApiError} 400 for something that is not an object of this kind, 413 if it is too large, 415 for formats other than
 * JSON, YAML and the protobuf of built-in kinds.
 */
export function decodeBody(
  request: ApiRequest,
  expected: GroupVersionKind,
  otherVersions: readonly string[] = [],
): DecodedObject {
  const { body } = request;
  const format = inputType(request.headers['content-type']);
  const refuse = refusalOf(expected.kind, body);
  const repeated: [string, number][] = [];
  const value = decodeValue(body, format, expected, refuse, repeated);
  const faults = format === JSON_TYPE ? bodyFaultsOf(body, value) : yamlFaults(body, repeated);
  if (BUILT_IN_GROUPS.has(expected.group)) {
    // Go reads repeated objects into one.
    const read = (faults?.merged ?? value) as Json;
    const given = inVersion(read ?? {}, expected, otherVersions);
    return { object: builtInObject(given, expected, refuse), faults };
  }
  const object = customObject(value, expected, refuse, () =>
    body.length === 0 ? '' : format === YAML_TYPE ? JSON.stringify(value) : textOf(body),
  );
  return { object, faults };
}

function refusalOf(kind: string, body: Uint8Array): (reason: string) => ApiError {
  return (reason) => unrecognizedBody(kind, reason, body);
}

export interface DecodedObject {
  readonly object: UnstructuredObject;
  /** Members that are there twice; undefined when there is none. */
  readonly faults: BodyFaults | undefined;
}

/** An object of one of the other versions, named by the version of the endpoint. */
function inVersion(
  value: Json,
  expected: GroupVersionKind,
  otherVersions: readonly string[],
): Json {
  if (!isJsonObject(value)) return value;
  const other = otherVersions.some((one) => one === value['apiVersion']);
  return other ? { ...value, apiVersion: apiVersionOf(expected) } : value;
}

/**
 * The options in a body, such as those of a deletion; null are none. Their kind may be of any version.
 * @throws {ApiError} 400, 413, 415.
 */
export function decodeOptions(request: ApiRequest, expected: GroupVersionKind): JsonObject {
  const format = inputType(request.headers['content-type']);
  const options = decodeValue(request.body, format, expected, badRequest);
  if (options === null) return {};
  if (!isJsonObject(options)) throw badRequest(noTypeMeta(wrongType(options, TYPE_META)));
  return options;
}

/**
 * @param refuse makes the failure from the reason why the body cannot be read
 * @param repeated receives the fields that a YAML document has twice
 */
function decodeValue(
  body: Uint8Array,
  format: MediaType,
  expected: GroupVersionKind,
  refuse: (reason: string) => ApiError,
  repeated?: [name: string, place: number][],
): Json {
  if (format === PROTOBUF_TYPE) return decodeProtobuf(body, expected, refuse);
  const yaml = format === YAML_TYPE;
  checkSize(body, yaml ? LARGEST_YAML_BYTES : LARGEST_BODY_BYTES);
  if (yaml && isBlank(body)) return null;
  try {
    if (!yaml && body[0] === BYTE_ORDER_MARK) throw new Error('the text begins with a mark');
    if (!yaml) return parseJsonDocument(body) as Json;
    return parseYamlDocument(body, {
      onRepeated: (name, place) => void repeated?.push([name, place]),
    }) as Json;
  } catch (error) {
    throw refuse(yaml ? yamlProblem(error) : noTypeMeta(jsonProblem(body, error)));
  }
}

function decodeProtobuf(
  body: Uint8Array,
  expected: GroupVersionKind,
  refuse: (reason: string) => ApiError,
): JsonObject {
  checkSize(body, LARGEST_BODY_BYTES);
  if (body.length === 0) throw refuse('empty data');
  if (!protobuf.recognizes(body)) {
    throw refuse(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  }
  if (body.length === 4) throw refuse('empty body');
  try {
    return asJson(protobuf.decode(body, { defaults: expected }));
  } catch (error) {
    throw refuse(errorMessage(error));
  }
}

/**
 * Parses the bytes of a patch. Numbers become doubles: whole numbers beyond 2^53 lose digits.
 * @param prefix the beginning of the message of a failure
 * @throws {ApiError} 400 when it is malformed or nested deeper than 1 000 levels; 413 above 3 MiB.
 */
export function decodePatch(body: Uint8Array, prefix: string): Json {
  checkSize(body, LARGEST_BODY_BYTES);
  try {
    return parseJsonDocument(body) as Json;
  } catch (error) {
    throw badRequest(prefix + jsonProblem(body, error), error);
  }
}

const OPEN_BRACE = 0x7b;

/**
 * Parses the configuration of an apply: YAML, of which JSON is a part. An empty one is an object without members.
 * @param prefix the beginning of the message of a failure
 * @throws {ApiError} 400 when it is malformed or nested deeper than 1 000 levels; 413 above 3 MiB, for YAML above 64 KiB.
 */
export function decodeConfiguration(
  body: Uint8Array,
  prefix: string,
  onFaults?: (faults: BodyFaults) => void,
): Json {
  checkSize(body, LARGEST_BODY_BYTES);
  try {
    const json = body[0] === OPEN_BRACE ? jsonOf(body, prefix) : undefined;
    if (json === undefined) return decodeYaml(body, onFaults);
    const faults = yamlFaults(body, repeatedMembers(body, json));
    if (faults !== undefined) onFaults?.(faults);
    return json as Json;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest(prefix + yamlProblem(error), error);
  }
}

/** @returns undefined for a mapping of YAML in braces, such as `{kind: ConfigMap}`, and for bytes that only a parser of JSON replaces */
function jsonOf(body: Uint8Array, prefix: string): unknown {
  if (!isUtf8(body)) return undefined;
  try {
    return parseJsonDocument(body);
  } catch (error) {
    const problem = jsonSyntaxError(body);
    if (problem !== undefined && body.byteLength <= LARGEST_YAML_BYTES) return undefined;
    throw badRequest(prefix + (problem ?? errorMessage(error)), error);
  }
}

function decodeYaml(body: Uint8Array, onFaults?: (faults: BodyFaults) => void): Json {
  checkSize(body, LARGEST_YAML_BYTES);
  if (isBlank(body)) return {};
  const found: [string, number][] = [];
  const onRepeated = (name: string, place: number): void => void found.push([name, place]);
  const value = parseYamlDocument(body, { onRepeated });
  const faults = yamlFaults(body, found);
  if (faults !== undefined) onFaults?.(faults);
  return value as Json;
}

function checkSize(body: Uint8Array, limitBytes: number): void {
  if (body.byteLength > limitBytes) throw entityTooLarge(`limit is ${limitBytes}`);
}

const SPACE = 0x20;
/** The first byte of a byte order mark in UTF-8, which JSON does not know. */
const BYTE_ORDER_MARK = 0xef;

function isBlank(body: Uint8Array): boolean {
  return body.every((byte) => byte <= SPACE);
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}

/** The reason in the words of kube-apiserver, where that refuses the text too. */
function jsonProblem(body: Uint8Array, error: unknown): string {
  return jsonSyntaxError(body) ?? errorMessage(error);
}

function yamlProblem(error: unknown): string {
  const message = errorMessage(error);
  return message.includes('Nested mappings are not allowed')
    ? 'yaml: mapping values are not allowed in this context'
    : message;
}
