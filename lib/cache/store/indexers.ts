import { isStrayPromise } from '../../kernel/failure/guarded-call.ts';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import type { HasMetadata, ObjectMeta } from '../../meta/object.ts';
import { identityOf } from '../../meta/object-view.ts';

/**
 * The values under which an object is found in one index; an empty array leaves it out of that index.
 * It must be a pure function of the object.
 */
export interface IndexFunc<V> {
  (object: V): readonly string[];
  /** Set by `metadataIndexFunc`: only `metadata` is read, so the body of an object need not be decoded. */
  readonly metadataOnly?: true | undefined;
  /** Returns the same values from the key of a stored object alone, so that the object is not read. */
  readonly ofKey?: ((key: string) => readonly string[]) | undefined;
}

/** Index functions by index name. */
export type Indexers<V, Name extends string = string> = Readonly<Record<Name, IndexFunc<V>>>;

/** The index by namespace, which every informer has. */
export const NAMESPACE_INDEX = 'namespace';

/**
 * Makes an index function from a function of the metadata; an informer runs it without decoding the object.
 * @example
 * const byOwner = metadataIndexFunc(({ ownerReferences }) => ownerReferences?.map(({ uid }) => uid) ?? []);
 */
export function metadataIndexFunc(
  read: (metadata: ObjectMeta) => readonly string[],
): IndexFunc<HasMetadata> {
  const indexFunc = ({ metadata }: HasMetadata): readonly string[] =>
    metadata === undefined ? [] : read(metadata);
  return Object.assign(indexFunc, { metadataOnly: true } as const);
}

/** Indexes by namespace; cluster-scoped objects have the empty namespace. */
export const metaNamespaceIndexFunc: IndexFunc<HasMetadata> = Object.assign(
  (object: HasMetadata): readonly string[] => [identityOf(object).namespace ?? ''],
  { metadataOnly: true } as const,
);

/** As `metaNamespaceIndexFunc`, for stores whose keys come from `metaNamespaceKeyFunc`. */
export const keyNamespaceIndexFunc: IndexFunc<HasMetadata> = Object.assign(
  (object: HasMetadata): readonly string[] => metaNamespaceIndexFunc(object),
  {
    metadataOnly: true,
    ofKey: (key: string): readonly string[] => [key.slice(0, Math.max(0, key.indexOf('/')))],
  } as const,
);

/** The error of an index function that threw, or did not return an array of strings. */
export class IndexFunctionError extends ListwatchError {
  /** Name of the index. */
  readonly index: string;
  /** Key of the object it was called with; undefined for a probe object. */
  readonly key: string | undefined;

  constructor(index: string, key: string | undefined, reason: string, cause?: unknown) {
    const what = key === undefined ? 'the probe object' : `object "${key}"`;
    super('INDEX_FUNCTION', `index "${index}" has no values for ${what}: ${reason}`, { cause });
    this.index = index;
    this.key = key;
  }
}

/**
 * Calls an index function and checks the returned values.
 * @throws {IndexFunctionError} code INDEX_FUNCTION.
 */
export function indexValuesOf<V>(
  index: string,
  indexFunc: IndexFunc<V>,
  object: V,
  key?: string,
): readonly string[] {
  let values: unknown;
  try {
    const { ofKey } = indexFunc;
    values = ofKey === undefined || key === undefined ? indexFunc(object) : ofKey(key);
  } catch (error) {
    throw new IndexFunctionError(index, key, `the function threw: ${errorMessage(error)}`, error);
  }
  if (!Array.isArray(values)) {
    const kind = values === null ? 'null' : typeof values;
    const given = isStrayPromise(values) ? 'a promise' : kind;
    throw new IndexFunctionError(index, key, `expected an array of strings, got ${given}`);
  }
  for (const value of values) {
    if (typeof value !== 'string') {
      const given = value === null ? 'null' : typeof value;
      throw new IndexFunctionError(index, key, `expected strings in the array, found ${given}`);
    }
  }
  return values as readonly string[];
}
