import { isDeepStrictEqual } from 'node:util';
import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata, KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { isNewer } from '../../../meta/versions/version-order.ts';
import type { AuditFinding, AuditReport } from './audit-report.ts';

/** Keys that a finding names; the others are counted. */
const NAMED_KEYS = 100;

/** A cache at one moment. */
export interface CacheSnapshot<T extends KubernetesObject> {
  readonly resourceVersion: string;
  readonly objects: Map<string, ObjectView<T>>;
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

export interface AuditComparisonOptions {
  readonly keyFunc: KeyFunc;
  /** Whether bodies are compared. */
  readonly deep: boolean;
}

/** Gathers the differences between a cache and its server. */
abstract class AuditComparison<T extends KubernetesObject> {
  protected readonly missing: Finding = new Finding();
  protected readonly extra: Finding = new Finding();
  protected readonly different: Finding = new Finding();
  protected undecided = 0;
  readonly #options: AuditComparisonOptions;

  constructor(options: AuditComparisonOptions) {
    this.#options = options;
  }

  protected verdict(resourceVersion: string, objects: number): AuditVerdict {
    const { missing, extra, different, undecided } = this;
    const consistent = missing.count + extra.count + different.count === 0;
    return { consistent, resourceVersion, objects, missing, extra, different, undecided };
  }

  /** An object without a key cannot be in the cache; it is reported as missing, by its name. */
  protected keyOf(listed: ObjectView<T>): string | undefined {
    try {
      return this.#options.keyFunc(listed);
    } catch {
      this.missing.add(String(listed.metadata.name));
      return undefined;
    }
  }

  protected compare(key: string, cached: ObjectView<T>, listed: ObjectView<T>): void {
    const equal =
      isSameState(cached, listed) &&
      (!this.#options.deep || isDeepStrictEqual(cached.object, listed.object));
    if (!equal) this.different.add(key);
  }
}

/** Compares a cache with a list of the same state, page by page. */
export class ExactComparison<T extends KubernetesObject> extends AuditComparison<T> {
  readonly #resourceVersion: string;
  readonly #objects: number;
  /** The keys that are in no page so far. */
  readonly #unseen: Map<string, ObjectView<T>>;

  /** The snapshot is used up. */
  constructor(snapshot: CacheSnapshot<T>, options: AuditComparisonOptions) {
    super(options);
    this.#resourceVersion = snapshot.resourceVersion;
    this.#objects = snapshot.objects.size;
    this.#unseen = snapshot.objects;
  }

  take(page: readonly ObjectView<T>[]): void {
    for (const listed of page) {
      const key = this.keyOf(listed);
      if (key === undefined) continue;
      const cached = this.#unseen.get(key);
      if (cached === undefined) this.missing.add(key);
      else this.compare(key, cached, listed);
      this.#unseen.delete(key);
    }
  }

  finish(): AuditVerdict {
    for (const key of this.#unseen.keys()) this.extra.add(key);
    return this.verdict(this.#resourceVersion, this.#objects);
  }
}

/**
 * Compares a cache before and after a list of a state in between. An object with the same state before and after also had it in
 * between; the other objects are undecided.
 */
export class BracketedComparison<T extends KubernetesObject> extends AuditComparison<T> {
  readonly #before: CacheSnapshot<T>;
  readonly #listed: Map<string, ObjectView<T>> = new Map();

  constructor(before: CacheSnapshot<T>, options: AuditComparisonOptions) {
    super(options);
    this.#before = before;
  }

  take(page: readonly ObjectView<T>[]): void {
    for (const listed of page) {
      const key = this.keyOf(listed);
      if (key !== undefined) this.#listed.set(key, listed);
    }
  }

  /** `resourceVersion` is the version of the list; the snapshot `after` is at that version or later. */
  finish(resourceVersion: string, { objects: after }: CacheSnapshot<T>): AuditVerdict {
    const { objects: before, resourceVersion: since } = this.#before;
    for (const [key, listed] of this.#listed) {
      const [earlier, later] = [before.get(key), after.get(key)];
      if (earlier === undefined && later === undefined) {
        // It may have been added and deleted in between, unless it is older than the first snapshot.
        if (isNewer(listed.metadata.resourceVersion ?? '', since)) this.undecided += 1;
        else this.missing.add(key);
      } else if (isUntouched(earlier, later)) {
        this.compare(key, earlier, listed);
      } else {
        this.undecided += 1;
      }
    }
    for (const [key, earlier] of before) {
      if (this.#listed.has(key)) continue;
      if (isUntouched(earlier, after.get(key))) this.extra.add(key);
      else this.undecided += 1;
    }
    for (const key of after.keys()) {
      if (!before.has(key) && !this.#listed.has(key)) this.undecided += 1;
    }
    return this.verdict(resourceVersion, before.size);
  }
}

function isUntouched<V extends HasMetadata>(
  earlier: V | undefined,
  later: V | undefined,
): earlier is V {
  return earlier !== undefined && later !== undefined && isSameState(earlier, later);
}

function isSameState(left: HasMetadata, right: HasMetadata): boolean {
  return (
    left.metadata?.resourceVersion === right.metadata?.resourceVersion &&
    left.metadata?.uid === right.metadata?.uid
  );
}
