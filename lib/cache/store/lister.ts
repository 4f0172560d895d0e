import { ListwatchError } from '../../kernel/failure/errors.ts';
import { objectKey } from '../../meta/key.ts';
import { notFound, type Subject } from '../../meta/failure/failures.ts';
import { parseLabelSelector, type LabelSelector } from '../../meta/selectors/label-selector.ts';
import type { HasMetadata, ObjectMeta } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';
import { NAMESPACE_INDEX } from './indexers.ts';
import type { StoreReader } from './store-reader.ts';

export interface ListerListOptions {
  /** Label selector, as text (`app=web,tier in (a,b)`) or parsed. @defaultValue everything */
  readonly labels?: string | LabelSelector | undefined;
  /** Only this namespace; empty for all. @defaultValue all */
  readonly namespace?: string | undefined;
}

/** Lists only metadata, so that no object is decoded. */
export interface MetadataView {
  readonly view: 'metadata';
}

/** Reads the objects of one namespace, or cluster-scoped ones, from a cache. */
export interface NamespaceLister<T> {
  /**
   * The matching objects, in no promised order. Neither the array nor the objects may be modified.
   * @throws {ListwatchError} code INVALID_SELECTOR.
   */
  list(options: Omit<ListerListOptions, 'namespace'> & MetadataView): readonly ObjectMeta[];
  list(options?: Omit<ListerListOptions, 'namespace'>): readonly T[];
  /** The object of this name, if the cache has it. */
  get(name: string): T | undefined;
  /**
   * The object of this name.
   * @throws {ApiError} code NOT_FOUND, as a server would answer.
   */
  getOrThrow(name: string): T;
}

/** Reads objects from a cache like a client reads them from the API server. `get` finds cluster-scoped objects. */
export interface Lister<T> extends NamespaceLister<T> {
  list(options: ListerListOptions & MetadataView): readonly ObjectMeta[];
  list(options?: ListerListOptions): readonly T[];
  /** Narrows to one namespace. */
  namespace(namespace: string): NamespaceLister<T>;
}

/** Converts stored values to the values that readers get. */
export interface Opener<V, T> {
  one(stored: V): T;
  many(stored: readonly V[]): readonly T[];
}

export interface StoreListerOptions<V, T> {
  readonly store: StoreReader<V>;
  readonly opener: Opener<V, T>;
  /** The listed resource, for the error of `getOrThrow`. */
  readonly subject: Subject;
}

/**
 * A lister over a store.
 *
 * Guarantees: only objects whose labels and namespace match are decoded; an empty selector does not read labels. With the
 * `namespace` index, the time to list a namespace depends only on the objects of that namespace; without it, all objects are
 * scanned.
 * @see client-go tools/cache/listers.go @ 32ce75a7
 */
export class StoreLister<V extends HasMetadata, T> implements Lister<T> {
  readonly #options: StoreListerOptions<V, T>;
  readonly #namespace: string;

  constructor(options: StoreListerOptions<V, T>, namespace: string = '') {
    this.#options = options;
    this.#namespace = namespace;
  }

  list(options: ListerListOptions & MetadataView): readonly ObjectMeta[];
  list(options?: ListerListOptions): readonly T[];
  list(
    options: ListerListOptions & Partial<MetadataView> = {},
  ): readonly T[] | readonly ObjectMeta[] {
    const { labels, namespace = this.#namespace, view } = options;
    checkView(view);
    const selector = typeof labels === 'string' ? parseLabelSelector(labels) : labels;
    const candidates = this.#candidates(namespace);
    const matching =
      selector === undefined || selector.empty
        ? candidates
        : candidates.filter(({ metadata }) => selector.matches(metadata?.labels));
    if (view === undefined) return this.#options.opener.many(matching);
    return matching.map(({ metadata }) => metadata ?? {});
  }

  get(name: string): T | undefined {
    const { store, opener } = this.#options;
    const stored = store.get(objectKey({ namespace: this.#namespace, name }));
    return stored === undefined ? undefined : opener.one(stored);
  }

  getOrThrow(name: string): T {
    const found = this.get(name);
    if (found === undefined) throw notFound(this.#options.subject, name);
    return found;
  }

  namespace(namespace: string): NamespaceLister<T> {
    return new StoreLister(this.#options, namespace);
  }

  #candidates(namespace: string): readonly V[] {
    const { store } = this.#options;
    if (namespace === '') return store.list();
    if (store.indexNames.includes(NAMESPACE_INDEX))
      return store.byIndex(NAMESPACE_INDEX, namespace);
    return store.list().filter((stored) => identityOf(stored).namespace === namespace);
  }
}

function checkView(view: unknown): void {
  if (view === undefined || view === 'metadata') return;
  const given = JSON.stringify(view);
  throw new ListwatchError(
    'INVALID_OPTION',
    `list: option "view" must be "metadata" or left out, not ${given}`,
  );
}
