import { failure, type ApiError } from '../../meta/failure/api-error.ts';
import { badRequest } from '../../meta/failure/failures.ts';
import { depthWithin, jsonEqual, setOwn } from '../../meta/json-value.ts';
import {
  cloneJson,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../http/body/json-tree.ts';
import { entityTooLarge } from '../http/request-failures.ts';

/** @see apiserver pkg/endpoints/handlers/patch.go maxJSONPatchOperations @ 24a394e */
const MOST_OPERATIONS = 10_000;
/** Maximum total size of the values that `copy` operations copy, as JSON text. */
const LARGEST_COPIES = 3 * 1024 * 1024;
/** As of a body. */
const DEEPEST_RESULT = 1_000;

interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: Json;
}

/** A parsed and checked JSON patch, which can be applied any number of times. */
export type JsonPatch = readonly Operation[];

/**
 * Reads a JSON patch document. Null is a patch without operations. A missing member, or an unknown operation, is an error only
 * when the patch is applied, as in kube-apiserver.
 * @throws {ApiError} 400 for a malformed document, 413 for more than 10 000 operations.
 */
export function parseJsonPatch(document: Json): JsonPatch {
  if (document === null) return [];
  if (!Array.isArray(document)) throw undecodable(document, 'value of type []handlers.jsonPatchOp');
  const operations = document.map(parseOperation);
  if (operations.length <= MOST_OPERATIONS) return operations;
  throw failure(
    'RequestEntityTooLarge',
    `Request entity too large: The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${operations.length}`,
  );
}

function parseOperation(item: Json): Operation {
  if (item !== null && !isJsonObject(item)) {
    throw undecodable(item, 'value of type handlers.jsonPatchOp');
  }
  const operation = item ?? {};
  for (const [name, value] of Object.entries(operation)) {
    const isText = name === 'op' || name === 'path' || name === 'from';
    if (isText && value !== null && typeof value !== 'string') {
      throw undecodable(value, `struct field jsonPatchOp.${name} of type string`);
    }
  }
  return {
    op: textOf(operation, 'op') ?? '',
    path: textOf(operation, 'path'),
    from: textOf(operation, 'from'),
    value: getOwn(operation, 'value') ?? null,
  };
}

function textOf(operation: JsonObject, name: string): string | undefined {
  const value = getOwn(operation, name);
  return typeof value === 'string' ? value : undefined;
}

/** The words of Go's JSON decoder, which clients see as the message. */
function undecodable(value: Json, target: string): ApiError {
  return badRequest(
    `error decoding patch: json: cannot unmarshal ${goType(value)} into Go ${target}`,
  );
}

