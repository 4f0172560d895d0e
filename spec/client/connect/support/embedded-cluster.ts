import type { RequestTrace } from '../../../../lib/client/transport/flow/request-trace.ts';
import type { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { ClusterCounts, Cut, TriedCluster } from './cluster.ts';
import { Tap } from './tap.ts';
import { wayInOf, type WayIn } from './trial.ts';

/** The embedded server over its own TLS, which checks its one bearer token itself. The client counts its requests. */
export class EmbeddedCluster implements TriedCluster {
  readonly checker = 'the embedded server';
  readonly namespace = 'default';
  readonly userAgent = 'trial';
  readonly #server: ApiServer;
  readonly #tap: Tap;
  readonly #counts = { unauthorized: 0, lists: 0, watches: 0 };

  private constructor(server: ApiServer, tap: Tap) {
    this.#server = server;
    this.#tap = tap;
  }

  static async start(server: ApiServer): Promise<EmbeddedCluster> {
    return new EmbeddedCluster(server, await Tap.start(Number(new URL(server.url).port)));
  }

  /** With the token of the server, which is the same as long as the server lives. */
  wayIn(): WayIn {
    return wayInOf({
      server: `https://127.0.0.1:${this.#tap.port}`,
      token: this.#server.token,
      tls: { ca: this.#server.certificateAuthority },
      onRequest: (trace) => {
        this.#count(trace);
      },
    });
  }

  cut(how: Cut): void {
    if (how === 'end') this.#tap.end();
    else this.#tap.reset();
  }

  counts(): Promise<ClusterCounts> {
    return Promise.resolve({ ...this.#counts, connections: this.#tap.connections });
  }

  openConnections(): number {
    return this.#tap.openConnections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tap[Symbol.asyncDispose]();
  }

  #count({ attributes }: RequestTrace): void {
    const status = attributes['http.response.status_code'];
    if (status === 401) this.#counts.unauthorized += 1;
    if (status !== 200) return;
    if (attributes['listwatch.verb'] === 'list') this.#counts.lists += 1;
    if (attributes['listwatch.verb'] === 'watch') this.#counts.watches += 1;
  }
}
