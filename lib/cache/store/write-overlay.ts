import { ListwatchError } from '../../kernel/errors.ts';
import { numberOption } from '../../kernel/options.ts';
import { realRuntime } from '../../kernel/real-runtime.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf, type ObjectIdentity } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/resource-version.ts';
import { isNewer, isOlder } from '../../meta/version-order.ts';
import { computeKey } from './compute-key.ts';
import type { Indexers } from './indexers.ts';
import { LayeredStore } from './layered-store.ts';
import {
  isEndedBy,
  isFollowedBy,
  isNotNewer,
  isOver,
  isTerminating,
  newerOf,
  type OverlayEntry,
} from './overlay-entry.ts';
import { ProcessedVersion, type CaughtUpOptions } from './processed-version.ts';
import { RecentMap } from './recent-map.ts';
import type { StoreReader } from './store-reader.ts';
import type { ThreadSafeStore } from './thread-safe-store.ts';

export interface WriteOverlayOptions<V extends HasMetadata> {
  /** What is read through. Add and remove its indexes through the overlay from now on. */
  readonly store: ThreadSafeStore<V>;
  /** The one the store is filled with. @defaultValue `metaNamespaceKeyFunc` */
  readonly keyFunc?: KeyFunc | undefined;
  /** Whether the cache would hold the object at all: its selectors and namespace. @defaultValue all objects */
  readonly matches?: ((object: V) => boolean) | undefined;
  /** Takes what went wrong with a write: no key, a throwing `matches` or index function, an overflow. Without it, it is thrown. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Most own writes that may wait for the cache; beyond it the oldest is dropped. @defaultValue 10 000 */
  readonly capacity?: number | undefined;
  /** @defaultValue `realRuntime` */
  readonly runtime?: Runtime | undefined;
}

/** The answer to a deletion that is no object. */
export interface Deletion {
  readonly key: string;
  /** Of the deleted object: `details.uid` of the Status. @defaultValue that of the object readers see at that moment */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface WriteOverlayInspection {
  /** Own writes that the cache has not caught up with. */
  readonly pending: number;
  /** The resource version up to which the cache has applied everything. */
  readonly processed: string;
  /** Writes dropped for want of room, so far. */
  readonly dropped: number;
  /** Writes and resource versions that could not be ordered and were left out, so far. */
  readonly unordered: number;
}

const WRITE = { since: '', listed: false } as const;
const DELETION = { object: undefined, deleted: true } as const;

/**
 * A cache in which one's own writes are visible at once: what a write was answered with is laid over the store until the
 * cache has caught up with it.
 *
 * Guarantees:
 * - A read never shows anything older than an own write that was answered, and never waits.
 * - One removal rule: what was laid over goes when the cache has processed its resource version, whether the object is in
 *   the store then or not. There are no lifetimes.
 * - Answers may come in any order, and after the event of their write; what was deleted does not come back.
 * - Indexes are those of the object that is shown, not of the one that it hides.
 * - While nothing is laid over, a read costs one comparison, and gives the store's own arrays.
 *
 * Not guaranteed:
 * - Anything on servers whose resource versions are no numbers; such writes are counted, and not laid over.
 * - Anything about writes of other processes, or beyond `capacity`.
 * - That a deletion hides older objects of the same name, when neither its answer has a resource version nor the cache has
 *   seen what was deleted; the deleted object itself is hidden then, too.
 *
 * Give it answers of the kind of the cache only: that of a subresource of another kind has another object's resource version.
 * @see KEP-5504 comparable resource versions; client-go tools/cache/mutation_cache.go @ 32ce75a7, which forgets by time
 */
export class WriteOverlay<V extends HasMetadata> implements StoreReader<V> {
  readonly #layers: LayeredStore<V>;
  readonly #keyFunc: KeyFunc;
  readonly #matches: (object: V) => boolean;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #capacity: number;
  readonly #processed: ProcessedVersion;
  /** Keys by the resource version of an own write. */
  readonly #ownWrites: RecentMap<string, string>;
  /** Keys by the uid of what an own write has deleted. */
  readonly #ownDeletions: RecentMap<string, string>;
  #dropped = 0;
  #overflowing = false;
  #unordered = 0;

