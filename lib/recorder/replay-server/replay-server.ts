import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { CollectionReader } from '../../meta/collection-options.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { createApiHandler } from '../../server/api/api-handler.ts';
import { ConnectionReset } from '../../server/http/connection-reset.ts';
import { HttpListener } from '../../server/api/port/http-listener.ts';
import type { InstalledResource } from '../../server/registry/contract/rest-storage.ts';
import type { KindDefinition } from '../../server/registry/contract/kind-definition.ts';
import { ServedCollection } from './served-collection.ts';
import { kindOfResource, servedKind } from './served-kind.ts';
import type { ServedPart } from './served-part.ts';
import { ServedStage } from './served-stage.ts';

export interface ReplayServeOptions {
  /** On loopback; 0: a free port. @defaultValue 0 */
  readonly port?: number | undefined;
}

/** The collections and records of one reader. */
export interface ServedReader {
  readonly description: string;
  /** Undefined in a recording of one source. */
  readonly collection: CollectionReader | undefined;
  /** The kind of the objects, as an answer without objects has named it. */
  readonly itemKind: string | undefined;
  readonly objects: Iterable<ObjectView>;
}

/** Those who get what was recorded, one for each reader, and when they want it. */
export interface ServedClients {
  readonly parts: readonly ServedPart[];
  /** The first lists are there. Resolves when a client wants what follows. */
  wanted(): Promise<void>;
}

interface ReplayServerOptions extends ReplayServeOptions {
  readonly readers: readonly ServedReader[];
  readonly runtime: Runtime;
  /** Gives the clients what was recorded, until the signal aborts. */
  readonly play: (clients: ServedClients, signal: AbortSignal) => Promise<void>;
}

/** A recording that is served over HTTP on loopback, read only, to any client of Kubernetes. */
export interface ReplayServer extends AsyncDisposable {
  /** E.g. `http://127.0.0.1:43211`: no credentials are needed. */
  readonly url: string;
  /** Ends the watches, and stops listening. Calling again has no effect. @throws what the replay failed with. */
  close(): Promise<void>;
}

const OPTIONS = optionsOf<ReplayServeOptions>()('serve', {
  port: is.integer({ min: 0, max: 65_535 }).default(0),
});

/** As `Replay.serve`. */
export async function startReplayServer({
  readers,
  runtime,
  play,
  ...options
}: ReplayServerOptions): Promise<ReplayServer> {
  const { port } = OPTIONS.read(options);
  const stage = new ServedStage(() => listener.closeConnections());
  const served = servedCollections(readers, stage);
  const installed = new Map<string, InstalledResource>();
  for (const collection of served.collections) {
    const { group, version, resource } = collection.describe;
    const main = { main: collection, subresources: new Map() };
    installed.set(`${group}/${version}/${resource}`, main);
  }
  const handler = createApiHandler({
    registry: {
      generation: 1,
      all: () => [...installed.values()],
      lookup: (...path) => installed.get(path.join('/')),
    },
    runtime,
  });
  const listener = new HttpListener({
    runtime,
    handler: async (request) => {
      const { outage } = stage;
      if (outage !== undefined) throw new ConnectionReset(outage.message);
      return await handler(request);
    },
  });
  await listener.listen({ port });
  const stop = new AbortController();
  const { signal } = stop;
  const { parts } = served;
  const playing = play({ parts, wanted: () => stage.stand(signal) }, signal).catch(
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
  // `close` reports it.
  playing.catch(() => {});
  const close = async (): Promise<void> => {
    stop.abort();
    await listener.close();
    await playing;
  };
  return { url: `http://${listener.address}`, close, [Symbol.asyncDispose]: close };
}

/** One collection for each resource, with a part for each of its readers. */
function servedCollections(
  readers: readonly ServedReader[],
  stage: ServedStage,
): { readonly collections: readonly ServedCollection[]; readonly parts: readonly ServedPart[] } {
  const byResource = new Map<string, ServedReader[]>();
  for (const reader of readers) {
    const { apiVersion = '', resource = '' } = reader.collection ?? {};
    const key = `${apiVersion}/${resource}`;
    const same = byResource.get(key);
    if (same === undefined) byResource.set(key, [reader]);
    else same.push(reader);
  }
  const parts = new Map<ServedReader, ServedPart>();
  const collections = [...byResource.values()].map((same) => {
    const namespaces = same.map(({ collection }) => collection?.namespace ?? '');
    const made = new ServedCollection(kindOf(same), namespaces, stage);
    for (const [index, part] of made.parts.entries()) parts.set(same[index] as ServedReader, part);
    return made;
  });
  return { collections, parts: readers.map((reader) => parts.get(reader) as ServedPart) };
}

function kindOf(readers: readonly ServedReader[]): KindDefinition {
  const [{ description, collection }] = readers as readonly [ServedReader];
  const objects = function* (): Generator<ObjectView> {
    for (const reader of readers) yield* reader.objects;
  };
  if (collection === undefined) return servedKind(description, objects());
  const { apiVersion, resource } = collection;
  const itemKind = readers.find((one) => one.itemKind !== undefined)?.itemKind;
  const namespaced = readers.some((one) => (one.collection?.namespace ?? '') !== '');
  return kindOfResource({ apiVersion, resource, itemKind, namespaced }, objects());
}
