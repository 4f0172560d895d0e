import type { Runtime } from '../../../kernel/time/runtime.ts';
import { runInSlices } from '../../../kernel/time/sliced-steps.ts';
import { metaNamespaceKeyFunc, type KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf, type ObjectIdentity } from '../../../meta/object-view.ts';
import { isNewer, isOlder } from '../../../meta/versions/version-order.ts';
import type { ThreadSafeStore } from '../../store/thread-safe-store.ts';

/** The most objects of one audit that are looked at again, and so the most that it reports. */
const MOST_SUSPECTS = 1000;
/** The most keys of a list that are kept at a time, besides those of a page. */
const RANGE_KEYS = 10_000;

/**
 * How a cache that has every change up to the version of a list differs from the list: it lacks the object, has an older state of it, or
 * has an object that was deleted.
 */
export type MissedChange = 'missing' | 'stale' | 'left-over';

export interface Suspect {
  readonly kind: MissedChange;
  readonly uid: string | undefined;
  /** That of the list; of an object that is left over, that of the cache. */
  readonly resourceVersion: string | undefined;
  /** The version of the cache when it was compared. */
  readonly at: string;
}

/** A cache, as it is compared with pages of a list. */
export interface PagedCache {
  /** The received state, without own writes. */
  readonly store: Pick<ThreadSafeStore<HasMetadata>, 'get' | 'entries'>;
  readonly keyFunc: KeyFunc;
  /** The version up to which it has every change. */
  readonly reached: () => string;
  readonly runtime: Runtime;
}

export interface FirstLookOptions extends PagedCache {
  /** The version of the list. */
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
}

/**
 * Compares a cache with a list, page by page, while both change. The cache has every change up to the version of the list.
 *
 * An object whose cached state is not older than the listed one has only moved on. One that the cache lacks may have been deleted since:
 * `SecondLook` decides. An object of the cache that is older than the list, and not in it, is left over.
 *
 * Memory: the keys of a range of the list, and at most 1,000 suspects. After each range, the keys of the cache that lie in it are looked up
 * among those of the list. That needs a list in the order of its keys, as every paged one is; in a list without order nothing counts as
 * left over.
 */
export class FirstLook {
  readonly suspects: Map<string, Suspect> = new Map();
  /** The version of the list. */
  readonly resourceVersion: string;
  /** Objects of the list. */
  objects = 0;
  readonly #cache: PagedCache;
  readonly #signal: AbortSignal;
  /** The places of the present range, those after `#from`. */
  readonly #listed = new Set<string>();
  #from = '';
  #to = '';
  #isOrdered = true;

  constructor({ resourceVersion, signal, ...cache }: FirstLookOptions) {
    this.#cache = cache;
    this.resourceVersion = resourceVersion;
    this.#signal = signal;
  }

