import { Client } from '../../client/rest/client.ts';
import { inProcessTransport } from '../../client/transport/in-process/in-process-transport.ts';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { VirtualRuntime } from '../../kernel/time/virtual-runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import { prefixEnd, type KeyValue } from '../../server/mvcc/contract/key-value-store.ts';
import { EmbeddedKeyValueStore } from '../../server/mvcc/embedded-key-value-store.ts';
import { ApiServer } from '../../cluster/server/api-server.ts';
import { parseManifests } from '../../meta/manifests/parse-manifests.ts';
import { NeededResources } from './needed-resources.ts';
import type { World } from '../contract/world.ts';

/** The state from which every run of a world starts. It is made once. */
export interface WorldTemplate {
  readonly snapshot: Uint8Array;
  /** The wall clock at the start of a run, milliseconds. */
  readonly startWallMs: number;
  readonly needed: NeededResources;
}

/** The world is made in this time before the run. */
const PREPARATION_MS = 10_000;
const ROOT = '/registry/';

/**
 * Makes the state of a world.
 * @throws {ListwatchError} code INVALID_OPTION for objects that the server refuses.
 */
export async function prepareWorld(world: World): Promise<WorldTemplate> {
  // The parser of YAML is loaded here: virtual time does not wait for files.
  const objects = await objectsOf(world);
  const runtime = new VirtualRuntime({ seed: 'world' });
  return await runtime.run(async () => {
    const store = new EmbeddedKeyValueStore({ runtime, compactionIntervalMs: 0 });
    const server = new ApiServer({ runtime, earlierStore: store, authorization: 'always-allow' });
    await server.start();
    const client = new Client({
      transport: inProcessTransport(server.handler),
      runtime,
      fieldManager: 'world',
    });
    const { discovery } = client;
    await createObjects(client, runtime, objects);
    // Definitions are served, addresses are allocated.
    await sleep(runtime, PREPARATION_MS);
    const pieces: Uint8Array[] = [];
    for await (const piece of store.snapshot()) pieces.push(piece);
    // The server stays for the documents that all runs share.
    const needed = new NeededResources(server.handler);
    for (const { apiVersion = '', kind = '' } of objects) {
      needed.add((await discovery.find(apiVersion, kind)).fullName);
    }
    await client.close();
    return { snapshot: Buffer.concat(pieces), startWallMs: runtime.wallMs(), needed };
  });
}

/** A store in the state of the world, and its objects. */
export async function restoredStore(
  { snapshot }: WorldTemplate,
  options: Pick<
    ConstructorParameters<typeof EmbeddedKeyValueStore>[0] & object,
    'runtime' | 'onCommit'
  >,
): Promise<{
  readonly store: EmbeddedKeyValueStore;
  readonly items: readonly KeyValue[];
  readonly revision: string;
}> {
  const store = await EmbeddedKeyValueStore.load(once(snapshot), {
    ...options,
    compactionIntervalMs: 0,
  });
  const { items, revision } = await store.range({ key: ROOT, rangeEnd: prefixEnd(ROOT) });
  return { store, items, revision: revision.toString() };
}

async function objectsOf({ objects = [] }: World): Promise<readonly KubernetesObject[]> {
  if (typeof objects !== 'string') return objects;
  return (await parseManifests(objects, 'world.objects')).map(({ object }) => object);
}

async function createObjects(
  client: Client,
  runtime: VirtualRuntime,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const present = new Set(['', 'default', 'kube-system', 'kube-public', 'kube-node-lease']);
  for (const { kind, metadata } of objects) {
    if (kind === 'Namespace') present.add(metadata?.name ?? '');
  }
  const isDefinition = ({ kind }: KubernetesObject): boolean => kind === 'CustomResourceDefinition';
  const isNamespace = ({ kind }: KubernetesObject): boolean => kind === 'Namespace';
  const named = new Set(objects.map(({ metadata }) => metadata?.namespace ?? ''));
  const added = [...named].filter((name) => !present.has(name)).map(namespaceNamed);
  const first = [...objects.filter(isDefinition), ...added, ...objects.filter(isNamespace)];
  for (const object of first) await create(client, object);
  // A server offers a resource a moment after its definition.
  await sleep(runtime, PREPARATION_MS);
  for (const object of objects) if (!first.includes(object)) await create(client, object);
}

function namespaceNamed(name: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

async function create(client: Client, object: KubernetesObject): Promise<void> {
  const { apiVersion = '', kind = '', metadata: { name = '', namespace } = {} } = object;
  try {
    const { status } = object as { readonly status?: unknown };
    const { resource, namespaced } = await client.discovery.find(apiVersion, kind);
    const place = namespaced ? { namespace: namespace ?? 'default' } : {};
    const found = client.resource(apiVersion, resource, place);
    await found.create(object as UnstructuredObject);
    if (status !== undefined) await found.patch(name, { status }, { subresource: 'status' });
  } catch (error) {
    const what = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    const text = `world.objects: ${what} cannot be created: ${errorMessage(error)}`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes;
}
