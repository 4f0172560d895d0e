import { notFound } from '../../../meta/failure/failures.ts';
import type { GroupVersionKind } from '../../../meta/resource.ts';
import { fieldForbidden } from '../../registry/rules/field-causes.ts';
import type { UpdateFunc } from '../../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { methodNotAllowed, unsupportedMediaType } from '../../http/request-failures.ts';
import type { Exchange } from './exchange.ts';
import {
  JSON_PATCH,
  MERGE_PATCH,
  PatchOfRequest,
  STRATEGIC_MERGE_PATCH,
} from './patch-of-request.ts';
import { objectResponse } from './render.ts';
import { APPLY_PATCH, serveApply } from './serve-apply.ts';
import { checkAddress } from './serve-update.ts';
import { writeOptionsOf } from './write-options.ts';

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
  const forced = query.get('force') === null ? [] : [NOT_FORCED];
  const options = writeOptionsOf(exchange, 'PatchOptions', forced);
  const name = info.name ?? '';
  const patch = new PatchOfRequest(exchange);
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
