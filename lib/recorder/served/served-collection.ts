import { abortable } from '../../kernel/time/abort.ts';
import { deferred, Latch, type Deferred } from '../../kernel/time/latch.ts';
import {
  expired,
  isApiError,
  isExpired,
  notFound,
  tooLargeResourceVersion,
} from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { joinedKey } from '../../meta/key.ts';
import { isNewer, isOlder } from '../../meta/versions/version-order.ts';
import type { ObjectEvent, WatchEvent } from '../../meta/watch-event.ts';
import {
  attributesFunc,
  type KindDefinition,
} from '../../server/registry/contract/kind-definition.ts';
import type {
  ListOptions,
  ReadOptions,
  RequestContext,
  RestStorage,
  WatchOptions,
  WriteResult,
} from '../../server/registry/contract/rest-storage.ts';
import { selectionOf } from '../../server/registry/selection.ts';
import { predicateMatches } from '../../server/storage/contract/selection-predicate.ts';
import type { StorageList, StorageWatch } from '../../server/storage/contract/storage-interface.ts';
import { ServedObject } from './served-object.ts';
import { ServedWatch, type ServedEvent } from './served-watch.ts';

/**
 * A recorded collection as a REST storage: it is listed and watched at the place where the replay is, by any number of clients.
 *
 * Guarantees:
 * - A watch gets every recorded change after its version, once, and fails and ends as the recorded one did.
 * - Where the recorded program listed again and found a difference, watches and versions from before get 410: what lies between is not known.
 *
 * It keeps the changes since the last such list, which are in the memory of the recording.
 */
export class ServedCollection implements RestStorage {
  readonly describe: RestStorage['describe'];
  readonly table: RestStorage['table'];
  readonly withZeros: RestStorage['withZeros'];
  readonly #kind: KindDefinition;
  readonly #onCut: () => void;
  readonly #ready = new Latch('the first list of the recording');
  readonly #watched = new Latch('a watch of the served recording');
  readonly #watches = new Set<ServedWatch>();
  #objects = new Map<string, ServedObject>();
  #events: ServedEvent[] = [];
  /** Watches begin at this version at the earliest. */
  #since = '';
  #resourceVersion = '';
  #refusal: Error | undefined;
  #refused: Deferred<void> = deferred();

  /** `onCut`: the recorded connection was lost. */
  constructor(kind: KindDefinition, onCut: () => void) {
    this.#kind = kind;
    this.#onCut = onCut;
    this.describe = { ...kind.describe, verbs: ['get', 'list', 'watch'] };
    this.table = kind.table;
    const { type } = kind;
    if (type?.withZeros !== undefined) {
      this.withZeros = (object) => type.withZeros?.({ ...object }) ?? object;
    }
  }

