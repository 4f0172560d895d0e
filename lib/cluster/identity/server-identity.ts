import type { Client } from '../../client/rest/client.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { hostName } from '../../kernel/time/real-process.ts';
import { sleep, withDeadline } from '../../kernel/time/wait.ts';
import type { ApiHandler } from '../../server/http/api-request.ts';
import { SERVER_USER } from '../../server/registry/contract/server-context.ts';
import { adminUser } from '../../server/registry/contract/user-info.ts';
import { clusterClient } from '../resources/cluster-client.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import { ServerLease } from './server-lease.ts';
import { TokenTracking } from './token-tracking.ts';

export interface ServerIdentityOptions extends ClusterParts {
  readonly handler: ApiHandler;
  /** @defaultValue the name of this machine */
  readonly host?: string | undefined;
}

const RENEW_MS = 10_000;
/** A share of the time between two renewals, so that servers that start together do not renew together. */
const JITTER = 0.04;
/** A stop does not wait longer for the deletion of the lease. */
const END_MS = 10_000;

/**
 * The objects that a kube-apiserver keeps about itself in `kube-system`: its lease, and the config map of the tracking of tokens.
 *
 * `ApiServer` does not have it: a server in a test holds only what the test made, and its revision stands still between two requests.
 */
export class ServerIdentity implements AsyncDisposable {
  readonly #options: ServerIdentityOptions;
  readonly #client: Client;
  readonly #lease: ServerLease;
  readonly #tracking: TokenTracking;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ServerIdentityOptions) {
    const { handler, host = hostName(), runtime, logger } = options;
    this.#options = options;
    const user = adminUser(SERVER_USER);
    this.#client = clusterClient({
      handler,
      user,
      fieldManager: 'kube-apiserver',
      runtime,
      logger,
    });
    this.#lease = new ServerLease({ client: this.#client, host, runtime });
    this.#tracking = new TokenTracking({ client: this.#client, runtime });
  }

  /** May be called again. A write that fails is repeated at the next renewal. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Removes the lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    await this.#running;
    if (this.#running !== undefined) await this.#remove();
    await this.#client.close();
  }

  async #run(): Promise<void> {
    const { runtime } = this.#options;
    const { signal } = this.#stop;
    await this.#attempt(() => this.#lease.remove(signal));
    while (!signal.aborted) {
      await this.#attempt(() => this.#lease.renew(signal));
      await this.#attempt(() => this.#tracking.keep(signal));
      const delayMs = RENEW_MS * (1 + runtime.random() * JITTER);
      await sleep(runtime, delayMs, { signal, background: true }).catch(() => {});
    }
  }

  async #remove(): Promise<void> {
    const { runtime, logger } = this.#options;
    try {
      const describe = (): string => 'the deletion of the lease of this server';
      await withDeadline(runtime, this.#lease.remove(), { timeoutMs: END_MS, describe });
    } catch (error) {
      logger.warn('the lease of this server stays', { error: errorMessage(error) });
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#options.logger.warn('the lease or the config map of this server was not written', {
        error: errorMessage(error),
      });
    }
  }
}
