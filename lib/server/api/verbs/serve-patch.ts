import { notFound, badRequest, invalid } from '../../../meta/failure/failures.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import { fieldForbidden, fieldRequired, fieldInvalid } from '../../registry/rules/field-causes.ts';
import type { UpdateFunc, ResourceDescription } from '../../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { methodNotAllowed, unsupportedMediaType } from '../../http/request-failures.ts';
import type { Exchange } from './exchange.ts';
import { objectResponse } from './render.ts';
import { checkAddress } from './serve-create.ts';
import { writeOptionsOf } from './write-options.ts';
import { DEEPEST_OBJECT, depthWithin } from '../../../meta/json-value.ts';
import { yamlError, bodyFaultsOf, type BodyFaults } from '../../registry/rules/body-faults.ts';
import { nameMissing } from '../../registry/rules/name-validation.ts';
import { wrongType } from '../../http/body/body-failures.ts';
import { isSince } from '../../../meta/releases/kubernetes-features.ts';
import { jsonSyntaxError } from '../../../kernel/text/go-json-syntax.ts';
import { decodeConfiguration, decodePatch } from '../../http/body/body.ts';
import {
  asObject,
  isJsonObject,
  asJson,
  type Json,
  type JsonObject,
} from '../../http/body/json-tree.ts';
import { queryFlag, queryText } from '../../http/query-options.ts';
import type { ApiError } from '../../../meta/failure/api-error.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { MessageType } from '../../../meta/types/message-type.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { conversionProblem } from '../../registry/typed/conversion-problem.ts';
import { builtInObject, patchedCustomObject } from '../../http/body/declared-kind.ts';
import { applyJsonPatch, parseJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch, applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import {
  jsonWithLiterals,
  literalsInResult,
  repeatedInResult,
  type Literals,
} from '../../patch/patch-literals.ts';
import { goMapText } from '../../patch/patch-text.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

type ApplyPatch = (existing: JsonObject) => Json;

/** The kind that the error of a patch does not name. */
const NO_SUBJECT = { group: '', kind: '' };

/**
 * The patch in a request. It is decoded when it is first applied, so that a missing object counts before a malformed patch.
 * @see apiserver pkg/endpoints/handlers/patch.go @ v0.36.3
 */
class PatchOfRequest {
  readonly #exchange: Exchange;
  readonly #isStrategic: boolean;
  /** The body, where it was read first. */
  #document: Json | undefined;
  #apply: ApplyPatch | undefined;
  #existing: UnstructuredObject | undefined;
  #ofPatch: BodyFaults | undefined;
  #faults: BodyFaults | undefined;
  /** Problems in the result of the patch only. */
  #ofResult: ((result: Json) => Pick<BodyFaults, 'faults' | 'literals'>) | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#isStrategic = this.#contentType() === STRATEGIC_MERGE_PATCH;
  }

  /** Newer versions read the patch before the object. @throws {ApiError} 400 for what is no JSON. */
  readFirst(): void {
    const { minor, request } = this.#exchange;
    if (!isSince(minor, 'patchesReadFirst')) return;
    try {
      this.#document = decodePatch(request.body, '');
    } catch (error) {
      // A patch that is too large or too deep is JSON, and refused later.
      if (jsonSyntaxError(request.body) === undefined) return;
      throw badRequest('invalid JSON patch', error);
    }
  }

  /** @throws {ApiError} 400 for a malformed patch, 413 if it is too large, 422 when it cannot be applied. */
  appliedTo(existing: UnstructuredObject): UnstructuredObject {
    const { storage, context } = this.#exchange;
    if (this.#apply === undefined) {
      this.#apply = this.#decoded();
      context.step?.('patch decoded');
    }
    this.#existing = existing;
    const patched = this.#apply(asJson(existing));
    this.#noteFaults(patched);
    if (!isJsonObject(patched)) throw badRequest('the result of the patch is not an object');
    if (this.#isStrategic) return this.#converted(patched);
    const refuse = (reason: string): ApiError => this.refused(reason, patched);
    const { describe } = storage;
    if (!BUILT_IN_GROUPS.has(describe.group)) {
      return patchedCustomObject(patched, describe, refuse, () => this.#shown());
    }
    // Without a version it is read as a type without names in JSON.
    if ((patched['apiVersion'] ?? '') === '') throw nameMissing(this.#exchange.info.name ?? '');
    return builtInObject(patched, describe, refuse, refuse);
  }

  /** Members of the patch that are there twice, and those of an operation that has no such member. */
  get faults(): BodyFaults | undefined {
    return this.#faults;
  }

  #noteFaults(patched: Json): void {
    if (this.#ofResult === undefined) return;
    const { faults, literals } = this.#ofResult(patched);
    const ofPatch = this.#ofPatch ?? NO_FAULTS;
    this.#faults = { ...ofPatch, faults: [...ofPatch.faults, ...faults], literals };
  }

  /** The failure of a patch whose result cannot be read as its kind. It shows the result, or a strategic merge patch itself. */
  refused(detail: string, patched: unknown): ApiError {
    const { request } = this.#exchange;
    if (this.#isStrategic) {
      const problem = conversionProblem(this.#type(), patched);
      return refusal(goMapText(decodePatch(request.body, '')), problem ?? detail);
    }
    return refusal(this.#shown(), detail);
  }

  /** The result of the patch, as the server shows it. */
  #shown(): string {
    const { storage } = this.#exchange;
    const existing = this.#existing as UnstructuredObject;
    const inOrder = (storage.withZeros?.(existing) ?? existing) as UnstructuredObject;
    const shown = this.#apply?.(asJson(inOrder)) ?? null;
    return jsonWithLiterals(shown, this.#faults?.literals ?? NO_LITERALS);
  }

  /** A conversion between types does not look at the names of the kind. */
  #converted(patched: JsonObject): UnstructuredObject {
    const { describe } = this.#exchange.storage;
    for (const name of ['kind', 'apiVersion', 'metadata']) {
      const value = patched[name] ?? null;
      const fits = name === 'metadata' ? isJsonObject(value) : typeof value === 'string';
      if (value !== null && !fits) throw this.refused('', patched);
    }
    return asObject({ ...patched, apiVersion: apiVersionOf(describe), kind: describe.kind });
  }

  #contentType(): string {
    return (this.#exchange.request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  }

  #type(): MessageType | undefined {
    const { describe } = this.#exchange.storage;
    return builtInTypes().kind(apiVersionOf(describe), describe.kind);
  }

  #decoded(): ApplyPatch {
    const { body } = this.#exchange.request;
    const contentType = this.#contentType();
    const prefix = this.#isStrategic ? '' : 'error decoding patch: ';
    const document = this.#document ?? decodePatch(body, prefix);
    const found = bodyFaultsOf(body, document, contentType === JSON_PATCH ? 'json patch ' : '');
    this.#ofPatch =
      contentType === JSON_PATCH ? operationFaults(found, document) : patchFaults(found);
    this.#faults = this.#ofPatch;
    // Only built-in types distinguish `3.0` from `3`, and the conversion of a strategic merge patch does not.
    const literals = this.#type() === undefined ? NO_LITERALS : (found?.literals ?? NO_LITERALS);
    if (contentType === JSON_PATCH) {
      const patch = parseJsonPatch(document);
      if (found !== undefined) {
        this.#ofResult = (result) => ({
          faults: repeatedInResult(patch, result, found.faults),
          literals: literalsInResult(patch, result, literals),
        });
      }
      return (existing) => applyJsonPatch(existing, patch);
    }
    if (document === null) {
      // Null is no change as a map of Go, but no document of a merge patch.
      if (!this.#isStrategic) throw badRequest('Invalid JSON Patch');
      return (existing) => existing;
    }
    if (!isJsonObject(document)) {
      throw badRequest(prefix + wrongType(document, 'value of type map[string]interface {}'));
    }
    if (contentType === MERGE_PATCH && literals.size > 0) {
      this.#ofResult = () => ({ faults: [], literals });
    }
    if (contentType === MERGE_PATCH) return (existing) => applyMergePatch(existing, document);
    return (existing) => applyStrategicMergePatch(existing, document, this.#type());
  }
}

/** Those of a patch come before the unknown fields of its result. */
function patchFaults(found: BodyFaults | undefined): BodyFaults | undefined {
  if (found === undefined) return undefined;
  return { ...found, literals: NO_LITERALS, placeOf: () => Infinity };
}

const NO_LITERALS: Literals = new Map();
const NO_FAULTS: BodyFaults = {
  faults: [],
  merged: undefined,
  literals: NO_LITERALS,
  placeOf: () => Infinity,
};
const OPERATION = new Set(['op', 'path', 'from', 'value']);

function operationFaults(repeated: BodyFaults | undefined, document: Json): BodyFaults | undefined {
  const prefix = 'json patch ';
  const unknown = (Array.isArray(document) ? document : []).flatMap((operation, index) =>
    Object.keys(isJsonObject(operation) ? operation : {})
      .filter((name) => !OPERATION.has(name))
      .map((name) => `[${index}].${name}`),
  );
  const faults = [
    ...(repeated?.faults ?? []),
    ...unknown.map((path) => ({
      path,
      text: `${prefix}unknown field ${JSON.stringify(path)}`,
      place: repeated?.placeOf(path) ?? 0,
    })),
  ].toSorted((one, other) => one.place - other.place);
  if (faults.length === 0) return undefined;
  return { faults, merged: document, literals: NO_LITERALS, placeOf: () => Infinity };
}

function refusal(shown: string, detail: string): ApiError {
  return invalid(NO_SUBJECT, '', [fieldInvalid('patch', shown, detail)]);
}

const MANAGER_REQUIRED = fieldRequired('fieldManager', 'is required for apply patch');

/** The content type of server-side apply. JSON is YAML too. */
const APPLY_PATCH = 'application/apply-patch+yaml';

/**
 * PATCH of one object by server-side apply.
 * @throws {ApiError} 400, 404, 409 for fields of other managers, 413, 422.
 * @see apiserver pkg/endpoints/handlers/patch.go applyPatcher @ v0.36.3
 */
async function serveApply(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, query, request } = exchange;
  if (storage.apply === undefined) throw methodNotAllowed();
  const unnamed = queryText(query, 'fieldManager') === undefined ? [MANAGER_REQUIRED] : [];
  const options = {
    ...writeOptionsOf(exchange, 'PatchOptions', unnamed),
    force: queryFlag(query, 'force'),
  };
  const name = info.name ?? '';
  const isPatch = isSince(exchange.minor, 'patchesReadFirst');
  const subject = isPatch ? 'patch' : 'YAML';
  const configuration = readConfiguration(request.body, subject, (faults) => {
    const { fieldValidation = 'Warn' } = options;
    if (fieldValidation === 'Strict') {
      throw badRequest(
        `error strict decoding ${subject}: error converting YAML to JSON: ${yamlError(faults)}`,
      );
    }
    if (fieldValidation === 'Warn') for (const { text } of faults.faults) context.warn(text);
  });
  checkType(configuration, storage.describe);
  checkMetadata(configuration, name, context.namespace);
  const { result, created } = await storage.apply(context, name, asObject(configuration), options);
  return objectResponse(exchange, created ? 201 : 200, result);
}

function readConfiguration(
  body: Uint8Array,
  subject: string,
  onFaults: (faults: BodyFaults) => void,
): JsonObject {
  const document = decodeConfiguration(body, `error decoding ${subject}: `, onFaults);
  if (!isJsonObject(document)) {
    throw badRequest(
      `error decoding ${subject}: error unmarshaling JSON: while decoding JSON: ${wrongType(document, 'value of type map[string]interface {}')}`,
    );
  }
  if (!depthWithin(document, DEEPEST_OBJECT)) {
    throw badRequest(`the object is nested deeper than ${DEEPEST_OBJECT} levels`);
  }
  return document;
}

function checkType(configuration: JsonObject, expected: ResourceDescription): void {
  const apiVersion = textOf(configuration['apiVersion']);
  const kind = textOf(configuration['kind']);
  if (apiVersion === apiVersionOf(expected) && kind === expected.kind) return;
  const shown = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw badRequest(`invalid object type: ${shown}, Kind=${kind}`);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function checkMetadata(configuration: JsonObject, name: string, namespace: string): void {
  const metadata = configuration['metadata'] ?? {};
  if (!isJsonObject(metadata)) throw badRequest('the metadata of the object must be an object');
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
    throw badRequest('metadata.managedFields must be nil');
  }
  // Without a name it is the object of the path; an empty one is a name. Another one counts after the conflicts.
  if (metadata['name'] !== undefined && textOf(metadata['name']) === '') throw nameMissing(name);
  const found = textOf(metadata['namespace']);
  if (found !== '' && namespace !== '' && found !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
}

/** The patch formats that a resource of this group accepts. Custom resources have no merge keys, so they do not accept strategic merge patches. */
export function patchTypes(group: string): string[] {
  const general = [JSON_PATCH, MERGE_PATCH];
  const own = BUILT_IN_GROUPS.has(group) ? [STRATEGIC_MERGE_PATCH] : [];
  return [...general, ...own, APPLY_PATCH];
}

/**
 * PATCH of one object. The patch is applied inside the update loop: after a concurrent write it is applied again to the newer
 * state, instead of failing.
 */
export async function servePatch(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, query, request } = exchange;
  if (patchTypeOf(request) === APPLY_PATCH) return await serveApply(exchange);
  if (storage.update === undefined || storage.patchable === false) throw methodNotAllowed();
  checkPatchType(request, storage.describe);
  const patch = new PatchOfRequest(exchange);
  const forced = query.get('force') === null ? [] : [NOT_FORCED];
  const options = writeOptionsOf(exchange, 'PatchOptions', forced);
  patch.readFirst();
  const name = info.name ?? '';
  const update: UpdateFunc = (existing) => {
    if (existing === undefined) throw notFound(storage.describe, name);
    const patched = patch.appliedTo(existing);
    checkAddress(patched, name, context.namespace);
    return patched;
  };
  const { result, created } = await storage.update(context, name, update, {
    ...options,
    checksUid: false,
    bodyFaults: () => patch.faults,
    refuseBody: (detail, body) => patch.refused(detail, body),
  });
  return objectResponse(exchange, created ? 201 : 200, result);
}

const NOT_FORCED = fieldForbidden('force', 'may not be specified for non-apply patch');

function patchTypeOf({ headers }: ApiRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
}

/** @throws {ApiError} 415. */
function checkPatchType(request: ApiRequest, { group }: GroupVersionKind): void {
  const taken = patchTypes(group);
  if (!taken.includes(patchTypeOf(request))) throw unsupportedMediaType(taken);
}
