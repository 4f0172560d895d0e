import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { CollectionOptions, ResourceName } from '../../../meta/collection-options.ts';
import type { Projection } from '../../../meta/json/field-path.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { PartialObjectMetadata } from '../../../meta/partial-object-metadata.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Indexers } from '../../store/indexers.ts';
import {
  INFORMER_OPTIONS,
  type SharedIndexInformerOptions,
  type WithFields,
} from '../options/informer-options.ts';

/** The options that the factory sets itself. */
type GivenByFactory = 'listerWatcher' | 'inNamespace' | 'name' | 'subject' | 'runtime';

/** Selects the objects, and how they are cached. Options that are left out are taken from the factory. */
export interface InformerForOptions<T extends KubernetesObject, Index extends string = string>
  extends CollectionOptions,
    Omit<SharedIndexInformerOptions<T>, GivenByFactory | 'indexers'> {
  /** Indexes besides the one by namespace; their names are those that the reads of an index take. @defaultValue none */
  readonly indexers?: Indexers<Stored<T>, Index> | undefined;
}

/** The same for an informer that keeps only metadata. */
export interface MetadataInformerForOptions<Index extends string = string>
  extends InformerForOptions<PartialObjectMetadata, Index> {
  readonly metadataOnly: true;
}

/** The same for an informer that keeps some fields of its objects. */
export interface ProjectingInformerForOptions<
  Source extends KubernetesObject,
  Paths extends readonly string[],
  Index extends string = string,
> extends Omit<InformerForOptions<Projection<Source, Paths[number]>>, 'fields' | 'indexers'>,
    WithFields<Source, Paths> {
  readonly indexers?: Indexers<Stored<Projection<Source, Paths[number]>>, Index> | undefined;
}

const GIVEN_BY_FACTORY: readonly string[] = [
  'listerWatcher',
  'inNamespace',
  'name',
  'subject',
  'runtime',
] satisfies GivenByFactory[];

const COLLECTION_OPTIONS: readonly (keyof CollectionOptions)[] = [
  'namespace',
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'metadataOnly',
];

/** Options that determine the cache; a later request for the collection must have the same values. */
const CACHE_OPTIONS: readonly string[] = INFORMER_OPTIONS.filter(
  (name) => !GIVEN_BY_FACTORY.includes(name) && name !== 'indexers',
);

/** Whether two lists have the same namespaces. */
export function sameNamespaces(one: readonly string[], other: readonly string[]): boolean {
  const names = new Set(one);
  return new Set(other).size === names.size && other.every((name) => names.has(name));
}

export const INFORMER_FOR_OPTIONS: readonly string[] = [
  ...COLLECTION_OPTIONS,
  'indexers',
  ...CACHE_OPTIONS,
];

/** Two requests for the same collection have the same key. */
export function collectionKey(
  { apiVersion, resource }: ResourceName,
  { namespace, labelSelector, fieldSelector, shardSelector, metadataOnly }: CollectionOptions,
  bySeveral: boolean = false,
): string {
  const selection = [namespace, labelSelector, fieldSelector].map((one) => one ?? '');
  // The namespaces of an informer may change, so they are no part of the key.
  const several = bySeveral ? ['several namespaces'] : [];
  const shard = shardSelector === undefined || shardSelector === '' ? [] : [{ shardSelector }];
  const kept = [metadataOnly === true, ...several, ...shard];
  return JSON.stringify([apiVersion, resource, ...selection, ...kept]);
}

/** The options of the cache, picked from the given ones. */
export function cacheOptions<O extends object>(options: O): Partial<O> {
  const given = Object.entries(options).filter(
    ([name, value]) => value !== undefined && CACHE_OPTIONS.includes(name),
  );
  return Object.fromEntries(given) as Partial<O>;
}

/** @throws {ListwatchError} code INVALID_OPTION when the informer exists with other options. */
export function requireSameCache(name: string, existing: object, asked: object): void {
  const known = new Map<string, unknown>(Object.entries(existing));
  for (const [option, value] of Object.entries(cacheOptions(asked))) {
    if (isSame(value, known.get(option))) continue;
    throw new ListwatchError(
      'INVALID_OPTION',
      `the informer ${name} exists with another option "${option}"; ask for it with the same one, or make a SharedIndexInformer of your own`,
    );
  }
}

/** Compares plain data by value, so that a request may repeat an option as a new array. */
function isSame(asked: unknown, known: unknown): boolean {
  if (asked === known) return true;
  if (!isPlainData(asked) || !isPlainData(known)) return false;
  return JSON.stringify(asked) === JSON.stringify(known);
}

function isPlainData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const fields = Object.values(value);
  return fields.every((field) => typeof field === 'string' || typeof field === 'number');
}