  constructor(options: WriteOverlayOptions<V>) {
    const { store, keyFunc = metaNamespaceKeyFunc, matches = () => true, onError } = options;
    this.#layers = new LayeredStore(store, (error) => {
      this.#report(error);
    });
    this.#keyFunc = keyFunc;
    this.#matches = matches;
    this.#onError = onError;
    const rule = { min: 1, integer: true };
    this.#capacity = numberOption('WriteOverlay', 'capacity', options.capacity, 10_000, rule);
    this.#processed = new ProcessedVersion(options.runtime ?? realRuntime);
    this.#ownWrites = new RecentMap(this.#capacity);
    this.#ownDeletions = new RecentMap(this.#capacity);
  }

  /** Lays the answer to a create, update, patch or status write over the cache. */
  written(object: V): void {
    this.#guard(() => {
      const key = computeKey(this.#keyFunc, object);
      const { uid, resourceVersion } = identityOf(object);
      const cached = this.#cached(key).resourceVersion;
      // A write that changed nothing is answered with the resource version of the change before it.
      if (resourceVersion !== undefined && resourceVersion !== cached) {
        this.#ownWrites.set(resourceVersion, key);
      }
      if (!isResourceVersion(resourceVersion)) {
        this.#unordered += 1;
        return;
      }
      if (isNotNewer(resourceVersion, this.#processed.value)) return;
      if (isNotNewer(resourceVersion, cached)) return;
      const known = this.#layers.entries.get(key);
      if (known !== undefined && !isFollowedBy(known, uid, resourceVersion)) return;
      const deleted = uid !== undefined && this.#ownDeletions.has(uid);
      const shown = !deleted && this.#matches(object) ? object : undefined;
      this.#put({ ...WRITE, key, uid, resourceVersion, object: shown, deleted });
    });
  }

  /**
   * Notes the answer to a deletion: the object, or what else is known. An object that waits for finalizers or for the end
   * of its grace period is still there, and shown with its `deletionTimestamp`.
   */
  deleted(answer: V | Deletion): void {
    if (isDeletion(answer)) {
      this.#guard(() => {
        this.#delete(answer);
      });
    } else if (isTerminating(answer)) {
      this.written(answer);
    } else {
      this.#guard(() => {
        const { uid, resourceVersion } = identityOf(answer);
        this.#delete({ key: computeKey(this.#keyFunc, answer), uid, resourceVersion });
      });
    }
  }

  /**
   * Tells what the cache has just applied to one key; for a deletion, with the last known state. A complete list is told
   * with `replaced` alone. This is what ends a deletion whose answer carried no resource version.
   */
  observed(key: string, object: V, deleted: boolean): void {
    const { entries } = this.#layers;
    if (entries.size > 0) {
      const known = entries.get(key);
      if (known !== undefined) {
        if (!isOver(known, object, deleted)) return;
        this.#layers.drop(key);
      }
    }
    if (!deleted && this.#ownDeletions.size > 0) this.#hideDeleted(key, object, false);
  }

  /** Tells that the cache has applied everything up to `resourceVersion`. One that is older than the last is ignored. */
  processed(resourceVersion: string): void {
    const reached = this.#processed.value;
    if (resourceVersion === reached || resourceVersion === '') return;
    if (!isResourceVersion(resourceVersion)) this.#unordered += 1;
    else if (isNewer(resourceVersion, reached)) this.#advance(resourceVersion);
  }

  /**
   * Tells that the cache holds exactly what a complete list of `resourceVersion` showed. When that is older than what was
   * processed, the server has gone back (a restored backup): everything is forgotten.
   */
  replaced(resourceVersion: string): void {
    if (isOlder(resourceVersion, this.#processed.value)) {
      this.clear();
      this.#processed.goBack(resourceVersion);
      return;
    }
    this.processed(resourceVersion);
    for (const entry of this.#layers.entries.values()) {
      this.#compareWithList(entry, resourceVersion);
    }
    for (const [uid, key] of this.#ownDeletions.entries()) {
      const listed = this.#layers.store.get(key);
      if (listed !== undefined && identityOf(listed).uid === uid)
        this.#hideDeleted(key, listed, true);
    }
  }

  /**
   * Whether the event of this key and resource version is the echo of an own write. Equal, not older: changes of others in
   * between are theirs. At least the newest `capacity` writes are remembered. A write that changed nothing is answered with
   * the change of somebody else; when the cache has not seen that yet, it is taken for an own one.
   */
  isOwn(key: string, resourceVersion: string): boolean {
    return this.#ownWrites.size > 0 && this.#ownWrites.get(resourceVersion) === key;
  }

  /** Whether the deletion of the object with this uid is an own one; without a uid, ask `isOwn`. */
  isOwnDeletion(key: string, uid: string): boolean {
    return this.#ownDeletions.size > 0 && this.#ownDeletions.get(uid) === key;
  }

  /**
   * Resolves when the cache itself has applied everything up to `resourceVersion`, for those who would rather wait.
   * @throws {ListwatchError} code TIMEOUT saying where the cache is; INVALID_RESOURCE_VERSION; CLOSED when the cache stops
   * first; HISTORY_REPLACED when the server goes back to an older state; the signal's reason when aborted.
   */
  async caughtUp(resourceVersion: string, options: CaughtUpOptions = {}): Promise<void> {
    await this.#processed.reach(resourceVersion, options);
  }

  /** Forgets all own writes; readers see the store as it is. */
  clear(): void {
    this.#layers.clear();
    this.#ownWrites.clear();
    this.#ownDeletions.clear();
  }

  /** The cache has stopped: whoever waits for it is told. What is laid over stays readable. */
  close(): void {
    this.#processed.close();
  }

  inspect(): WriteOverlayInspection {
    return {
      pending: this.#layers.entries.size,
      processed: this.#processed.value,
      dropped: this.#dropped,
      unordered: this.#unordered,
    };
  }

  get size(): number {
    return this.#layers.size;
  }

  /** That of the store; what is laid over it is newer. */
  get resourceVersion(): string {
    return this.#layers.resourceVersion;
  }

  get indexNames(): readonly string[] {
    return this.#layers.indexNames;
  }

  get(key: string): V | undefined {
    return this.#layers.get(key);
  }

  has(key: string): boolean {
    return this.#layers.has(key);
  }

  list(): readonly V[] {
    return this.#layers.list();
  }

  keys(): string[] {
    return this.#layers.keys();
  }

  byIndex(index: string, value: string): readonly V[] {
    return this.#layers.byIndex(index, value);
  }

  index(index: string, probe: V): readonly V[] {
    return this.#layers.index(index, probe);
  }

  indexKeys(index: string, value: string): string[] {
    return this.#layers.indexKeys(index, value);
  }

  indexValues(index: string): string[] {
    return this.#layers.indexValues(index);
  }

  addIndexers(indexers: Indexers<V>): void {
    this.#layers.addIndexers(indexers);
  }

  removeIndexers(names: readonly string[]): void {
    this.#layers.removeIndexers(names);
  }

  /** Of the object that the cache holds under the key, if any. */
  #cached(key: string): ObjectIdentity {
    return identityOf(this.#layers.store.get(key));
  }

  #advance(resourceVersion: string): void {
    const { entries } = this.#layers;
    this.#processed.advance(resourceVersion);
    for (let first = entries.peek(); first !== undefined; first = entries.peek()) {
      if (!isNotNewer(first.resourceVersion, resourceVersion)) break;
      this.#layers.drop(first.key);
    }
    if (entries.size === 0) this.#overflowing = false;
  }

  #delete({ key, uid = identityOf(this.get(key)).uid, resourceVersion }: Deletion): void {
    const cached = this.#cached(key);
    const known = this.#layers.entries.get(key);
    const knownVersion = known === undefined ? '' : (known.resourceVersion ?? known.since);
    const since = newerOf(
      cached.uid === uid ? cached.resourceVersion : '',
      known?.uid === uid ? knownVersion : '',
    );
    if (uid !== undefined) this.#ownDeletions.set(uid, key);
    else if (resourceVersion !== undefined) this.#ownWrites.set(resourceVersion, key);
    // Some servers answer with the last state of the object, whose resource version is not that of the deletion.
    if (isResourceVersion(resourceVersion) && !isNotNewer(resourceVersion, since)) {
      const reached = newerOf(this.#processed.value, cached.resourceVersion);
      if (isNotNewer(resourceVersion, newerOf(reached, knownVersion))) return;
      this.#put({ ...DELETION, key, uid, resourceVersion, since: '', listed: false });
    } else if (uid === undefined) {
      this.#unordered += 1;
    } else if (known === undefined ? cached.uid === uid : isEndedBy(known, uid)) {
      this.#put({ ...DELETION, key, uid, resourceVersion: undefined, since, listed: false });
    }
  }

  /** Hides an object that comes up although an own write has deleted it: its deletion is still on the way. */
  #hideDeleted(key: string, object: V, listed: boolean): void {
    const { uid, resourceVersion = '' } = identityOf(object);
    if (uid === undefined || this.#ownDeletions.get(uid) !== key) return;
    if (this.#layers.entries.has(key)) return;
    const version = { resourceVersion: undefined, since: resourceVersion };
    this.#guard(() => {
      this.#put({ ...DELETION, key, uid, ...version, listed });
    });
  }

  /** Ends a deletion without a resource version when a complete list tells what became of it. */
  #compareWithList(entry: OverlayEntry<V>, resourceVersion: string): void {
    if (entry.resourceVersion !== undefined || isOlder(resourceVersion, entry.since)) return;
    const { key, uid } = entry;
    const listed = this.#cached(key).uid === uid;
    if (listed && !entry.listed) {
      // The list may have been on its way already when the object was deleted; the next one was not.
      this.#layers.entries.set({ ...entry, listed });
      return;
    }
    if (listed && uid !== undefined) this.#ownDeletions.delete(uid);
    this.#layers.drop(key);
  }

  #put(entry: OverlayEntry<V>): void {
    const { entries } = this.#layers;
    this.#layers.put(entry);
    if (entries.size <= this.#capacity) return;
    this.#layers.drop((entries.peek() ?? entry).key);
    this.#dropped += 1;
    if (this.#overflowing) return;
    this.#overflowing = true;
    throw new ListwatchError(
      'BUFFER_FULL',
      `more than ${this.#capacity} own writes wait for the cache to catch up (it is at resource version ` +
        `"${this.#processed.value}"); the oldest are not visible any more`,
    );
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    if (this.#onError === undefined) throw error;
    this.#onError(error);
  }
}

function isDeletion(answer: HasMetadata | Deletion): answer is Deletion {
  return 'key' in answer && !('metadata' in answer);
}
