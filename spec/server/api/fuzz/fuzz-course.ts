import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../lib/server/api/api-server.ts';
import type { ApiResponse } from '../../../../lib/server/api/http/api-request.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { Revision } from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { Draw } from '../../../compare/draw.ts';
import { DEFINITIONS, gadgets } from '../gadgets.ts';
import { drawRequest, type FuzzRequest } from './draw-request.ts';
import { isKnownFailure } from './known-failures.ts';

/** What came of the requests of one course: how many there were, by status. */
export type Tally = Map<number, number>;

/** A request whose answer breaks a rule. */
export class FuzzFailure extends Error {
  readonly request: FuzzRequest;

  constructor(problem: string, request: FuzzRequest) {
    super(problem);
    this.request = request;
  }
}

/**
 * Sends drawn requests to a server in the process, one after the other, in virtual time, and checks each answer:
 *
 * - there is one, and it ends;
 * - it is no failure of the server, but for those that kube-apiserver has too;
 * - a refused request has changed no object;
 * - no property was added to the prototype of all objects;
 * - what is called JSON is JSON.
 *
 * @throws {FuzzFailure}
 */
export async function runCourse(seed: string, count: number, tally: Tally): Promise<void> {
  const runtime = new VirtualRuntime({ seed: 1 });
  const draw = new Draw(seed);
  await runtime.run(async () => {
    await using keyValueStore = new EmbeddedKeyValueStore({ runtime });
    await using server = new ApiServer({ runtime, keyValueStore });
    await send(server, { method: 'POST', url: DEFINITIONS, headers: {}, body: jsonOf(gadgets) });
    const world: World = { server, keyValueStore, runtime };
    for (let index = 0; index < count; index += 1) {
      const request = drawRequest(draw);
      const status = await checked(world, request);
      tally.set(status, (tally.get(status) ?? 0) + 1);
    }
  });
}

interface World {
  readonly server: ApiServer;
  readonly keyValueStore: EmbeddedKeyValueStore;
  readonly runtime: VirtualRuntime;
}

async function checked({ server, keyValueStore }: World, request: FuzzRequest): Promise<number> {
  const fail = (problem: string): never => {
    throw new FuzzFailure(problem, request);
  };
  const { revision: before } = await keyValueStore.status();
  let answer: { readonly response: ApiResponse; readonly text: string };
  try {
    answer = await send(server, request);
  } catch (error) {
    return fail(`the handler rejected: ${String(error)}`);
  }
  const { response, text } = answer;
  const { status } = response;
  if (status >= 500 && !isKnownFailure(status, text))
    fail(`answered ${status}: ${text.slice(0, 500)}`);
  if (status >= 400 && (await isChanged(keyValueStore, before)))
    fail(`answered ${status}, and wrote: ${text.slice(0, 300)}`);
  if ('polluted' in {} || 'a' in {}) fail('the prototype of all objects has a new property');
  if (response.headers['content-type'] === 'application/json' && response.isWatch !== true) {
    try {
      JSON.parse(text);
    } catch {
      fail(`answered ${status} with JSON that is none: ${text.slice(0, 300)}`);
    }
  }
  return status;
}

/**
 * Whether a request changed what a refused one must not. A service takes an address and node ports before it is validated, and gives
 * them back, and the status of a definition, its APIService, the end of a deleted one and of its objects are written in the background,
 * so that the objects count and not the writes, and of definitions the spec, and that there is no new one.
 */
async function isChanged(store: EmbeddedKeyValueStore, before: Revision): Promise<boolean> {
  const { revision } = await store.status();
  if (revision === before) return false;
  const [old, now] = [await stateAt(store, before), await stateAt(store, revision)];
  for (const [key, content] of now) {
    if (key !== DEFINITION_SERVED && old.get(key) !== content) return true;
  }
  const leaves = (key: string): boolean =>
    isDefinition(key) || (key.startsWith(OBJECTS_OF_DEFINITION) && !old.has(DEFINITION_SERVED));
  for (const key of old.keys()) if (!now.has(key) && !leaves(key)) return true;
  return false;
}

const OBJECTS_OF_DEFINITION = '/registry/h3.example.com/';

/** Is in a state whose definition is not being deleted. */
const DEFINITION_SERVED = 'served';

async function stateAt(
  store: EmbeddedKeyValueStore,
  revision: Revision,
): Promise<ReadonlyMap<string, string>> {
  const { items } = await store.range({ key: '/registry/', rangeEnd: '/registry0', revision });
  const served = items.filter(({ key, value }) => isDefinition(key) && !isBeingDeleted(value));
  return new Map([
    ...served.map((): [string, string] => [DEFINITION_SERVED, '']),
    ...items
      .filter(({ key }) => !/^\/registry\/(?:ranges|apiregistration\.k8s\.io)\//.test(key))
      .map(({ key, modRevision, value }): [string, string] => [
        key,
        isDefinition(key) ? specOf(value) : String(modRevision),
      ]),
  ]);
}

function isBeingDeleted(value: Uint8Array): boolean {
  const text = Buffer.from(value).toString();
  const { metadata } = JSON.parse(text) as {
    readonly metadata: { readonly deletionTimestamp?: unknown };
  };
  return metadata.deletionTimestamp !== undefined;
}

function isDefinition(key: string): boolean {
  return key.startsWith('/registry/apiextensions.k8s.io/');
}

function specOf(value: Uint8Array): string {
  const { spec } = JSON.parse(Buffer.from(value).toString()) as { readonly spec: unknown };
  return JSON.stringify(spec);
}

async function send(
  server: ApiServer,
  request: FuzzRequest,
): Promise<{ readonly response: ApiResponse; readonly text: string }> {
  const controller = new AbortController();
  const response = await server.handler({ ...request, signal: controller.signal });
  const { body } = response;
  if (body instanceof Uint8Array) return { response, text: Buffer.from(body).toString() };
  // A watch ends when its client leaves.
  if (response.isWatch === true) controller.abort(new Error('the client left'));
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return { response, text: Buffer.concat(pieces).toString() };
}

function jsonOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
