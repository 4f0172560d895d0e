import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { createApiHandler } from '../../server/api/api-handler.ts';
import { ConnectionReset } from '../../server/api/http/connection-reset.ts';
import { HttpListener } from '../../server/api/port/http-listener.ts';
import type { InstalledResource } from '../../server/registry/contract/rest-storage.ts';
import type { KindDefinition } from '../../server/registry/contract/kind-definition.ts';
import { ServedCollection } from './served-collection.ts';

export interface ReplayServeOptions {
  /** On loopback; 0: a free port. @defaultValue 0 */
  readonly port?: number | undefined;
}

interface ReplayServerOptions extends ReplayServeOptions {
  readonly kind: KindDefinition;
  readonly runtime: Runtime;
  /** Gives the collection what was recorded, until the signal aborts. */
  readonly play: (collection: ServedCollection, signal: AbortSignal) => Promise<void>;
}

/** A recording that is served over HTTP on loopback, read only, to any client of Kubernetes. */
export class ReplayServer implements AsyncDisposable {
  readonly #listener: HttpListener;
  readonly #stop = new AbortController();
  readonly #playing: Promise<void>;

  private constructor(listener: HttpListener, play: (signal: AbortSignal) => Promise<void>) {
    this.#listener = listener;
    this.#playing = play(this.#stop.signal).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
    // `close` has it.
    this.#playing.catch(() => {});
  }

  /** As `Replay.serve`. */
  static async start({
    kind,
    runtime,
    play,
    ...options
  }: ReplayServerOptions): Promise<ReplayServer> {
    rejectUnknownOptions('serve', options, ['port']);
    const whole = { min: 0, max: 65_535, integer: true };
    const port = numberOption('serve', 'port', options.port, 0, whole);
    const collection = new ServedCollection(kind, () => listener.closeConnections());
    const { group, version, resource } = kind.describe;
    const installed: InstalledResource = { main: collection, subresources: new Map() };
    const handler = createApiHandler({
      registry: {
        generation: 1,
        all: () => [installed],
        lookup: (...name) =>
          name.join('/') === `${group}/${version}/${resource}` ? installed : undefined,
      },
      runtime,
    });
    const listener = new HttpListener({
      runtime,
      handler: async (request) => {
        const { outage } = collection;
        if (outage !== undefined) throw new ConnectionReset(outage.message);
        return await handler(request);
      },
    });
    await listener.listen({ port });
    return new ReplayServer(listener, (signal) => play(collection, signal));
  }

  /** E.g. `http://127.0.0.1:43211`: no credentials are needed. */
  get url(): string {
    return `http://${this.#listener.address}`;
  }

  /** Ends the watches, and stops listening. Calling again has no effect. @throws what the replay failed with. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#listener.close();
    await this.#playing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