  async take(page: readonly HasMetadata[]): Promise<void> {
    let last = this.#to;
    for (const listed of page) {
      const key = keyOf(this.#cache, listed);
      if (key === undefined) continue;
      this.objects += 1;
      this.#compare(key, identityOf(listed));
      const place = placeOf(this.#cache, key, listed);
      if (place <= this.#to) this.#isOrdered = false;
      if (place > last) last = place;
      this.#listed.add(place);
    }
    this.#to = last;
    if (this.#listed.size >= RANGE_KEYS) await this.#endRange(last);
  }

  /** No page follows. */
  async finish(): Promise<void> {
    await this.#endRange(undefined);
    if (this.#isOrdered) return;
    for (const [key, { kind }] of this.suspects) {
      if (kind === 'left-over') this.suspects.delete(key);
    }
  }

  #compare(key: string, { uid, resourceVersion }: ObjectIdentity): void {
    const cached = this.#cache.store.get(key);
    if (cached === undefined) this.#suspect(key, 'missing', { uid, resourceVersion });
    else if (isBehind(cached, resourceVersion)) {
      this.#suspect(key, 'stale', { uid, resourceVersion });
    }
  }

  #suspect(key: string, kind: MissedChange, { uid, resourceVersion }: ObjectIdentity): void {
    if (this.suspects.size >= MOST_SUSPECTS) return;
    this.suspects.set(key, { kind, uid, resourceVersion, at: this.#cache.reached() });
  }

  async #endRange(to: string | undefined): Promise<void> {
    if (this.#isOrdered) {
      await runInSlices(this.#leftOver(this.#from, to), this.#cache.runtime, this.#signal);
      this.#signal.throwIfAborted();
    }
    this.#listed.clear();
    this.#from = to ?? '';
  }

  /** The store may change between two steps; each object is compared as it is then. */
  *#leftOver(from: string, to: string | undefined): Generator<void, void> {
    const { store } = this.#cache;
    for (const [key] of store.entries()) {
      const cached = store.get(key);
      if (cached !== undefined) {
        const place = placeOf(this.#cache, key, cached);
        const isInRange = place > from && (to === undefined || place <= to);
        if (isInRange && !this.#listed.has(place)) this.#unlisted(key, identityOf(cached));
      }
      yield;
    }
  }

  #unlisted(key: string, { uid, resourceVersion = '' }: ObjectIdentity): void {
    if (isNewer(resourceVersion, this.resourceVersion)) return;
    this.#suspect(key, 'left-over', { uid, resourceVersion });
  }
}

/**
 * Looks again at what a first look has found, with a later list. What the cache has by then was on its way, and is no finding.
 *
 * An object that was missing is one if the later list still has it: it has existed all the time, and the cache was then at a version at
 * which it existed.
 */
export class SecondLook {
  readonly #cache: PagedCache;
  readonly #suspects: ReadonlyMap<string, Suspect>;
  readonly #listed = new Set<string>();
  readonly #found: Map<string, MissedChange> = new Map();

  constructor(cache: PagedCache, suspects: ReadonlyMap<string, Suspect>) {
    this.#cache = cache;
    this.#suspects = suspects;
  }

  /** @param resourceVersion the version of the list */
  take(page: readonly HasMetadata[], resourceVersion: string): void {
    for (const object of page) {
      const key = keyOf(this.#cache, object);
      const suspect = key === undefined ? undefined : this.#suspects.get(key);
      if (key === undefined || suspect === undefined) continue;
      this.#listed.add(key);
      const isFinding =
        suspect.kind === 'missing'
          ? !isOlder(resourceVersion, suspect.at) && isSameObject(suspect, identityOf(object))
          : suspect.kind === 'stale' && this.#isStale(key, identityOf(object));
      if (isFinding) this.#found.set(key, suspect.kind);
    }
  }

  /** The findings, by key. */
  finish(): ReadonlyMap<string, MissedChange> {
    for (const [key, { kind, resourceVersion }] of this.#suspects) {
      if (kind !== 'left-over' || this.#listed.has(key)) continue;
      const cached = this.#cache.store.get(key);
      if (cached !== undefined && identityOf(cached).resourceVersion === resourceVersion) {
        this.#found.set(key, kind);
      }
    }
    return this.#found;
  }

  #isStale(key: string, { resourceVersion }: ObjectIdentity): boolean {
    const cached = this.#cache.store.get(key);
    return cached !== undefined && isBehind(cached, resourceVersion);
  }
}

/** A source in a test may give no uids. */
function isSameObject(before: Suspect, listed: ObjectIdentity): boolean {
  return before.uid === undefined
    ? listed.resourceVersion === before.resourceVersion
    : listed.uid === before.uid;
}

function isBehind(cached: HasMetadata, listed: string | undefined): boolean {
  return isOlder(identityOf(cached).resourceVersion ?? '', listed ?? '');
}

/** Undefined for an object without a key, which the informer has reported. */
function keyOf({ keyFunc }: PagedCache, object: HasMetadata): string | undefined {
  try {
    return keyFunc(object);
  } catch {
    return undefined;
  }
}

/** The place of an object in a list of the server. */
function placeOf({ keyFunc }: PagedCache, key: string, object: HasMetadata): string {
  return keyFunc === metaNamespaceKeyFunc ? key : metaNamespaceKeyFunc(object);
}
