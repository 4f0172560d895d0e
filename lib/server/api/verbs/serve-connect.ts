import { badRequest } from '../../../meta/failure/failures.ts';
import type { ConnectMethods } from '../../registry/contract/rest-storage.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import type { Verb } from '../../http/request-info.ts';
import { methodNotAllowed, unknownPathIn } from '../../http/request-failures.ts';
import type { Exchange } from './exchange.ts';

/** A request to a subresource that something behind the server answers. */
export async function serveConnect(
  { info, context, request, query }: Exchange,
  connect: ConnectMethods,
): Promise<ApiResponse> {
  if (info.path !== '' && !connect.takesPath) throw unknownPathIn(info.group);
  if (!(connect.verbs as readonly Verb[]).includes(info.verb)) throw methodNotAllowed();
  if (query.has('dryRun')) throw badRequest('dryRun is not supported');
  const { method, headers, body } = request;
  const { name = '', path } = info;
  return await connect.handle(context, name, { method, path, query, headers, body });
}
