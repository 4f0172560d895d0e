import type { ApiResponse } from '../../http/api-request.ts';
import type { Exchange } from './exchange.ts';
import { queryText } from '../../http/query-options.ts';
import { objectResponse } from './render.ts';
import { methodNotAllowed } from '../../http/request-failures.ts';

/** GET of one object. */
export async function serveGet(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, query } = exchange;
  if (storage.get === undefined) throw methodNotAllowed();
  const resourceVersion = queryText(query, 'resourceVersion');
  const stored = await storage.get(context, info.name ?? '', { resourceVersion });
  context.step?.('read from storage');
  return objectResponse(exchange, 200, stored);
}
