import { abortable } from '../kernel/time/abort.ts';
import { ListwatchError } from '../kernel/failure/errors.ts';
import { is, optionsOf } from '../kernel/options/options-schema.ts';
import { realRuntime } from '../kernel/time/real-runtime.ts';
import { RingBuffer } from '../kernel/data/ring-buffer.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import { sleep } from '../kernel/time/wait.ts';
import { failure } from '../meta/failure/api-error.ts';
import {
  alreadyExists,
  badRequest,
  expired,
  notFound,
  tooLargeResourceVersion,
} from '../meta/failure/failures.ts';
import { metaNamespaceKeyFunc, objectKey, type ObjectName } from '../meta/key.ts';
import type { KubernetesObject } from '../meta/object.ts';
import type { ObjectView } from '../meta/object-view.ts';
import { isResourceVersion } from '../meta/versions/resource-version.ts';
import type {
  ItemsTaker,
  ListerWatcher,
  ListPage,
  ListRequest,
  WatchRequest,
  WatchStream,
} from '../cache/reflector/contract/lister-watcher.ts';
import { ScriptedCollection, type ScriptedChange } from './scripted-collection.ts';
import {
  ScriptedFaults,
  type ScriptedFaultKind,
  type ScriptedRequestKind,
} from './scripted-faults.ts';
import { ScriptedWatch } from './scripted-watch.ts';

export interface ScriptedListerWatcherOptions<T extends KubernetesObject = KubernetesObject> {
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** The name of the collection in messages. @defaultValue 'scripted objects' */
  readonly description?: string | undefined;
  /** The objects at the start. */
  readonly objects?: readonly T[] | undefined;
  /** Resource version before the first object; may exceed 2^53. @defaultValue '0' */
  readonly startResourceVersion?: string | undefined;
  /**
   * Whether the source declares support for streaming lists; see `refuseWatchList` for a server that refuses them later.
   * @defaultValue true
   */
  readonly supportsWatchList?: boolean | undefined;
  /** Number of changes kept for watches from the past. @defaultValue 10 000 */
  readonly historySize?: number | undefined;
  /** Delay of each response, milliseconds. @defaultValue 0 */
  readonly latencyMs?: number | undefined;
  /**
   * Number of items in each piece of a page, for a caller that reads pages piece by piece. 0: all items stay in the page.
   * @defaultValue 0
   */
  readonly pieceSize?: number | undefined;
}

/** A received request. */
export interface ScriptedRequest {
  readonly kind: ScriptedRequestKind;
  readonly atMs: number;
  readonly request: Omit<ListRequest & WatchRequest, 'signal' | 'cache'>;
}

/** Maximum length of `requests`. */
const REMEMBERED_REQUESTS = 10_000;

const OPTIONS = optionsOf<ScriptedListerWatcherOptions>()('ScriptedListerWatcher', {
  runtime: is.object().default(realRuntime),
  description: is.text().default('scripted objects'),
  objects: is.rule<readonly KubernetesObject[]>('an array', Array.isArray),
  startResourceVersion: is.text().default('0'),
  supportsWatchList: is.flag().default(true),
  historySize: is.number({ min: 0 }).default(10_000),
  latencyMs: is.number({ min: 0 }).default(0),
  pieceSize: is.integer({ min: 0 }).default(0),
});

/**
 * A collection in memory that can be listed and watched like one of an API server, and that fails on demand.
 *
 * Guarantees:
 * - Every write gets the next resource version and reaches open watches in order.
 * - Lists follow the rules of a server: all pages of one state, `Exact` and `NotOlderThan`, 410 for a compacted version, 504 for
 *   a future version, 400 for contradictory options.
 * - Watches can start in the past as far as the history reaches; otherwise they end with 410.
 * - All delays and tasks go through the runtime, so with a virtual one a script is repeated exactly.
 *
 * @example
 * const pods = new ScriptedListerWatcher({ runtime, objects: [{ metadata: { name: 'a' } }] });
 * pods.failNext('list', tooManyRequests('busy', 1));
 * pods.add({ metadata: { name: 'b' } });
 * pods.dropConnections();
 */