  /** Why no connection succeeds at this place of the recording. */
  get outage(): Error | undefined {
    return isApiError(this.#refusal) ? undefined : this.#refusal;
  }

  /** Resolves when a client has opened a watch. */
  async watched(signal: AbortSignal | undefined): Promise<void> {
    await abortable(this.#watched.opened, signal);
  }

  /** A list is complete: its objects take the place of all. */
  listed(items: readonly ObjectView[], resourceVersion: string): void {
    const objects = new Map<string, ServedObject>();
    for (const item of items) put(objects, new ServedObject(item));
    // What an open watch has brought meanwhile.
    const later = this.#events.filter(({ event }) => isNewer(versionOf(event), resourceVersion));
    for (const { event } of later) change(objects, event);
    const isSame = this.#ready.isOpen && areEqual(objects, this.#objects);
    this.#objects = objects;
    if (!isSame) {
      this.#events = later;
      this.#since = resourceVersion;
      this.#end(this.#tooOld('of its watch'));
    }
    this.#moveTo(resourceVersion);
    for (const { event } of later) this.#moveTo(versionOf(event));
    this.#ready.open();
  }

  changed(batch: readonly WatchEvent<ObjectView>[]): void {
    for (const one of batch) {
      const event =
        one.type === 'BOOKMARK' ? one : { ...one, object: new ServedObject(one.object) };
      const previous = event.type === 'BOOKMARK' ? undefined : this.#objects.get(event.object.key);
      this.#events.push({ event, previous });
      change(this.#objects, event);
      this.#moveTo(versionOf(event));
    }
    for (const watch of this.#watches) watch.wake();
  }

  /** The recorded watch has ended, with the error if it failed. */
  ended(error?: Error): void {
    if (error === undefined || isApiError(error)) this.#end(error);
    else {
      this.#end();
      this.#onCut();
    }
  }

  /** Requests fail with the error; undefined: they succeed again. */
  refuse(error: Error | undefined): void {
    // It sends a program on to a list, which the recording has next.
    if (!isExpired(error)) this.#refusal = error;
    if (this.#refusal === undefined) return;
    this.#refused.resolve();
    this.#refused = deferred();
  }

  async get(context: RequestContext, name: string, options: ReadOptions): Promise<WriteResult> {
    await this.#reached(context, options);
    const object = this.#objects.get(joinedKey(name, context.namespace || undefined));
    if (object === undefined) throw notFound(this.describe, name);
    return object;
  }

  async list(
    context: RequestContext,
    options: ListOptions,
  ): Promise<StorageList<UnstructuredObject>> {
    const { predicate } = selectionOf(this.#kind, attributesFunc(this.#kind), options);
    await this.#reached(context, options);
    const { resourceVersion, resourceVersionMatch, continueToken } = options;
    const isOld = resourceVersionMatch === 'Exact' && resourceVersion !== this.#resourceVersion;
    if (isOld || continueToken !== undefined) throw this.#tooOld(resourceVersion ?? 'of the token');
    const items = [...this.#objects.values()].filter(
      ({ metadata, object }) =>
        (context.namespace === '' || metadata.namespace === context.namespace) &&
        predicateMatches(predicate, object),
    );
    return { items, resourceVersion: this.#resourceVersion };
  }

  async watch(
    context: RequestContext,
    options: WatchOptions,
  ): Promise<StorageWatch<UnstructuredObject>> {
    const { predicate } = selectionOf(this.#kind, attributesFunc(this.#kind), options);
    const { resourceVersion = '', sendInitialEvents, allowWatchBookmarks = false } = options;
    const begins = sendInitialEvents ?? (resourceVersion === '' || resourceVersion === '0');
    await this.#reached(context, begins ? options : {});
    const isGiven = !begins && resourceVersion !== '' && resourceVersion !== '0';
    if (isGiven && isOlder(resourceVersion, this.#since)) throw this.#tooOld(resourceVersion);
    const first = this.#events.findIndex(
      ({ event }) => isGiven && isNewer(versionOf(event), resourceVersion),
    );
    const items = begins ? (await this.list(context, { ...options, resourceVersion })).items : [];
    const initial: WatchEvent<(typeof items)[number]>[] = items.map((object) => ({
      type: 'ADDED',
      object,
    }));
    if (sendInitialEvents === true && allowWatchBookmarks) {
      const at = this.#resourceVersion;
      initial.push({ type: 'BOOKMARK', resourceVersion: at, initialEventsEnd: true });
    }
    const watch = new ServedWatch({
      initial,
      events: this.#events,
      from: first < 0 ? this.#events.length : first,
      namespace: context.namespace,
      predicate,
      bookmarks: allowWatchBookmarks,
      onClose: (closed) => this.#watches.delete(closed),
    });
    this.#watches.add(watch);
    this.#watched.open();
    return watch;
  }

  /** Resolves when there is a state to answer from. @throws {ApiError} as recorded; 504 for a version that the replay has not reached. */
  async #reached({ signal }: RequestContext, { resourceVersion = '' }: ReadOptions): Promise<void> {
    while (!this.#ready.isOpen && this.#refusal === undefined) {
      await abortable(Promise.race([this.#ready.opened, this.#refused.promise]), signal);
    }
    if (this.#refusal !== undefined) throw this.#refusal;
    if (resourceVersion !== '' && isNewer(resourceVersion, this.#resourceVersion)) {
      throw tooLargeResourceVersion(resourceVersion, this.#resourceVersion);
    }
  }

  #moveTo(resourceVersion: string): void {
    if (this.#resourceVersion === '' || isNewer(resourceVersion, this.#resourceVersion)) {
      this.#resourceVersion = resourceVersion;
    }
  }

  #end(error?: Error): void {
    for (const watch of this.#watches) watch.end(error);
    this.#watches.clear();
  }

  #tooOld(asked: string): Error {
    return expired(`too old resource version: ${asked} (${this.#since} in the recording)`);
  }
}

type Change = WatchEvent<ServedObject>;

function versionOf(event: Change): string {
  return event.type === 'BOOKMARK' ? event.resourceVersion : event.object.resourceVersion;
}

function change(objects: Map<string, ServedObject>, event: Change): void {
  if (event.type === 'DELETED') objects.delete(event.object.key);
  else if (event.type !== 'BOOKMARK') put(objects, event.object);
}

/** A source may have sent null in place of an object. */
function put(
  objects: Map<string, ServedObject>,
  object: ObjectEvent<ServedObject>['object'],
): void {
  if (object.key !== '') objects.set(object.key, object);
}

function areEqual(
  one: ReadonlyMap<string, ServedObject>,
  other: ReadonlyMap<string, ServedObject>,
): boolean {
  if (one.size !== other.size) return false;
  for (const [key, { resourceVersion }] of one) {
    if (other.get(key)?.resourceVersion !== resourceVersion) return false;
  }
  return true;
}
