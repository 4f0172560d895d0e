import type { ApiResponse } from '../../http/api-request.ts';
import type { Exchange } from './exchange.ts';
import { parseListOptions } from '../../http/query-options.ts';
import { listResponse } from './render.ts';
import { methodNotAllowed } from '../../http/request-failures.ts';

/** GET of a collection. */
export async function serveList(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query } = exchange;
  if (storage.list === undefined) throw methodNotAllowed();
  const options = parseListOptions(query);
  const list = await (storage.scan?.(context, options) ?? storage.list(context, options));
  context.step?.('read from storage');
  return listResponse(exchange, list);
}
