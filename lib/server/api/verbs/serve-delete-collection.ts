import type { ApiResponse } from '../../http/api-request.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { IGNORE_READ_ERROR, parseDeleteRequest } from './serve-delete.ts';
import type { Exchange } from './exchange.ts';
import { parseListOptions } from '../../http/query-options.ts';
import { listResponse } from './render.ts';
import { invalidOptions, methodNotAllowed } from '../../http/request-failures.ts';

/** DELETE of all matching objects of a collection; responds with the deleted objects. */
export async function serveDeleteCollection(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query } = exchange;
  if (storage.deleteCollection === undefined) throw methodNotAllowed();
  const options = parseListOptions(query);
  storage.checkSelectors?.(options);
  const { deletion } = parseDeleteRequest(exchange);
  if (deletion.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const rule = 'is not allowed with DELETECOLLECTION, try again after removing the option';
    throw invalidOptions('DeleteOptions', [fieldInvalid(IGNORE_READ_ERROR, true, rule)]);
  }
  return listResponse(exchange, await storage.deleteCollection(context, options, deletion));
}
