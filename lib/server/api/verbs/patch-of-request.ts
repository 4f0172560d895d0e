import type { ApiError } from '../../../meta/failure/api-error.ts';
import { badRequest, invalid } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { MessageType } from '../../../meta/types/message-type.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { nameMissing } from '../../registry/rules/name-validation.ts';
import { bodyFaultsOf, type BodyFaults } from '../../registry/rules/body-faults.ts';
import { conversionProblem } from '../../registry/typed/conversion-problem.ts';
import { decodePatch } from '../../http/body/body.ts';
import { wrongType } from '../../http/body/body-failures.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { builtInObject, patchedCustomObject } from '../../http/body/declared-kind.ts';
import {
  asJson,
  asObject,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../http/body/json-tree.ts';
import type { Exchange } from './exchange.ts';
import { applyJsonPatch, parseJsonPatch } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import {
  jsonWithLiterals,
  literalsInResult,
  repeatedInResult,
  type Literals,
} from '../../patch/patch-literals.ts';
import { goMapText } from '../../patch/patch-text.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

type ApplyPatch = (existing: JsonObject) => Json;

/** The kind that the error of a patch does not name. */
const NO_SUBJECT = { group: '', kind: '' };

/**
 * The patch in a request. It is decoded when it is first applied, so that a missing object counts before a malformed patch.
 * @see apiserver pkg/endpoints/handlers/patch.go @ v0.36.3
 */
export class PatchOfRequest {
  readonly #exchange: Exchange;
  readonly #isStrategic: boolean;
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
    const document = decodePatch(body, prefix);
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
