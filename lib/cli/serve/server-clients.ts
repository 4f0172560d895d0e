import {
  ClusterControllers,
  type ClusterControllersOptions,
} from '../../cluster/cluster-controllers.ts';
import { ServerIdentity } from '../../cluster/identity/server-identity.ts';

/** The clients of a server in its own process: its lease in the cluster, and the controllers that were selected. */
export class ServerClients implements AsyncDisposable {
  readonly #options: ClusterControllersOptions;
  readonly #identity: ServerIdentity;
  #controllers: ClusterControllers | undefined;

  constructor(options: ClusterControllersOptions) {
    const { server, runtime, logger } = options;
    this.#options = options;
    this.#identity = new ServerIdentity({ handler: server.handler, runtime, logger });
  }

  /** May be called again. The line about the controllers is the last one: everything is loaded then. */
  async start(): Promise<void> {
    const { controllers, logger } = this.#options;
    this.#identity.start();
    if (controllers.size === 0) return;
    if (this.#controllers === undefined) {
      this.#controllers = new ClusterControllers(this.#options);
      logger.info('controllers started', { controllers: [...controllers] });
    }
    await this.#controllers.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#identity[Symbol.asyncDispose]();
    await this.#controllers?.[Symbol.asyncDispose]();
  }
}
