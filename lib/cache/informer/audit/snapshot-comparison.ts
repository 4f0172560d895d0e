import { isDeepStrictEqual } from 'node:util';
import type { HasMetadata, KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';
import type { AuditFinding, AuditReport } from './audit-report.ts';
import { PageComparison, type PagedCache, type Verdicts } from './page-comparison.ts';

/** Keys that a finding names; the others are counted. */
const NAMED_KEYS = 100;

/** A cache at one moment. */
export interface CacheSnapshot<T extends KubernetesObject> {
  readonly resourceVersion: string;
  readonly objects: ReadonlyMap<string, ObjectView<T>>;
}

/** The result of a comparison. */
export type AuditVerdict = Pick<
  AuditReport,
  'consistent' | 'resourceVersion' | 'objects' | 'missing' | 'extra' | 'different' | 'undecided'
>;

class Finding implements AuditFinding {
  count = 0;
  readonly keys: string[] = [];

  add(key: string): void {
    this.count += 1;
    if (this.keys.length < NAMED_KEYS) this.keys.push(key);
  }
}

export interface SnapshotComparisonOptions<T extends KubernetesObject>
  extends Omit<PagedCache<ObjectView<T>>, 'objects'> {
  readonly before: CacheSnapshot<T>;
  /** The same as `before` for a list of exactly that state. */
  readonly after: CacheSnapshot<T>;
  /** That of the list. */
  readonly resourceVersion: string;
  /** Whether bodies are compared. */
  readonly deep: boolean;
}

/**
 * Compares a cache before and after the state of a list. An object with the same state before and after also had it in between; the other
 * objects are undecided.
 */
export class SnapshotComparison<T extends KubernetesObject> implements Verdicts<ObjectView<T>> {
  readonly #options: SnapshotComparisonOptions<T>;
  readonly #pages: PageComparison<ObjectView<T>>;
  readonly #missing = new Finding();
  readonly #extra = new Finding();
  readonly #different = new Finding();
  #undecided = 0;

  constructor(options: SnapshotComparisonOptions<T>) {
    const { before, after } = options;
    this.#options = options;
    const objects =
      before === after ? before.objects : new Map([...after.objects, ...before.objects]);
    this.#pages = new PageComparison({ ...options, objects }, this);
  }

  async take(page: readonly ObjectView<T>[]): Promise<void> {
    await this.#pages.take(page);
  }

  async finish(): Promise<AuditVerdict> {
    await this.#pages.finish();
    const { resourceVersion, before } = this.#options;
    const [missing, extra, different] = [this.#missing, this.#extra, this.#different];
    return {
      consistent: missing.count + extra.count + different.count === 0,
      resourceVersion,
      objects: before.objects.size,
      missing,
      extra,
      different,
      undecided: this.#undecided,
    };
  }

  listed(key: string, listed: ObjectView<T>, cached: ObjectView<T> | undefined): void {
    const isOpen = cached === undefined ? this.#mayHavePassed(listed) : this.#hasChanged(key);
    if (isOpen) this.#undecided += 1;
    else if (cached === undefined) this.#missing.add(key);
    else if (this.#differs(cached, listed)) this.#different.add(key);
  }

  unlisted(key: string): void {
    if (this.#hasChanged(key)) this.#undecided += 1;
    else this.#extra.add(key);
  }

  /** An object without a key cannot be in the cache; it is reported as missing, by its name. */
  keyless({ metadata }: ObjectView<T>): void {
    this.#missing.add(String(metadata.name));
  }

  /** An object may have been added and deleted between two snapshots, unless it is older than the first of them. */
  #mayHavePassed({ metadata }: ObjectView<T>): boolean {
    const { before, after } = this.#options;
    return before !== after && isNewer(metadata.resourceVersion ?? '', before.resourceVersion);
  }

  #hasChanged(key: string): boolean {
    const { before, after } = this.#options;
    if (before === after) return false;
    const [earlier, later] = [before.objects.get(key), after.objects.get(key)];
    return earlier === undefined || later === undefined || !isSameState(earlier, later);
  }

  #differs(cached: ObjectView<T>, listed: ObjectView<T>): boolean {
    if (!isSameState(cached, listed)) return true;
    return this.#options.deep && !isDeepStrictEqual(cached.object, listed.object);
  }
}

function isSameState(left: HasMetadata, right: HasMetadata): boolean {
  return (
    left.metadata?.resourceVersion === right.metadata?.resourceVersion &&
    left.metadata?.uid === right.metadata?.uid
  );
}
