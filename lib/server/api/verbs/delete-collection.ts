import type { ApiResponse } from '../http/api-request.ts';
import { parseDeleteRequest } from './delete-object.ts';
import type { Exchange } from './exchange.ts';
import { parseListOptions } from '../http/query-options.ts';
import { listResponse } from './render.ts';
import { methodNotAllowed } from '../http/request-failures.ts';

/** DELETE of everything in a collection that matches; answers with what was deleted. */
export async function deleteCollection(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query, request } = exchange;
  if (storage.deleteCollection === undefined) throw methodNotAllowed(request.method);
  const options = parseListOptions(query);
  const { deletion } = parseDeleteRequest(request, query);
  return listResponse(exchange, await storage.deleteCollection(context, options, deletion));
}
