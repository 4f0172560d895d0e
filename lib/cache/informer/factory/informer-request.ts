import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { CollectionOptions, ResourceName } from '../../../meta/collection-options.ts';
import type { Projection } from '../../../meta/json/field-path.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { PartialObjectMetadata } from '../../../meta/partial-object-metadata.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { Indexers } from '../../store/indexers.ts';
import {
  INFORMER,
  type SharedIndexInformerOptions,
  type WithFields,
} from '../options/informer-options.ts';
import type { DeclaredTypes, ObjectOf } from '../../../meta/object-types.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import { rejectUnknownOptions } from '../../../kernel/options/options-schema.ts';

/** The options that the factory sets itself. */
const GIVEN_BY_FACTORY = ['listerWatcher', 'inNamespace', 'name', 'subject', 'runtime'] as const;

/** Selects the objects, and how they are cached. Options that are left out are taken from the factory. */
export interface InformerForOptions<T extends KubernetesObject, Index extends string = string>
  extends CollectionOptions,
    Omit<SharedIndexInformerOptions<T>, (typeof GIVEN_BY_FACTORY)[number] | 'indexers'> {
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

const COLLECTION_OPTIONS: readonly (keyof CollectionOptions)[] = [
  'namespace',
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'metadataOnly',
  'managedFields',
];

const NOT_OF_CACHE: readonly string[] = [...GIVEN_BY_FACTORY, 'indexers'];

/** Options that determine the cache; a later request for the collection must have the same values. */
const CACHE_OPTIONS = INFORMER.names.filter((name) => !NOT_OF_CACHE.includes(name));

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
  collection: CollectionOptions,
  bySeveral: boolean = false,
): string {
  const { namespace, labelSelector, fieldSelector, shardSelector } = collection;
  const { metadataOnly, managedFields } = collection;
  const selection = [namespace, labelSelector, fieldSelector].map((one) => one ?? '');
  // The namespaces of an informer may change, so they are no part of the key.
  const several = bySeveral ? ['several namespaces'] : [];
  const shard = shardSelector === undefined || shardSelector === '' ? [] : [{ shardSelector }];
  const bare = managedFields === false ? ['no managed fields'] : [];
  const kept = [metadataOnly === true, ...several, ...shard, ...bare];
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

/**
 * The source of the collections of informers: a client, or the storage of an embedded server. `Types` declares the types of
 * the objects; see `ObjectOf`.
 */
export interface ListerWatcherSource<Types extends object = object> {
  /** Exists only for the compiler, which infers `Types` from it. It is never called. */
  acceptsTypes?(types: DeclaredTypes<Types>): void;
  listerWatcher<T extends KubernetesObject>(
    resource: ResourceName,
    options?: CollectionOptions,
  ): ListerWatcher<ObjectView<T>>;
}

/** The options of the informers of one resource, unless a call says otherwise. */
export interface KindOptions extends CollectionOptions {
  /** Several namespaces; see `SharedIndexInformerOptions`. */
  readonly namespaces?: readonly string[] | undefined;
  /** Keeps only these fields; see `SharedIndexInformerOptions`. */
  readonly fields?: readonly string[] | undefined;
}

/** By resource, such as `v1/secrets` or `apps/v1/deployments`. */
export type KindDefaults = Readonly<Record<string, KindOptions>>;

/** The objects in the cache of a resource: reduced as its defaults say. */
export type CachedOf<
  Types extends object,
  Kinds extends object,
  ApiVersion extends string,
  Resource extends string,
> = `${ApiVersion}/${Resource}` extends keyof Kinds
  ? Kinds[`${ApiVersion}/${Resource}`] extends { readonly metadataOnly: true }
    ? PartialObjectMetadata
    : Kinds[`${ApiVersion}/${Resource}`] extends { readonly fields: readonly (infer Path)[] }
      ? Projection<ObjectOf<Types, ApiVersion, Resource>, Path & string>
      : ObjectOf<Types, ApiVersion, Resource>
  : ObjectOf<Types, ApiVersion, Resource>;

const KIND_OPTIONS: readonly (keyof KindOptions)[] = [
  ...COLLECTION_OPTIONS,
  'namespaces',
  'fields',
];

/** @throws {ListwatchError} code INVALID_OPTION naming the resource. */
export function checkKindDefaults(kinds: KindDefaults): void {
  for (const [kind, options] of Object.entries(kinds)) {
    if (!/^(?:[^/\s]+\/)?[^/\s]+\/[^/\s]+$/.test(kind)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `SharedInformerFactory: option "kinds" has ${JSON.stringify(kind)}, which is no resource such as "v1/secrets"`,
      );
    }
    rejectUnknownOptions(`SharedInformerFactory: kinds["${kind}"]`, options, KIND_OPTIONS);
  }
}

/** The options of a call, completed: first by the defaults of the resource, then by those of the factory. */
export function withKindDefaults<O extends KindOptions>(
  { apiVersion, resource }: ResourceName,
  asked: O,
  kinds: KindDefaults,
  namespace: string | undefined,
): O {
  const kind = `${apiVersion}/${resource}`;
  const defaults: KindOptions = Object.hasOwn(kinds, kind) ? (kinds[kind] ?? {}) : {};
  const given = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined),
  ) as O;
  // A call for one namespace is not one for several, and the other way round.
  const { namespace: _one, namespaces: _several, ...rest } = defaults;
  const places = 'namespace' in given || 'namespaces' in given ? {} : placesOf(defaults, namespace);
  if (given.namespace !== undefined && given.namespaces !== undefined) {
    throw new ListwatchError(
      'INVALID_OPTION',
      `SharedInformerFactory: ${kind} is asked for with "namespace" and "namespaces"; give one of them`,
    );
  }
  return { ...rest, ...places, ...given };
}

function placesOf({ namespace, namespaces }: KindOptions, all: string | undefined): KindOptions {
  if (namespaces !== undefined) return { namespaces };
  const one = namespace ?? all;
  return one === undefined ? {} : { namespace: one };
}
