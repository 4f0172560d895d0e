import { numberOption, rejectUnknownOptions } from '../../kernel/options/options.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { createApiHandler } from '../../server/api/api-handler.ts';
import { ConnectionReset } from '../../server/api/http/connection-reset.ts';
import { HttpListener } from '../../server/api/port/http-listener.ts';
import type { InstalledResource } from '../../server/registry/contract/rest-storage.ts';
import { ServedCollection } from './served-collection.ts';
import { servedKind } from './served-kind.ts';

export interface ReplayServeOptions {
  /** On loopback; 0: a free port. @defaultValue 0 */
  readonly port?: number | undefined;
}

interface ReplayServerOptions extends ReplayServeOptions {
  /** As its source describes it. */
  readonly collection: string;
  readonly objects: Iterable<ObjectView>;
  readonly runtime: Runtime;
  /** Gives the collection what was recorded, until the signal aborts. */
  readonly play: (collection: ServedCollection, signal: AbortSignal) => Promise<void>;
}

/** A recording that is served over HTTP on loopback, read only, to any client of Kubernetes. */
export interface ReplayServer extends AsyncDisposable {
  /** E.g. `http://127.0.0.1:43211`: no credentials are needed. */
  readonly url: string;
  /** Ends the watches, and stops listening. Calling again has no effect. @throws what the replay failed with. */
  close(): Promise<void>;
}

/** As `Replay.serve`. */
export async function startReplayServer({
  collection: name,
  objects,
  runtime,
  play,
  ...options
}: ReplayServerOptions): Promise<ReplayServer> {
  rejectUnknownOptions('serve', options, ['port']);
  const whole = { min: 0, max: 65_535, integer: true };
  const port = numberOption('serve', 'port', options.port, 0, whole);
  const kind = servedKind(name, objects);
  const collection = new ServedCollection(kind, () => listener.closeConnections());
  const { group, version, resource } = kind.describe;
  const installed: InstalledResource = { main: collection, subresources: new Map() };
  const handler = createApiHandler({
    registry: {
      generation: 1,
      all: () => [installed],
      lookup: (...path) =>
        path.join('/') === `${group}/${version}/${resource}` ? installed : undefined,
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
  const stop = new AbortController();
  const { signal } = stop;
  const playing = play(collection, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  // `close` tells it.
  playing.catch(() => {});
  const close = async (): Promise<void> => {
    stop.abort();
    await listener.close();
    await playing;
  };
  return { url: `http://${listener.address}`, close, [Symbol.asyncDispose]: close };
}
