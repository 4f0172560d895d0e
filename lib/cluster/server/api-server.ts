import { builtInKinds } from '../../kinds/built-in-kinds.ts';
import type { ApiServerOptions } from '../../server/api/api-server-options.ts';
import { GenericApiServer } from '../../server/api/generic-api-server.ts';

/**
 * A Kubernetes API server in this process, with the built-in kinds unless `kinds` says otherwise.
 *
 * @example
 * await using server = new ApiServer();
 * await server.listen();
 *
 * @example A server that starts with namespaces and custom resource definitions alone
 * await using server = new ApiServer({ kinds: noKinds });
 */
export class ApiServer extends GenericApiServer {
  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ApiServerOptions = {}) {
    super(options, builtInKinds);
  }
}