export class ScriptedListerWatcher<T extends KubernetesObject = KubernetesObject>
  implements ListerWatcher<ObjectView<T>>
{
  readonly description: string;
  readonly supports: { readonly watchList: boolean };
  /** Delay of each response, milliseconds. */
  latencyMs: number;
  /** Refuses a streaming list with 422, as servers without support do. */
  refuseWatchList = false;
  /** Streaming lists send their objects, but never the bookmark that marks their end. */
  withholdInitialEventsEnd = false;
  readonly #runtime: Runtime;
  readonly #pieceSize: number;
  readonly #collection: ScriptedCollection<T>;
  readonly #faults: ScriptedFaults = new ScriptedFaults();
  readonly #watches: Set<ScriptedWatch<T>> = new Set();
  readonly #requests: RingBuffer<ScriptedRequest> = new RingBuffer();
  #held: ScriptedChange<T>[] | undefined;

  constructor(options: ScriptedListerWatcherOptions<T> = {}) {
    const read = OPTIONS.read<ScriptedListerWatcherOptions<T>>(options);
    this.description = read.description;
    this.supports = { watchList: read.supportsWatchList };
    this.latencyMs = read.latencyMs;
    this.#pieceSize = read.pieceSize;
    this.#runtime = read.runtime;
    this.#collection = new ScriptedCollection(
      parseVersion(read.startResourceVersion),
      read.historySize,
    );
    for (const object of options.objects ?? []) this.add(object);
  }

  /** The resource version of the last write. */
  get resourceVersion(): string {
    return String(this.#collection.version);
  }

  /** Number of open watches. */
  get openWatches(): number {
    return this.#watches.size;
  }

  /** The last 10 000 requests, oldest first. */
  get requests(): readonly ScriptedRequest[] {
    return [...this.#requests];
  }

  /** The present objects, in the order of their keys. */
  get objects(): readonly T[] {
    return this.#collection.at(this.#collection.version).map(([, view]) => view.object);
  }

  /** @throws {ApiError} code ALREADY_EXISTS; {KeyError} for an object without a name. */
  add(object: T): T {
    const key = metaNamespaceKeyFunc(object);
    if (this.#collection.get(key) !== undefined) throw alreadyExists(SUBJECT, key);
    return this.#write('ADDED', object);
  }

  /** Replaces an object, regardless of the resource version of the new one. @throws {ApiError} code NOT_FOUND. */
  modify(object: T): T {
    this.#require(metaNamespaceKeyFunc(object));
    return this.#write('MODIFIED', object);
  }

  /** Removes an object and returns its last state, with the resource version of the deletion. @throws {ApiError} code NOT_FOUND. */
  delete({ namespace = '', name }: Partial<ObjectName> & Pick<ObjectName, 'name'>): T {
    return this.#write('DELETED', this.#require(objectKey({ namespace, name })).object);
  }

  /** Increases the resource version, as writes to other resources do. */
  skipVersions(count: number): void {
    this.#collection.skip(BigInt(count));
  }

  /** Sends a bookmark to every watch that requested them. Its version is before the first change that `pause` holds back. */
  bookmark(): void {
    const held = this.#held?.[0];
    const passed = held === undefined ? this.#collection.version : held.version - 1n;
    for (const watch of this.#watches) {
      const version = passed > watch.sentVersion ? passed : watch.sentVersion;
      if (watch.takesBookmarks) watch.bookmark(String(version), false);
    }
  }

  /** Makes the next requests of a kind fail; with `piece`, the next pages break off after their first piece. */
  failNext(kind: ScriptedFaultKind, error: unknown, times: number = 1): void {
    this.#faults.add(kind, { error }, times);
  }

  /** Makes the next requests of a kind hang without a response; with `piece`, the next pages hang after their first piece. */
  hangNext(kind: ScriptedFaultKind, times: number = 1): void {
    this.#faults.add(kind, 'hang', times);
  }

  /** Removes every fault that has not occurred yet, and sends the changes that were held back. */
  heal(): void {
    this.#faults.clear();
    this.refuseWatchList = false;
    this.withholdInitialEventsEnd = false;
    this.latencyMs = 0;
    this.resume();
  }

  /** Ends every open watch with an error: a broken connection, or the given ERROR event. */
  dropConnections(
    error: unknown = new ListwatchError('CONNECTION_FAILED', 'the connection was reset'),
  ): void {
    for (const watch of this.#watches) watch.channel.fail(error);
  }

  /** Ends every open watch normally, as a server does at the watch timeout. */
  closeWatches(): void {
    for (const watch of this.#watches) watch.channel.end();
  }

  /** Compacts the history, so that watches and pages from before get 410. */
  compact(): void {
    this.#collection.compact(this.#collection.version);
  }

  /** Holds changes back from open watches until `resume`. */
  pause(): void {
    this.#held ??= [];
  }

  /** Sends the changes that were held back. */
  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const change of held) this.#send(change);
  }

  async list(
    request: ListRequest,
    onItems?: ItemsTaker<ObjectView<T>>,
  ): Promise<ListPage<ObjectView<T>>> {
    await this.#receive(request.continueToken === undefined ? 'list' : 'page', request);
    const { version, after } = this.#startOfPage(request);
    const all = this.#collection.at(version);
    const found = after === undefined ? 0 : all.findIndex(([key]) => key > after);
    const first = found < 0 ? all.length : found;
    const { limit = 0 } = request;
    const page = all.slice(first, limit > 0 ? first + limit : undefined);
    const rest = all.length - first - page.length;
    const last = page.at(-1)?.[0];
    const items = page.map(([, view]) => view);
    const left = onItems === undefined ? items : await this.#handOut(items, onItems, request);
    return {
      items: left,
      resourceVersion: String(version),
      ...(rest > 0 && last !== undefined
        ? { continueToken: JSON.stringify([String(version), last]), remainingItemCount: rest }
        : {}),
    };
  }

  /** Sends items piece by piece; returns those that stay in the page. */
  async #handOut(
    items: readonly ObjectView<T>[],
    onItems: ItemsTaker<ObjectView<T>>,
    { signal }: ListRequest,
  ): Promise<readonly ObjectView<T>[]> {
    const size = this.#pieceSize;
    if (size === 0) return items;
    for (let start = 0; start < items.length; start += size) {
      if (start > 0) await this.#strike('piece', signal);
      await onItems(items.slice(start, start + size));
      signal?.throwIfAborted();
    }
    return [];
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<T>>> {
    const { sendInitialEvents = false, resourceVersionMatch, resourceVersion = '' } = request;
    await this.#receive(sendInitialEvents ? 'watch-list' : 'watch', request);
    if (sendInitialEvents !== (resourceVersionMatch === 'NotOlderThan')) {
      throw failure(
        'Invalid',
        'sendInitialEvents and resourceVersionMatch=NotOlderThan go together',
      );
    }
    if (sendInitialEvents && this.refuseWatchList) {
      throw failure(
        'Invalid',
        'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      );
    }
    const from = resourceVersion === '' ? 0n : parseVersion(resourceVersion);
    if (sendInitialEvents && from > this.#collection.version) throw this.#tooLarge(from);
    const watch = new ScriptedWatch<T>(this.#runtime, request, (ended) =>
      this.#watches.delete(ended),
    );
    if (watch.channel.closed) return watch.channel;
    watch.sentVersion = from;
    this.#watches.add(watch);
    if (sendInitialEvents || from === 0n) this.#sendState(watch, sendInitialEvents);
    else if (from < this.#collection.compacted)
      watch.channel.fail(tooOld(from, this.#collection.compacted));
    else for (const change of this.#collection.since(from)) watch.change(change);
    return watch.channel;
  }

  /** Records the request, waits for the latency, and applies its fault. */
  async #receive(kind: ScriptedRequestKind, full: ListRequest & WatchRequest): Promise<void> {
    const { signal, cache: _, ...request } = full;
    signal?.throwIfAborted();
    this.#requests.push({ kind, atMs: this.#runtime.monotonicMs(), request });
    if (this.#requests.size > REMEMBERED_REQUESTS) this.#requests.shift();
    await this.#strike(kind, signal, this.latencyMs);
  }

  async #strike(
    kind: ScriptedFaultKind,
    signal: AbortSignal | undefined,
    latencyMs: number = 0,
  ): Promise<void> {
    const fault = this.#faults.take(kind);
    if (latencyMs > 0) await sleep(this.#runtime, latencyMs, { signal });
    if (fault === 'hang') await abortable(new Promise<never>(() => {}), signal);
    else if (fault !== undefined) throw fault.error;
  }

  /** The version of the page, and the key after which it begins. */
  #startOfPage(request: ListRequest): { readonly version: bigint; readonly after?: string } {
    const { continueToken, resourceVersion = '', resourceVersionMatch, limit = 0 } = request;
    const { version: current, compacted } = this.#collection;
    if (continueToken !== undefined) {
      if (resourceVersion !== '' || resourceVersionMatch !== undefined) {
        throw badRequest('specifying a resource version is not allowed when using continue');
      }
      const [version, after] = parseContinueToken(continueToken);
      if (version < compacted) throw expired('The provided continue parameter is too old');
      return { version, after };
    }
    if (resourceVersion === '') {
      if (resourceVersionMatch !== undefined)
        throw badRequest('resourceVersionMatch needs a resourceVersion');
      return { version: current };
    }
    const asked = parseVersion(resourceVersion);
    if (asked > current) throw this.#tooLarge(asked);
    // With a limit and a version, but no match rule, servers return exactly that version.
    const exact = (resourceVersionMatch ?? (limit > 0 ? 'Exact' : 'NotOlderThan')) === 'Exact';
    if (!exact || asked === 0n) {
      if (resourceVersionMatch === 'Exact')
        throw badRequest('resourceVersionMatch Exact excludes resource version 0');
      return { version: current };
    }
    if (asked < compacted) throw tooOld(asked, compacted);
    return { version: asked };
  }

  #sendState(watch: ScriptedWatch<T>, andEnd: boolean): void {
    const { version } = this.#collection;
    for (const [, object] of this.#collection.at(version)) watch.send({ type: 'ADDED', object });
    watch.sentVersion = version;
    if (andEnd && !this.withholdInitialEventsEnd) watch.bookmark(String(version), true);
  }

  #write(type: ScriptedChange<T>['type'], object: T): T {
    const change = this.#collection.write(type, object);
    if (this.#held === undefined) this.#send(change);
    else this.#held.push(change);
    return change.view.object;
  }

  #send(change: ScriptedChange<T>): void {
    for (const watch of this.#watches) watch.change(change);
  }

  #require(key: string): ObjectView<T> {
    const view = this.#collection.get(key);
    if (view === undefined) throw notFound(SUBJECT, key);
    return view;
  }

  #tooLarge(asked: bigint): Error {
    return tooLargeResourceVersion(String(asked), this.resourceVersion);
  }
}

const SUBJECT = { group: '', resource: 'scripted' };

function tooOld(asked: bigint, oldest: bigint): Error {
  return expired(`too old resource version: ${asked} (${oldest})`);
}

function parseVersion(text: string): bigint {
  if (!isResourceVersion(text))
    throw badRequest(`${JSON.stringify(text)} is not a resource version`);
  return BigInt(text);
}

function parseContinueToken(token: string): [bigint, string] {
  try {
    const [version, after] = JSON.parse(token) as [unknown, unknown];
    return [BigInt(version as string), String(after)];
  } catch (error) {
    throw badRequest('the continue token is malformed', error);
  }
}
