import { NEWEST_MINOR } from '../../meta/releases/kubernetes-releases.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { CollectionReader } from '../../meta/collection-options.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { createApiHandler } from '../../server/api/api-handler.ts';
import { ConnectionReset } from '../../server/http/connection-reset.ts';
import { HttpListener } from '../../server/api/port/http-listener.ts';
import type { InstalledResource } from '../../server/registry/contract/rest-storage.ts';
import { defineKind, type KindDefinition } from '../../server/registry/contract/kind-definition.ts';
import { ServedCollection } from './served-collection.ts';
import type { ServedPart } from './served-part.ts';
import { ServedStage } from './served-stage.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { parseApiVersion } from '../../meta/resource.ts';
import { builtInKinds } from '../../kinds/built-in-kinds.ts';

/** A recording says `deployments.apps in namespace shop`: the plural, the group, and what was selected. */
const COLLECTION = /^([a-z0-9-]+)(?:\.([a-z0-9.-]+))?(?=$|[ ,])(?: in namespace )?/;
/** Of a recording of metadata alone: the objects do not say of which kind they are. */
const BARE = 'PartialObjectMetadata';

/**
 * The kind of a recorded collection. A kind that Kubernetes defines is known by its name; the objects say the version, and the kind of a
 * custom resource.
 * @throws {ListwatchError} code INVALID_OPTION for a collection without a name, and for a custom one without an object.
 */
function servedKind(collection: string, objects: Iterable<ObjectView>): KindDefinition {
  const [, resource, group = ''] = COLLECTION.exec(collection) ?? [];
  if (resource === undefined) {
    throw refused(collection, 'its description does not begin with the plural of a resource');
  }
  const first = firstTyped(objects);
  const version = first && parseApiVersion(first.apiVersion).version;
  const builtIn = builtInKinds
    .definitions()
    .filter(({ describe }) => describe.resource === resource && describe.group === group);
  const known = builtIn.find(({ describe }) => describe.version === version) ?? builtIn[0];
  if (known !== undefined) return known;
  if (first === undefined) {
    throw refused(collection, 'no object in it says the version and the kind of this resource');
  }
  return defineKind({
    ...parseApiVersion(first.apiVersion),
    kind: first.kind,
    resource,
    namespaced: first.namespaced || collection.includes(' in namespace '),
  });
}

/** A resource whose version is known. */
interface ServedResource {
  readonly apiVersion: string;
  readonly resource: string;
  /** As an answer without objects has named it. */
  readonly itemKind: string | undefined;
  /** Whether it was read in a namespace. */
  readonly namespaced: boolean;
}

/** The kind of a resource whose version is known. What no answer has named, is named after the plural. */
export function kindOfResource(
  { apiVersion, resource, itemKind, namespaced }: ServedResource,
  objects: Iterable<ObjectView>,
): KindDefinition {
  const { group, version } = parseApiVersion(apiVersion);
  const known = builtInKinds
    .definitions()
    .find(
      ({ describe }) =>
        describe.resource === resource && describe.group === group && describe.version === version,
    );
  if (known !== undefined) return known;
  const first = firstTyped(objects);
  const named = itemKind === BARE ? undefined : itemKind;
  return defineKind({
    group,
    version,
    kind: first?.kind ?? named ?? kindAfter(resource),
    resource,
    namespaced: namespaced || (first?.namespaced ?? true),
  });
}

function kindAfter(plural: string): string {
  const singular = plural.replace(/ies$/, 'y').replace(/(?<=s|x|ch)es$|(?<!s)s$/, '');
  return singular.charAt(0).toUpperCase() + singular.slice(1);
}

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

function firstTyped(objects: Iterable<ObjectView>): Typed | undefined {
  for (const view of objects) {
    const { apiVersion, kind, metadata } = view.object ?? {};
    if (apiVersion === undefined || kind === undefined || kind === BARE) continue;
    return { apiVersion, kind, namespaced: metadata?.namespace !== undefined };
  }
  return undefined;
}

function refused(collection: string, problem: string): ListwatchError {
  const text = `the recording of ${JSON.stringify(collection)} cannot be served: ${problem}`;
  return new ListwatchError('INVALID_OPTION', text);
}

/** @experimental */
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

/**
 * A recording that is served over HTTP on loopback, read only, to any client of Kubernetes.
 *
 * @experimental
 */
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
  const stage = new ServedStage(() => void listener.closeConnections());
  const served = servedCollections(readers, stage);
  const installed = new Map<string, InstalledResource>();
  for (const collection of served.collections) {
    const { group, version, resource } = collection.describe;
    const main = { main: collection, subresources: new Map() };
    installed.set(`${group}/${version}/${resource}`, main);
  }
  const handler = createApiHandler({
    registry: {
      minor: NEWEST_MINOR,
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
