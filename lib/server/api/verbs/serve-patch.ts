import type { FieldCause } from '../../../meta/failures.ts';
import { badRequest, invalid, notFound } from '../../../meta/failures.ts';
import { apiVersionOf, type GroupVersionKind } from '../../../meta/resource.ts';
import { builtInTypes } from '../../../meta/types/built-in-types.ts';
import { fieldForbidden, fieldInvalid } from '../../registry/rules/field-causes.ts';
import type { UpdateFunc } from '../../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import { BUILT_IN_GROUPS } from '../http/built-in-groups.ts';
import { decodePatch } from '../http/body.ts';
import { wrongType } from '../http/body-failures.ts';
import { builtInObject } from '../http/declared-kind.ts';
import type { Exchange } from './exchange.ts';
import { applyJsonPatch, parseJsonPatch } from './json-patch.ts';
import { asJson, isJsonObject, type Json, type JsonObject } from '../http/json-tree.ts';
import { goMapText, sortedJson } from './patch-text.ts';
import { applyMergePatch } from './merge-patch.ts';
import { writeOptionsOf } from './write-options.ts';
import { APPLY_PATCH, serveApply } from './serve-apply.ts';
import { queryText } from '../http/query-options.ts';
import { objectResponse } from './render.ts';
import { checkObjectShape } from './shape.ts';
import {
  methodNotAllowed,
  unsupportedMediaType,
  invalidOptions,
} from '../http/request-failures.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

type ApplyPatch = (existing: JsonObject) => Json;

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
  checkObjectShape(exchange);
  const options = writeOptionsOf(exchange, 'PatchOptions');
  const apply = readPatch(request, storage.describe);
  if (queryText(query, 'force') !== undefined) {
    throw invalidOptions('PatchOptions', [
      fieldForbidden('force', 'may not be specified for non-apply patch'),
    ]);
  }
  const name = info.name ?? '';
  context.step?.('patch decoded');
  const update: UpdateFunc = (existing) => {
    if (existing === undefined) throw notFound(storage.describe, name);
    const patched = apply(asJson(existing));
    if (!isJsonObject(patched)) throw badRequest('the result of the patch is not an object');
    return builtInObject(patched, storage.describe, badRequest);
  };
  const { result, created } = await storage.update(context, name, update, {
    ...options,
    refuseBody: (detail, body) => invalid(NO_SUBJECT, '', [patchCause(request, body, detail)]),
  });
  return objectResponse(exchange, created ? 201 : 200, result);
}

function patchTypeOf({ headers }: ApiRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
}

/** The kind that the error of a patch does not name. */
const NO_SUBJECT = { group: '', kind: '' };

/** A patch whose result cannot be read: the cause shows the result, or the patch itself if it is a strategic merge patch. */
function patchCause(request: ApiRequest, patched: unknown, detail: string): FieldCause {
  const text =
    patchTypeOf(request) === STRATEGIC_MERGE_PATCH
      ? goMapText(decodePatch(request.body, ''))
      : sortedJson(patched);
  return fieldInvalid('patch', text, detail);
}

/** @throws {ApiError} 400 for a malformed patch, 413 if it is too large, 415 for other formats. */
function readPatch(request: ApiRequest, describe: GroupVersionKind): ApplyPatch {
  const contentType = patchTypeOf(request);
  const taken = patchTypes(describe.group);
  if (!taken.includes(contentType)) throw unsupportedMediaType(taken);
  const prefix = contentType === STRATEGIC_MERGE_PATCH ? '' : 'error decoding patch: ';
  const document = decodePatch(request.body, prefix);
  if (contentType === JSON_PATCH) {
    const patch = parseJsonPatch(document);
    return (existing) => applyJsonPatch(existing, patch);
  }
  if (!isJsonObject(document)) {
    throw badRequest(prefix + wrongType(document, 'value of type map[string]interface {}'));
  }
  if (contentType === MERGE_PATCH) return (existing) => applyMergePatch(existing, document);
  const type = builtInTypes().kind(apiVersionOf(describe), describe.kind);
  return (existing) => applyStrategicMergePatch(existing, document, type);
}
