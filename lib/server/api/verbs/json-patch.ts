import { failure, type ApiError } from '../../../meta/api-error.ts';
import { badRequest } from '../../../meta/failures.ts';
import { jsonEqual, setOwn } from '../../registry/rules/json-value.ts';
import { cloneJson, getOwn, isJsonObject, type Json, type JsonObject } from '../http/json-tree.ts';
import { entityTooLarge } from '../http/request-failures.ts';

/** @see apiserver pkg/endpoints/handlers/patch.go maxJSONPatchOperations @ 24a394e */
const MOST_OPERATIONS = 10_000;
/** Maximum total size of the values that `copy` operations copy, as JSON text. */
const LARGEST_COPIES = 3 * 1024 * 1024;
const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;

interface Operation {
  readonly op: (typeof OPERATIONS)[number];
  readonly path: string;
  readonly from: string | undefined;
  readonly value: Json | undefined;
}

/** A parsed and checked JSON patch, which can be applied any number of times. */
export type JsonPatch = readonly Operation[];

/**
 * Reads a JSON patch document.
 * @throws {ApiError} 400 for a malformed document, 413 for more than 10 000 operations.
 */
export function parseJsonPatch(document: Json): JsonPatch {
  if (!Array.isArray(document)) throw badRequest('a JSON patch must be a list of operations');
  if (document.length > MOST_OPERATIONS) {
    throw entityTooLarge(
      `the JSON patch has ${document.length} operations; ${MOST_OPERATIONS} are allowed`,
    );
  }
  return document.map(parseOperation);
}

function parseOperation(item: Json, index: number): Operation {
  const operation = isJsonObject(item) ? item : {};
  const op = OPERATIONS.find((name) => name === getOwn(operation, 'op'));
  const path = getOwn(operation, 'path');
  const from = getOwn(operation, 'from');
  const value = getOwn(operation, 'value');
  const needsFrom = op === 'move' || op === 'copy';
  const needsValue = op === 'add' || op === 'replace' || op === 'test';
  if (op === undefined || typeof path !== 'string') {
    throw badRequest(`operation ${index} of the JSON patch needs a known "op" and a "path"`);
  }
  if (needsFrom && typeof from !== 'string') {
    throw badRequest(`operation ${index} of the JSON patch (${op}) needs "from"`);
  }
  if (needsValue && value === undefined) {
    throw badRequest(`operation ${index} of the JSON patch (${op}) needs "value"`);
  }
  return { op, path, from: typeof from === 'string' ? from : undefined, value };
}

/**
 * Applies a patch to a copy of the target.
 * @throws {ApiError} 422 when a path does not exist or a test fails, 413 when copies add up to more than 3 MiB.
 * @see RFC 6902
 */
export function applyJsonPatch(target: Json, patch: JsonPatch): Json {
  const run = new PatchRun(cloneJson(target));
  for (const operation of patch) run.apply(operation);
  return run.document;
}

/** One application of a patch; `document` has the changes so far. */
class PatchRun {
  document: Json;
  #copied = 0;

  constructor(document: Json) {
    this.document = document;
  }

  apply({ op, path, from, value }: Operation): void {
    switch (op) {
      case 'add':
        this.#add(path, cloneJson(value as Json));
        return;
      case 'remove':
        this.#remove(path);
        return;
      case 'replace':
        this.#replace(path, cloneJson(value as Json));
        return;
      case 'move':
        this.#move(from as string, path);
        return;
      case 'copy':
        this.#add(path, this.#copyOf(from as string));
        return;
      case 'test':
        if (!jsonEqual(this.#get(path), value)) {
          throw refused(`testing value ${path} failed`);
        }
    }
  }

  #get(path: string): Json {
    let value = this.document;
    for (const token of tokensOf(path)) value = child(value, token, path);
    return value;
  }

  #add(path: string, value: Json): void {
    const { parent, last } = this.#parentOf(path);
    if (last === undefined) this.document = value;
    else if (Array.isArray(parent)) {
      parent.splice(last === '-' ? parent.length : indexOf(last, parent.length, path), 0, value);
    } else setOwn(parent, last, value);
  }

  #remove(path: string): Json {
    const removed = this.#get(path);
    const { parent, last } = this.#parentOf(path);
    if (last === undefined) throw refused('the whole document cannot be removed');
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
    return removed;
  }

  #replace(path: string, value: Json): void {
    this.#get(path);
    const { parent, last } = this.#parentOf(path);
    if (last === undefined) this.document = value;
    else if (Array.isArray(parent)) parent[Number(last)] = value;
    else setOwn(parent, last, value);
  }

  #move(from: string, path: string): void {
    if (path.startsWith(`${from}/`)) throw refused(`${from} cannot be moved into itself`);
    this.#add(path, this.#remove(from));
  }

  #copyOf(from: string): Json {
    const value = this.#get(from);
    this.#copied += JSON.stringify(value).length;
    if (this.#copied > LARGEST_COPIES) {
      throw entityTooLarge(`the JSON patch copies more than ${LARGEST_COPIES} bytes`);
    }
    return cloneJson(value);
  }

  #parentOf(path: string): { parent: Json[] | JsonObject; last: string | undefined } {
    const tokens = tokensOf(path);
    const last = tokens.pop();
    let value = this.document;
    for (const token of tokens) value = child(value, token, path);
    if (last === undefined) return { parent: [], last };
    if (Array.isArray(value) || isJsonObject(value)) return { parent: value, last };
    throw missing(path);
  }
}

function tokensOf(path: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw refused(`the path ${JSON.stringify(path)} must start with "/"`);
  return path
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(value: Json, token: string, path: string): Json {
  if (Array.isArray(value)) return value[indexOf(token, value.length - 1, path)] as Json;
  const found = isJsonObject(value) ? getOwn(value, token) : undefined;
  if (found === undefined) throw missing(path);
  return found;
}

function indexOf(token: string, largest: number, path: string): number {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : Infinity;
  if (index > largest) throw missing(path);
  return index;
}

function missing(path: string): ApiError {
  return refused(`the path ${JSON.stringify(path)} does not exist`);
}

function refused(reason: string): ApiError {
  return failure(
    'Invalid',
    `the server rejected our request due to an error in our request: ${reason}`,
  );
}
