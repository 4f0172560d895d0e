import { parseDocument } from 'yaml';
import { errorMessage } from '../../../kernel/errors.ts';
import type { ApiError } from '../../../meta/api-error.ts';
import { badRequest } from '../../../meta/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import type { ApiRequest } from './api-request.ts';
import { asObject, isJsonObject, type Json, type JsonObject } from './json-tree.ts';
import { entityTooLarge, unsupportedMediaType } from './request-failures.ts';

/** @see apiserver pkg/server/config.go MaxRequestBodyBytes @ 24a394e */
export const LARGEST_BODY_BYTES: number = 3 * 1024 * 1024;

/** Deeper documents are refused before anything recursive sees them; `JSON.stringify` gives up at about 4 000 levels. */
const DEEPEST_BODY = 1_000;

/** The YAML parser takes more than linear time over some inputs, so it gets less. Every client that sends more sends JSON. */
const LARGEST_YAML_BYTES = 64 * 1024;

/** Comparing all keys with each other, and placing every error in the text, are what takes quadratic time. */
const YAML_OPTIONS = {
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

/** A YAML alias is a reference: a few hundred bytes of them can stand for gigabytes. */
const MOST_YAML_ALIASES = 100;

const OBJECT_TYPES = ['application/json', 'application/yaml'];

/** The media type of the body without its parameters, in lower case; empty when there is none. */
export function contentTypeOf({ headers }: Pick<ApiRequest, 'headers'>): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The object in a body. `apiVersion` and `kind` may be left out; they are then those of the endpoint.
 * @throws {ApiError} 400 for what is not an object of this kind, 413 for too
 * large a one, 415 for other formats than JSON and YAML.
 */
export function decodeObject(request: ApiRequest, expected: GroupVersionKind): UnstructuredObject {
  const contentType = contentTypeOf(request);
  if (contentType !== '' && !OBJECT_TYPES.includes(contentType)) {
    throw unsupportedMediaType(contentType, OBJECT_TYPES);
  }
  const document = decodeDocument(request.body, contentType === 'application/yaml');
  if (!isJsonObject(document)) throw badRequest('the body must be an object');
  return asObject(checkKind(document, expected));
}

/** Refuses an object of another kind than the endpoint serves; fills in what it does not say. */
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
 * The document in the bytes of a body. Numbers become doubles: whole ones beyond 2^53 lose digits.
 * @throws {ApiError} 400 when they are empty, malformed or nested deeper than 1 000 levels; 413 above 3 MiB, for YAML
 * above 64 KiB.
 */
export function decodeDocument(body: Uint8Array, yaml: boolean = false): Json {
  const limit = yaml ? LARGEST_YAML_BYTES : LARGEST_BODY_BYTES;
  if (body.byteLength > limit) throw entityTooLarge(`limit is ${limit} bytes`);
  const text = decodeText(body);
  if (text.trim() === '') throw badRequest('the request needs a body');
  if (yaml) return decodeYaml(text);
  checkDepth(body);
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`the body is not valid JSON: ${errorMessage(error)}`);
  }
}

function decodeText(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw badRequest('the body is not valid UTF-8');
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Counts brackets outside of strings: one pass over the bytes, no recursion. */
function checkDepth(body: Uint8Array): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] as number;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > DEEPEST_BODY) throw tooDeep();
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
  }
}

function tooDeep(): ApiError {
  return badRequest(`the body is nested deeper than ${DEEPEST_BODY} levels`);
}

/** More compact block indicators than this on one line: the parser's cost grows out of all proportion to the depth. */
const DEEP_BLOCK = /^(?:[ \t]*[-?:][ \t]){65}|^[ \t]{2000}/m;

/**
 * Refuses nesting that would exhaust the parser. It cannot tell brackets in plain text from others without parsing, so a
 * document whose text alone opens 1 000 brackets more than it closes is refused too; in JSON it passes.
 */
function checkYamlDepth(text: string): void {
  if (DEEP_BLOCK.test(text)) throw tooDeep();
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > DEEPEST_BODY) throw tooDeep();
  }
}

function decodeYaml(text: string): Json {
  checkYamlDepth(text);
  let value: unknown;
  try {
    const document = parseDocument(text, YAML_OPTIONS);
    const [error] = document.errors;
    if (error !== undefined) {
      const line = text.slice(0, error.pos[0]).split('\n').length;
      throw new Error(`${error.message} (line ${line})`);
    }
    value = document.toJS({ maxAliasCount: MOST_YAML_ALIASES });
  } catch (error) {
    throw badRequest(`the body is not valid YAML: ${errorMessage(error)}`);
  }
  checkTree(value);
  return value as Json;
}

/** YAML knows more than JSON does, and its depth shows only in the result. Iterative, each shared part once. */
function checkTree(root: unknown): void {
  const seen = new Set<object>();
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST_BODY) throw tooDeep();
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw badRequest('the body has a number that JSON cannot express');
      }
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      for (const item of Object.values(value)) next.push(item);
    }
    level = next;
  }
}
