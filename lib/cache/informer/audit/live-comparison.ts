import type { HasMetadata } from '../../../meta/object.ts';
import { identityOf, type ObjectIdentity } from '../../../meta/object-view.ts';
import { isNewer, isOlder } from '../../../meta/versions/version-order.ts';
import { PageComparison, type PagedCache, type Verdicts } from './page-comparison.ts';

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

export type Suspects = ReadonlyMap<string, Suspect>;

/** A cache that changes, without own writes. */
export interface LiveCache extends PagedCache<HasMetadata> {
  /** The version up to which it has every change. */
  readonly reached: () => string;
}

export interface LiveComparisonOptions extends LiveCache {
  /** The version of the list. The cache has every change up to it. */
  readonly resourceVersion: string;
  /** The finds of a look at an earlier list; other objects are no longer reported. */
  readonly again?: Suspects | undefined;
}

/**
 * Compares a cache with a list while both change.
 *
 * An object whose cached state is not older than the listed one has only moved on. One that the cache lacks may have been deleted since:
 * only a look at a later list decides. An object of the cache that is older than the list, and not in it, is left over.
 *
 * The second look takes what the cache has by then for no finding: it was on its way. An object that is missing is a finding if the later
 * list still has it: it has existed all the time, and the cache was then at a version at which it existed.
 *
 * Memory: the keys of a range of the list, and at most 1,000 suspects. In a long list without order nothing counts as left over.
 */
export class LiveComparison implements Verdicts<HasMetadata> {
  readonly found: Map<string, Suspect> = new Map();
  readonly #options: LiveComparisonOptions;
  readonly #pages: PageComparison<HasMetadata>;

  constructor(options: LiveComparisonOptions) {
    this.#options = options;
    const { objects, again } = options;
    const looked = again === undefined ? objects : suspectsOf(objects, again);
    this.#pages = new PageComparison({ ...options, objects: looked }, this, RANGE_KEYS);
  }

  /** The version of the list. */
  get resourceVersion(): string {
    return this.#options.resourceVersion;
  }

  /** Objects of the list. */
  get objects(): number {
    return this.#pages.listed;
  }

  async take(page: readonly HasMetadata[]): Promise<void> {
    await this.#pages.take(page);
  }

  async finish(): Promise<void> {
    if (await this.#pages.finish()) return;
    for (const [key, { kind }] of this.found) {
      if (kind === 'left-over') this.found.delete(key);
    }
  }

  listed(key: string, listed: HasMetadata, cached: HasMetadata | undefined): void {
    const identity = identityOf(listed);
    if (cached === undefined) this.#suspect(key, 'missing', identity);
    else if (isOlder(identityOf(cached).resourceVersion ?? '', identity.resourceVersion ?? '')) {
      this.#suspect(key, 'stale', identity);
    }
  }

  unlisted(key: string, cached: HasMetadata): void {
    const identity = identityOf(cached);
    if (isNewer(identity.resourceVersion ?? '', this.resourceVersion)) return;
    this.#suspect(key, 'left-over', identity);
  }

  /** The informer has reported it. */
  keyless(): void {}

  #suspect(key: string, kind: MissedChange, { uid, resourceVersion }: ObjectIdentity): void {
    if (this.found.size >= MOST_SUSPECTS) return;
    const suspect = { kind, uid, resourceVersion, at: this.#options.reached() };
    const { again } = this.#options;
    if (again === undefined || this.#isConfirmed(suspect, again.get(key))) {
      this.found.set(key, suspect);
    }
  }

  #isConfirmed(now: Suspect, before: Suspect | undefined): boolean {
    if (before?.kind !== now.kind) return false;
    if (now.kind === 'stale') return true;
    if (now.kind === 'left-over') return now.resourceVersion === before.resourceVersion;
    // A source in a test may give no uids.
    const [known, listed] =
      before.uid === undefined
        ? [before.resourceVersion, now.resourceVersion]
        : [before.uid, now.uid];
    return known === listed && !isOlder(this.resourceVersion, before.at);
  }
}

/** The suspects among the objects of a cache. One that was missing counts as that, also if the cache has got it since. */
function suspectsOf(
  objects: PagedCache<HasMetadata>['objects'],
  suspects: Suspects,
): PagedCache<HasMetadata>['objects'] {
  return {
    get: (key) => (suspects.get(key)?.kind === 'missing' ? undefined : objects.get(key)),
    *entries() {
      for (const key of suspects.keys()) {
        const object = objects.get(key);
        if (object !== undefined) yield [key, object];
      }
    },
  };
}
