import type { ApiResponse } from '../http/api-request.ts';
import type { Exchange } from './exchange.ts';
import { parseListOptions } from '../http/query-options.ts';
import { listResponse } from './render.ts';
import { methodNotAllowed } from '../http/request-failures.ts';

/** GET of a collection. */
export async function serveList(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query } = exchange;
  if (storage.list === undefined) throw methodNotAllowed();
  return listResponse(exchange, await storage.list(context, parseListOptions(query)));
}