function goType(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/**
 * Applies a patch to a copy of the target. It differs from RFC 6902 where kube-apiserver does: a missing member is equal to null
 * in `test`, may be replaced, and is copied as null; negative indexes count from the end; text before the first slash of a path
 * has no meaning.
 * @throws {ApiError} 422 when a path does not exist, a test fails or the result is nested deeper than 1,000 levels, 413 when copies add up to more than 3 MiB.
 * @see https://github.com/evanphx/json-patch/blob/v4.13.0/patch.go
 */
export function applyJsonPatch(target: Json, patch: JsonPatch): Json {
  const run = new PatchRun(cloneJson(target));
  for (const operation of patch) run.apply(operation);
  checkDepth(run.document);
  return patch.reduce(sortedOnPath, run.document);
}

/** Each copy of a value into itself doubles its depth. @throws {ApiError} 422, as from kube-apiserver for ten times that depth. */
function checkDepth(value: Json): void {
  if (!depthWithin(value, DEEPEST_RESULT)) throw refused('exceeded max depth');
}

/** The objects that an operation went through come in alphabetical order; the others stay as they are. */
function sortedOnPath(document: Json, { path, from }: Operation): Json {
  return [path, from].reduce<Json>(
    (found, one) => (one === undefined ? found : sortedAlong(found, tokensOf(one))),
    document,
  );
}

function sortedAlong(value: Json, [token, ...rest]: readonly string[]): Json {
  if (token === undefined || !isContainer(value)) return value;
  if (Array.isArray(value)) {
    const index = Number(token);
    return value.map((item, at) => (at === index ? sortedAlong(item, rest) : item));
  }
  const result: JsonObject = {};
  for (const name of Object.keys(value).toSorted()) {
    const member = value[name] as Json;
    setOwn(result, name, name === token ? sortedAlong(member, rest) : member);
  }
  return result;
}

function tokensOf(path: string): string[] {
  return path.split('/').slice(1).map(unescapeToken);
}

type Container = Json[] | JsonObject;

interface Place {
  readonly parent: Container;
  readonly key: string;
}

const MISSING = 'missing value';

/** Why an operation cannot be applied: what was looked for, and what happened. */
class PatchFault extends Error {
  readonly what: 'path' | 'destination' | 'value' | 'test' | 'operation' | 'document';

  constructor(what: PatchFault['what'], message: string) {
    super(message);
    this.what = what;
  }
}

/** Operations whose messages have the path in quotes. */
const QUOTING: ReadonlySet<string> = new Set(['add', 'remove']);
const FROM: ReadonlySet<string> = new Set(['move', 'copy']);

/** @see https://github.com/evanphx/json-patch/blob/v4.13.0/patch.go */
function faultText({ op, path = '', from = '' }: Operation, { what, message }: PatchFault): string {
  switch (what) {
    case 'operation':
      return `Unexpected kind: ${op === '' ? 'unknown' : op}`;
    case 'document':
      return 'replace operation value must be object or array: %!w(<nil>)';
    case 'test':
      return `testing value ${path} failed: ${message}`;
    case 'destination':
      return `${op} operation does not apply: doc is missing destination path: ${path}: ${message}`;
    case 'path': {
      if (FROM.has(op)) {
        return `${op} operation does not apply: doc is missing from path: ${from}: ${message}`;
      }
      const place = QUOTING.has(op) ? JSON.stringify(path) : path;
      const missing = op === 'test' ? 'is missing path' : 'doc is missing path';
      return `${op} operation does not apply: ${missing}: ${place}: ${message}`;
    }
    case 'value':
      if (op === 'replace') {
        return `replace operation does not apply: doc is missing key: ${path}: ${MISSING}`;
      }
      return `error in ${op} for path: '${path}': ${message}`;
  }
}

/** One application of a patch; `document` has the changes so far. */
class PatchRun {
  document: Json;
  #copied = 0;

  constructor(document: Json) {
    this.document = document;
  }

  apply(operation: Operation): void {
    try {
      this.#run(operation);
    } catch (error) {
      throw error instanceof PatchFault ? refused(faultText(operation, error)) : error;
    }
  }

  #run({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        add(this.#place(path), cloneJson(value));
        return;
      case 'remove':
        remove(this.#place(path));
        return;
      case 'replace':
        this.#replace(path, cloneJson(value));
        return;
      case 'move': {
        const source = this.#place(from);
        const moved = get(source);
        remove(source);
        add(this.#place(path, 'destination'), moved);
        return;
      }
      case 'copy':
        this.#copy(from, path);
        return;
      case 'test': {
        const found = path === '' ? this.document : get(this.#place(path));
        if (!jsonEqual(found, value)) throw new PatchFault('test', 'test failed');
        return;
      }
      default:
        throw new PatchFault('operation', '');
    }
  }

  #replace(path: string | undefined, value: Json): void {
    if (path === '') {
      if (!isContainer(value)) throw new PatchFault('document', '');
      this.document = value;
      return;
    }
    const { parent, key } = this.#place(path);
    if (Array.isArray(parent)) parent[existingIndex(parent, key)] = value;
    else setOwn(parent, key, value);
  }

  #copy(from: string | undefined, path: string | undefined): void {
    const value = get(this.#place(from));
    const target = this.#place(path, 'destination');
    checkDepth(value);
    this.#copied += JSON.stringify(value).length;
    if (this.#copied > LARGEST_COPIES) {
      throw entityTooLarge(`the JSON patch copies more than ${LARGEST_COPIES} bytes`);
    }
    add(target, cloneJson(value));
  }

  /** The object or list that a path leads into, and the last part of the path. */
  #place(path: string | undefined, role: 'path' | 'destination' = 'path'): Place {
    const tokens = tokensOf(path ?? '');
    const key = tokens.pop();
    if (key === undefined) throw new PatchFault(role, MISSING);
    let parent = this.document;
    for (const token of tokens) {
      if (!isContainer(parent)) throw new PatchFault(role, MISSING);
      parent = step({ parent, key: token }, role);
    }
    if (!isContainer(parent)) throw new PatchFault(role, MISSING);
    return { parent, key };
  }
}

function isContainer(value: Json): value is Container {
  return typeof value === 'object' && value !== null;
}

function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** One part of a path on the way to its last one. */
function step(place: Place, role: 'path' | 'destination'): Json {
  try {
    return get(place);
  } catch (error) {
    throw error instanceof PatchFault ? new PatchFault(role, MISSING) : error;
  }
}

/** The value of a member or an item; null for a missing member. */
function get({ parent, key }: Place): Json {
  if (Array.isArray(parent)) return parent[existingIndex(parent, key)] as Json;
  return getOwn(parent, key) ?? null;
}

function add({ parent, key }: Place, value: Json): void {
  if (!Array.isArray(parent)) setOwn(parent, key, value);
  else if (key === '-') parent.push(value);
  else parent.splice(indexWithin(parent.length + 1, key), 0, value);
}

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(existingIndex(parent, key), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else throw new PatchFault('value', `Unable to remove nonexistent key: ${key}: ${MISSING}`);
}

function existingIndex(list: readonly Json[], key: string): number {
  return indexWithin(list.length, key);
}

/** The index that a text stands for in a list of `count` places; a negative one counts from the end. */
function indexWithin(count: number, text: string): number {
  const index = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
  const position = index < 0 ? index + count : index;
  if (position >= 0 && position < count) return position;
  throw new PatchFault('value', indexProblem(index, text));
}

function indexProblem(index: number, text: string): string {
  return Number.isNaN(index)
    ? `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`
    : `Unable to access invalid index: ${index}: invalid index referenced`;
}

/**
 * The answer of kube-apiserver to a patch that cannot be applied; it does not name the operation.
 * @param reason In the words of Go's library: the cause of the error, which a webhook's patch shows.
 */
function refused(reason: string): ApiError {
  return failure('Invalid', 'the server rejected our request due to an error in our request', {
    details: {},
    cause: new Error(reason),
  });
}
