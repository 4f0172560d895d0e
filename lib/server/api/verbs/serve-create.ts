import type { ApiResponse } from '../http/api-request.ts';
import { decodeObject } from '../http/body.ts';
import type { Exchange } from './exchange.ts';
import { parseWriteOptions } from '../http/query-options.ts';
import { objectResponse } from './render.ts';
import { methodNotAllowed } from '../http/request-failures.ts';

/** POST to a collection. */
export async function serveCreate(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query, request } = exchange;
  if (storage.create === undefined) throw methodNotAllowed();
  const options = parseWriteOptions(query, 'CreateOptions');
  const object = decodeObject(request, storage.describe);
  return objectResponse(exchange, 201, await storage.create(context, object, options));
}
