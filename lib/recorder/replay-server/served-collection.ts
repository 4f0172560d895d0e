import { deferred, type Deferred } from '../../kernel/time/latch.ts';
import { expired, notFound, tooLargeResourceVersion } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import { joinedKey } from '../../meta/key.ts';
import { isResourceVersion } from '../../meta/versions/resource-version.ts';
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
import { ServedPart, type PartOwner } from './served-part.ts';
import type { ServedStage } from './served-stage.ts';
import { ServedWatch, type ServedEvent } from './served-watch.ts';

/**
 * A recorded collection as a REST storage: it is listed and watched at the place where the replay is, by any number of clients. Its parts
 * are what the readers of the recording got, such as one for each namespace.
 *
 * Guarantees:
 * - A watch gets every recorded change after its version, once, and fails and ends as the recorded one did.
 * - Where the recorded program listed again and found a difference, watches and versions from before get 410: what lies between is not known.
 *
 * It keeps the changes since the last such list, which are in the memory of the recording.
 */
export class ServedCollection implements RestStorage, PartOwner {
  readonly describe: RestStorage['describe'];
  readonly table: RestStorage['table'];
  readonly withZeros: RestStorage['withZeros'];
  readonly parts: readonly ServedPart[];
  readonly #kind: KindDefinition;
  readonly #stage: ServedStage;
  readonly #watches = new Set<ServedWatch>();
  #objects = new Map<string, ServedObject>();
  #events: ServedEvent[] = [];
  /** Watches begin at this version at the earliest. */
  #since = '';
  #resourceVersion = '';
  /** Resolves with the next list or refusal. */
  #news: Deferred<void> = deferred();

  /** `namespaces`: of its parts; empty for all. */
  constructor(kind: KindDefinition, namespaces: readonly string[], stage: ServedStage) {
    this.#kind = kind;
    this.#stage = stage;
    this.parts = namespaces.map((namespace) => new ServedPart(namespace, this, stage));
    this.describe = { ...kind.describe, verbs: ['get', 'list', 'watch'] };
    this.table = kind.table;
    const { type } = kind;
    if (type?.withZeros !== undefined) {
      this.withZeros = (object) => type.withZeros?.({ ...object }) ?? object;
    }
  }

  listed(part: ServedPart, items: readonly ObjectView[], resourceVersion: string): void {
    const objects = new Map<string, ServedObject>();
    for (const item of items) put(objects, new ServedObject(item));
    // Events that an open watch has brought meanwhile.
    const later = this.#events.filter(
      (one) => one.part === part && isNewer(versionOf(one.event), resourceVersion),
    );
    for (const { event } of later) change(objects, event);
    const isSame = part.isListed && areEqual(objects, part.objects);
    part.objects = objects;
    part.isListed = true;
    this.#objects = this.#union();
    if (!this.#stage.stands && this.#events.length === 0) this.#begin(resourceVersion);
    else if (!isSame) this.#cut(resourceVersion, later);
    this.#moveTo(resourceVersion);
    this.#notify();
  }

  /** A part has its first list, and nothing was reported yet. */
  #begin(resourceVersion: string): void {
    if (this.#since === '' || isOlder(resourceVersion, this.#since)) this.#since = resourceVersion;
  }

  /** The changes between the state before and this one are not known. */
  #cut(resourceVersion: string, later: readonly ServedEvent[]): void {
    this.#since = this.#after(resourceVersion);
    this.#moveTo(this.#since);
    this.#events = [];
    for (const one of later) {
      const at = this.#after(one.at);
      this.#events.push({ ...one, at });
      this.#moveTo(at);
    }
    this.#end(this.#tooOld('of its watch'));
  }

  changed(part: ServedPart, batch: readonly WatchEvent<ObjectView>[]): void {
    for (const one of batch) {
      const event =
        one.type === 'BOOKMARK' ? one : { ...one, object: new ServedObject(one.object) };
      change(part.objects, event);
      if (this.#isKnown(part, event)) continue;
      const previous = event.type === 'BOOKMARK' ? undefined : this.#objects.get(event.object.key);
      const version = versionOf(event);
      const at = event.type === 'BOOKMARK' ? version : this.#after(version);
      this.#events.push({ event, previous, part, at });
      change(this.#objects, event);
      this.#moveTo(at);
    }
    for (const watch of this.#watches) watch.wake();
  }

  ended(error: Error | undefined): void {
    this.#end(error);
  }

  refused(): void {
    this.#notify();
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
    const first = this.#events.findIndex(({ at }) => isGiven && isNewer(at, resourceVersion));
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
    this.#stage.watched();
    return watch;
  }

  /** Resolves when there is a state to answer from. @throws {ApiError} as recorded; 504 for a version that the replay has not reached. */
  async #reached(
    { signal, namespace }: RequestContext,
    { resourceVersion = '' }: ReadOptions,
  ): Promise<void> {
    const asked = this.parts.filter((part) => part.has(namespace));
    const parts = asked.length > 0 ? asked : this.parts;
    const refusal = (): Error | undefined =>
      parts.find((part) => part.refusal !== undefined)?.refusal ?? this.#stage.outage;
    const isMissing = (): boolean =>
      parts.some((part) => part.isExpected && !part.isListed) ||
      !parts.some(({ isListed }) => isListed);
    while (refusal() === undefined && isMissing()) {
      await this.#stage.waitFor(this.#news.promise, signal);
    }
    const refused = refusal();
    if (refused !== undefined) throw refused;
    if (resourceVersion !== '' && isNewer(resourceVersion, this.#resourceVersion)) {
      throw tooLargeResourceVersion(resourceVersion, this.#resourceVersion);
    }
  }

  /** The objects of all parts. */
  #union(): Map<string, ServedObject> {
    const [only, ...others] = this.parts;
    if (only === undefined) return new Map();
    const objects = new Map(only.objects);
    for (const { objects: more } of others)
      for (const object of more.values()) newest(objects, object);
    return objects;
  }

  /** Another part has reported it, or still has the object. */
  #isKnown(part: ServedPart, event: Change): boolean {
    if (this.parts.length === 1 || event.type === 'BOOKMARK') return false;
    const { key, resourceVersion } = event.object;
    if (event.type === 'DELETED') {
      return this.parts.some((one) => one !== part && one.objects.has(key));
    }
    const known = this.#objects.get(key);
    return known !== undefined && !isNewer(resourceVersion, known.resourceVersion);
  }

  /** A version behind all that clients have seen: the parts need not come in the order of their versions. */
  #after(resourceVersion: string): string {
    const present = this.#resourceVersion;
    const isBehind = this.parts.length > 1 && isResourceVersion(present);
    if (!isBehind || isNewer(resourceVersion, present)) return resourceVersion;
    return (BigInt(present) + 1n).toString();
  }

  #notify(): void {
    this.#news.resolve();
    this.#news = deferred();
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

function newest(objects: Map<string, ServedObject>, object: ServedObject): void {
  const known = objects.get(object.key);
  if (known === undefined || isNewer(object.resourceVersion, known.resourceVersion)) {
    put(objects, object);
  }
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
