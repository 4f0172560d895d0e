import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import type { ApiResponse } from '../../../../lib/server/http/api-request.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { Revision } from '../../../../lib/server/mvcc/contract/key-value-store.ts';
import { Draw } from '../../../compare/draw.ts';
import { DEFINITIONS, gadgets } from '../gadgets.ts';
import { drawRequest, type FuzzRequest } from './draw-request.ts';
import { isKnownFailure } from './known-failures.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';

/** How many requests of a course there were, by the status of the answer. */
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
export async function runCourse(
  seed: string,
  count: number,
  { source = requestsOfAnyKind, onInput }: CourseOptions = {},
): Promise<Tally> {
  const runtime = new VirtualRuntime({ seed: 1 });
  const draw = new Draw(seed);
  const tally: Tally = new Map();
  await runtime.run(async () => {
    await using keyValueStore = new EmbeddedKeyValueStore({ runtime });
    await using server = new ApiServer({ runtime, keyValueStore, logger: silentLogger });
    const world: World = { server, keyValueStore, parsed: new WeakSet() };
    const ask = (request: FuzzRequest): Promise<FuzzAnswer> => send(server, request);
    const { next, problemOf } = await source(draw, ask);
    for (let index = 0; index < count; index += 1) {
      const request = next();
      onInput?.(request, index);
      const answer = await checked(world, request);
      const { status } = answer.response;
      const problem = await problemOf?.(request, answer);
      if (problem !== undefined) throw new FuzzFailure(problem, request);
      tally.set(status, (tally.get(status) ?? 0) + 1);
    }
  });
  return tally;
}

/** Prepares a server, and draws its requests. */
export type RequestSource = (
  draw: Draw,
  ask: (request: FuzzRequest) => Promise<FuzzAnswer>,
) => Promise<Requests>;

export interface Requests {
  readonly next: () => FuzzRequest;
  /** The faults of an answer, besides those that every answer is checked for. */
  readonly problemOf?: (request: FuzzRequest, answer: FuzzAnswer) => Promise<string | undefined>;
}

export interface CourseOptions {
  readonly source?: RequestSource | undefined;
  /** Called before each request. */
  readonly onInput?: ((request: FuzzRequest, index: number) => void) | undefined;
}

export interface FuzzAnswer {
  readonly response: ApiResponse;
  readonly text: string;
}

const requestsOfAnyKind: RequestSource = async (draw, ask) => {
  await ask({ method: 'POST', url: DEFINITIONS, headers: {}, body: jsonOf(gadgets) });
  return { next: () => drawRequest(draw) };
};

interface World {
  readonly server: ApiServer;
  readonly keyValueStore: EmbeddedKeyValueStore;
  /** Bodies that are JSON; a server keeps large documents, and answers with the same bytes again. */
  readonly parsed: WeakSet<object>;
}

/** kube-apiserver too does the write first, and then finds that the answer cannot have the form that was asked for. */
function isRefusedForm(status: number, text: string): boolean {
  return status === 406
    ? /but the requested object is (?:not )?a list/.test(text)
    : status === 400 && text.includes('includeObject');
}

async function checked(
  { server, keyValueStore, parsed }: World,
  request: FuzzRequest,
): Promise<FuzzAnswer> {
  const fail = (problem: string): never => {
    throw new FuzzFailure(problem, request);
  };
  const { revision: before } = await keyValueStore.status();
  let answer: FuzzAnswer;
  try {
    answer = await send(server, request);
  } catch (error) {
    return fail(`the handler rejected: ${String(error)}`);
  }
  const { response, text } = answer;
  const { status } = response;
  if (status >= 500 && !isKnownFailure(status, text))
    fail(`answered ${status}: ${text.slice(0, 500)}`);
  const isWritten = status >= 400 && (await isChanged(keyValueStore, before));
  if (isWritten && !isRefusedForm(status, text))
    fail(`answered ${status}, and wrote: ${text.slice(0, 300)}`);
  if ('polluted' in {} || 'a' in {}) fail('the prototype of all objects has a new property');
  const isJson = response.headers['content-type'] === 'application/json';
  if (isJson && response.isWatch !== true && !parsed.has(response.body)) {
    try {
      JSON.parse(text);
      parsed.add(response.body);
    } catch {
      fail(`answered ${status} with JSON that is none: ${text.slice(0, 300)}`);
    }
  }
  return answer;
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
  const counts = (key: string): boolean => {
    const objects = CUSTOM_OBJECT.exec(key)?.groups;
    if (objects === undefined || isDefinition(key)) return true;
    return old.served.has(`${DEFINITION}${objects['plural']}.${objects['group']}`);
  };
  for (const [key, content] of now.contents) {
    if (counts(key) && old.contents.get(key) !== content) return true;
  }
  for (const key of old.contents.keys()) {
    if (!now.contents.has(key) && !isDefinition(key) && counts(key)) return true;
  }
  return false;
}

const DEFINITION = '/registry/apiextensions.k8s.io/customresourcedefinitions/';
const CUSTOM_OBJECT = /^\/registry\/(?<group>[^/]+\.example\.com)\/(?<plural>[^/]+)\//;

interface State {
  /** The definitions that are not being deleted. */
  readonly served: ReadonlySet<string>;
  readonly contents: ReadonlyMap<string, string>;
}

async function stateAt(store: EmbeddedKeyValueStore, revision: Revision): Promise<State> {
  const { items } = await store.range({ key: '/registry/', rangeEnd: '/registry0', revision });
  const served = items.filter(({ key, value }) => isDefinition(key) && !isBeingDeleted(value));
  const contents = items
    .filter(({ key }) => !/^\/registry\/(?:ranges|apiregistration\.k8s\.io)\//.test(key))
    .map(({ key, modRevision, value }): [string, string] => [
      key,
      isDefinition(key) ? specOf(value) : String(modRevision),
    ]);
  return { served: new Set(served.map(({ key }) => key)), contents: new Map(contents) };
}

function isBeingDeleted(value: Uint8Array): boolean {
  const text = Buffer.from(value).toString();
  const { metadata } = JSON.parse(text) as {
    readonly metadata: { readonly deletionTimestamp?: unknown };
  };
  return metadata.deletionTimestamp !== undefined;
}

function isDefinition(key: string): boolean {
  return key.startsWith(DEFINITION);
}

function specOf(value: Uint8Array): string {
  const { spec } = JSON.parse(Buffer.from(value).toString()) as { readonly spec: unknown };
  return JSON.stringify(spec);
}

async function send(server: ApiServer, request: FuzzRequest): Promise<FuzzAnswer> {
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
