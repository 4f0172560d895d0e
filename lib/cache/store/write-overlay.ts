import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';
import { identityOf, type ObjectIdentity } from '../../meta/object-view.ts';
import { isResourceVersion } from '../../meta/versions/resource-version.ts';
import { isNewer, isOlder } from '../../meta/versions/version-order.ts';
import { computeKey } from './compute-key.ts';
import {
  LayeredStore,
  isEndedBy,
  isFollowedBy,
  isNotNewer,
  isOver,
  isTerminating,
  newerOf,
  type OverlayEntry,
} from './layered-store.ts';
import { ProcessedVersion, type CaughtUpOptions } from './processed-version.ts';
import { RecentMap } from '../../kernel/data/recent-map.ts';
import type { ThreadSafeStore } from './thread-safe-store.ts';

const CAPACITY = is.integer({ min: 1 }).default(10_000);

export interface WriteOverlayOptions<V extends HasMetadata, A extends HasMetadata = V> {
  /** The store below the overlay. From now on, add and remove its indexes through the overlay. */
  readonly store: ThreadSafeStore<V>;
  /** The `KeyFunc` of the store; it gets answers. @defaultValue `metaNamespaceKeyFunc` */
  readonly keyFunc?: KeyFunc | undefined;
  /** Whether the cache would hold the object at all: its selectors and namespace. @defaultValue all objects */
  readonly matches?: ((answer: A) => boolean) | undefined;
  /** Makes an answer into the object that readers get. @defaultValue the answer */
  readonly prepare?: ((key: string, answer: A) => V) | undefined;
  /** Gets the error of a write: no key, a throwing `matches`, `prepare` or index function, an overflow. Without it, the error is thrown. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called when readers no longer see an object that they have seen by an own write alone: the cache has everything up to that write, and
   * has never had the object, so it was deleted meanwhile. @defaultValue not known
   */
  readonly onVanished?: ((key: string, object: V) => void) | undefined;
  /** The most own writes that may wait for the cache; above it the oldest is dropped. @defaultValue 10 000 */
  readonly capacity?: number | undefined;
  /** @defaultValue `realRuntime` */
  readonly runtime?: Runtime | undefined;
}

/** The answer to a deletion if it is not an object. */
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
  /** Writes dropped so far because of `capacity`. */
  readonly dropped: number;
  /** Writes and resource versions ignored so far because they could not be ordered. */
  readonly unordered: number;
}

const WRITE = { since: '', listed: false } as const;
const DELETION = { object: undefined, deleted: true } as const;

/**
 * A cache in which own writes are visible at once: the answer to a write is an entry above the store until the cache has
 * processed its resource version.
 *
 * Guarantees:
 * - A read never shows a state older than an own write that was answered, and never waits.
 * - An entry is removed when the cache has processed its resource version, whether the store then has the object or not. There
 *   are no lifetimes.
 * - Answers may come in any order, and after the event of their write; a deleted object does not reappear.
 * - Indexes use the values of the shown object, not of the hidden one.
 * - Without entries a read takes one comparison more and returns the store's own arrays.
 *
 * Not guaranteed:
 * - Anything on servers whose resource versions are not numbers; such writes are counted, and get no entry.
 * - Anything about writes of other processes, or above `capacity`.
 * - That a deletion hides older objects of the same name, if its answer has no resource version and the cache has not seen the
 *   deleted object; the deleted object itself is still hidden.
 *
 * Pass only answers of the kind of the cache: an answer of a subresource of another kind has the version of another object.
 * @see KEP-5504 comparable resource versions; client-go tools/cache/mutation_cache.go @ 32ce75a7, which forgets by time
 */
export class WriteOverlay<
  V extends HasMetadata,
  A extends HasMetadata = V,
> extends LayeredStore<V> {
  readonly #keyFunc: KeyFunc;
  readonly #matches: (answer: A) => boolean;
  readonly #prepare: (key: string, answer: A) => V;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #onVanished: ((key: string, object: V) => void) | undefined;
  readonly #capacity: number;
  readonly #processed: ProcessedVersion;
  /** Keys by the resource version of an own write. */
  readonly #ownWrites: RecentMap<string, string>;
  /** Keys by the uid of objects that an own write has deleted. */
  readonly #ownDeletions: RecentMap<string, string>;
  #dropped = 0;
  #overflowing = false;
  #unordered = 0;

  constructor(options: WriteOverlayOptions<V, A>) {
    const { store, keyFunc = metaNamespaceKeyFunc, matches = () => true, onError } = options;
    super(store, (error) => this.#report(error));
    this.#keyFunc = keyFunc;
    this.#matches = matches;
    this.#prepare = options.prepare ?? ((_, answer) => answer as HasMetadata as V);
    this.#onError = onError;
    this.#onVanished = options.onVanished;
    this.#capacity = CAPACITY.read('WriteOverlay', 'capacity', options.capacity);
    this.#processed = new ProcessedVersion(options.runtime ?? realRuntime);
    this.#ownWrites = new RecentMap(this.#capacity);
    this.#ownDeletions = new RecentMap(this.#capacity);
  }

  /**
   * Adds an entry for the answer to a create, update, patch or status write. `isOwn` false: its version may be that of a change of another,
   * which is then none of `isOwn`.
   */
  written(answer: A, isOwn: boolean = true): void {
    this.#guard(() => {
      const key = computeKey(this.#keyFunc, answer);
      const prepared = this.#prepare(key, answer);
      const { uid, resourceVersion } = identityOf(answer);
      const cached = this.#cached(key).resourceVersion;
      // The answer of a write without a change has the resource version of the change before it.
      if (isOwn && resourceVersion !== undefined && resourceVersion !== cached) {
        this.#ownWrites.set(resourceVersion, key);
      }
      if (!isResourceVersion(resourceVersion)) {
        this.#unordered += 1;
        return;
      }
      if (isNotNewer(resourceVersion, this.#processed.value)) return;
      if (isNotNewer(resourceVersion, cached)) return;
      const known = this.entries.get(key);
      if (known !== undefined && !isFollowedBy(known, uid, resourceVersion)) return;
      const deleted = uid !== undefined && this.#ownDeletions.has(uid);
      const shown = !deleted && this.#matches(answer) ? prepared : undefined;
      this.#put({ key, uid, resourceVersion, object: shown, deleted, ...WRITE });
    });
  }

  /**
   * Adds an entry for the answer to a deletion: the object, or a `Deletion`. An object that waits for finalizers or for the end
   * of its grace period still exists, and is shown with its `deletionTimestamp`.
   */
  deleted(answer: A | Deletion): void {
    this.#guard(() => {
      if (isDeletion(answer)) return this.#delete(answer);
      const key = computeKey(this.#keyFunc, answer);
      if (isTerminating(answer)) return this.written(answer);
      const { uid, resourceVersion } = identityOf(answer);
      this.#delete({ key, uid, resourceVersion });
    });
  }

  /**
   * Called when the cache has applied a change of one key; for a deletion, with the last known state. A complete list is only
   * reported with `replaced`. This call removes the entry of a deletion whose answer has no resource version.
   */
  observed(key: string, object: V, deleted: boolean): void {
    const { entries } = this;
    if (entries.size > 0) {
      const known = entries.get(key);
      if (known !== undefined) {
        if (!isOver(known, object, deleted)) return;
        this.drop(key);
      }
    }
    if (!deleted && this.#ownDeletions.size > 0) this.#hideDeleted(key, object, false);
  }

  /** Called when the cache has applied everything up to `resourceVersion`. A version older than the last is ignored. */
  processed(resourceVersion: string): void {
    const reached = this.#processed.value;
    if (resourceVersion === reached || resourceVersion === '') return;
    if (!isResourceVersion(resourceVersion)) this.#unordered += 1;
    else if (isNewer(resourceVersion, reached)) this.#advance(resourceVersion);
  }

  /**
   * Called when the content of the cache equals a complete list at `resourceVersion`. If that is older than the processed
   * version, the server went back (a restored backup): all entries are removed. With a scope, the list has the objects whose keys
   * start with it; without a resource version too, these objects are no longer in the cache.
   */
  replaced(resourceVersion: string, scope?: string): void {
    if (isOlder(resourceVersion, this.#processed.value)) {
      this.clear();
      this.#processed.goBack(resourceVersion);
      return;
    }
    if (scope === undefined) this.processed(resourceVersion);
    for (const entry of this.entries.values()) {
      if (scope === undefined) this.#compareWithList(entry, resourceVersion);
      else if (entry.key.startsWith(scope)) this.#compareWithPart(entry, resourceVersion);
    }
    if (resourceVersion === '') return;
    for (const [uid, key] of this.#ownDeletions.entries()) {
      const listed = this.store.get(key);
      if (listed !== undefined && identityOf(listed).uid === uid)
        this.#hideDeleted(key, listed, true);
    }
  }

  /**
   * Whether the event of this key and resource version is that of an own write. The versions must be equal: earlier changes in
   * between are changes of others. At least the newest `capacity` writes are known. The answer of a write without a change has
   * the version of the change before; if the cache has not seen that change yet, it counts as an own one, unless an option of `written` says that it may be another's.
   */
  isOwn(key: string, resourceVersion: string): boolean {
    return this.#ownWrites.size > 0 && this.#ownWrites.get(resourceVersion) === key;
  }

  /** Whether the deletion of the object with this uid is an own one; without a uid, ask `isOwn`. */
  isOwnDeletion(key: string, uid: string): boolean {
    return this.#ownDeletions.size > 0 && this.#ownDeletions.get(uid) === key;
  }

  /**
   * Resolves when the cache, without own writes, has applied everything up to `resourceVersion`.
   * @throws {ListwatchError} code TIMEOUT with the version of the cache; INVALID_RESOURCE_VERSION; CLOSED when the cache stops
   * first; HISTORY_REPLACED when the server goes back to an older state; the signal's reason when aborted.
   */
  async caughtUp(resourceVersion: string, options: CaughtUpOptions = {}): Promise<void> {
    await this.#processed.reach(resourceVersion, options);
  }

  /** Removes all own writes; readers see the store. */
  override clear(): void {
    super.clear();
    this.#ownWrites.clear();
    this.#ownDeletions.clear();
  }

  /** The cache has stopped: all waits are rejected. The entries stay readable. */
  destroy(): void {
    this.#processed.close();
  }

  inspect(): WriteOverlayInspection {
    return {
      pending: this.entries.size,
      processed: this.#processed.value,
      dropped: this.#dropped,
      unordered: this.#unordered,
    };
  }

  /** The value of the stored object of the key, if there is one. */
  #cached(key: string): ObjectIdentity {
    return identityOf(this.store.get(key));
  }

  #advance(resourceVersion: string): void {
    const { entries } = this;
    this.#processed.advance(resourceVersion);
    for (let first = entries.peek(); first !== undefined; first = entries.peek()) {
      if (!isNotNewer(first.resourceVersion, resourceVersion)) break;
      this.#overtake(first);
    }
    if (entries.size === 0) this.#overflowing = false;
  }

  #delete({ key, uid = identityOf(this.get(key)).uid, resourceVersion }: Deletion): void {
    const cached = this.#cached(key);
    const known = this.entries.get(key);
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

  /** Hides an object that appears although an own write has deleted it: the event of its deletion has not arrived. */
  #hideDeleted(key: string, object: V, listed: boolean): void {
    const { uid, resourceVersion = '' } = identityOf(object);
    if (uid === undefined || this.#ownDeletions.get(uid) !== key) return;
    if (this.entries.has(key)) return;
    const version = { resourceVersion: undefined, since: resourceVersion };
    this.#guard(() => {
      this.#put({ ...DELETION, key, uid, ...version, listed });
    });
  }

  #compareWithPart(entry: OverlayEntry<V>, resourceVersion: string): void {
    const { key, resourceVersion: version } = entry;
    if (resourceVersion === '') this.drop(key);
    else if (version === undefined) this.#compareWithList(entry, resourceVersion);
    else if (isNotNewer(version, resourceVersion)) this.#overtake(entry);
  }

  /** The cache has everything up to the write of an entry. */
  #overtake({ key, object }: OverlayEntry<V>): void {
    this.drop(key);
    if (object !== undefined && !this.store.has(key)) this.#onVanished?.(key, object);
  }

  /** Removes the entry of a deletion without a resource version when a complete list shows its result. */
  #compareWithList(entry: OverlayEntry<V>, resourceVersion: string): void {
    if (entry.resourceVersion !== undefined || isOlder(resourceVersion, entry.since)) return;
    const { key, uid } = entry;
    const listed = this.#cached(key).uid === uid;
    if (listed && !entry.listed) {
      // The server may have made this list before the deletion; the next list is later.
      this.entries.set({ ...entry, listed });
      return;
    }
    if (listed && uid !== undefined) this.#ownDeletions.delete(uid);
    this.drop(key);
  }

  #put(entry: OverlayEntry<V>): void {
    const { entries } = this;
    this.put(entry);
    if (entries.size <= this.#capacity) return;
    this.drop((entries.peek() ?? entry).key);
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
  return (
    typeof answer === 'object' && answer !== null && 'key' in answer && !('metadata' in answer)
  );
}
