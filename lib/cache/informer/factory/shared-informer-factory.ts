import { deriveAbort, type DerivedAbort } from '../../../kernel/time/abort.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { guardedLogger } from '../../../kernel/report/guarded-logger.ts';
import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { rejectUnknownOptions } from '../../../kernel/options/options-schema.ts';
import { requireClient } from '../../../kernel/options/require-client.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { CollectionOptions, ResourceName } from '../../../meta/collection-options.ts';
import type { Projection } from '../../../meta/json/field-path.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../../meta/object-types.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';
import {
  partialObjectMetadata,
  type PartialObjectMetadata,
} from '../../../meta/partial-object-metadata.ts';
import { parseApiVersion } from '../../../meta/resource.ts';
import {
  checkKindDefaults,
  withKindDefaults,
  type CachedOf,
  type KindDefaults,
  cacheOptions,
  collectionKey,
  INFORMER_FOR_OPTIONS,
  type InformerForOptions,
  type MetadataInformerForOptions,
  type ProjectingInformerForOptions,
  type ListerWatcherSource,
} from './informer-request.ts';
import type { Stored } from '../../../meta/stored.ts';
import { collectionMatcher } from './collection-matcher.ts';
import { ErrorReporter } from '../observe/error-reporter.ts';
import type { InformerInspection } from '../observe/informer-inspection.ts';
import { InformerEntry, type InformerLease } from './informer-entry.ts';
import { INFORMER, type SharedIndexInformerOptions } from '../options/informer-options.ts';
import type { SharedIndexInformer } from '../shared-index-informer.ts';
import { waitForCacheSync, type CacheSyncOptions } from './wait-for-cache-sync.ts';

/** Options that belong to one informer. */
const OWN_OPTIONS = [
  'listerWatcher',
  'inNamespace',
  'subject',
  'indexers',
  'fields',
  'namespaces',
  'warmStart',
  'resyncIntervalMs',
] as const;

/** Defaults for all informers of a factory, and what the factory itself needs. */
export interface SharedInformerFactoryOptions<Kinds extends KindDefaults = KindDefaults>
  extends Omit<
    SharedIndexInformerOptions<KubernetesObject>,
    (typeof OWN_OPTIONS)[number] | 'name' | 'transform'
  > {
  /** A prefix of the names of informers in messages and metrics, to distinguish two factories. @defaultValue none */
  readonly name?: string | undefined;
  /** Stops all informers when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The default resync interval of the informers, milliseconds. @defaultValue 0: never */
  readonly defaultResyncIntervalMs?: number | undefined;
  /** The default namespace of the informers. @defaultValue all */
  readonly namespace?: string | undefined;
  /**
   * The options of informers of single resources, unless a call says otherwise; the types of their objects follow.
   * @example
   * { 'v1/secrets': { metadataOnly: true }, 'v1/pods': { namespaces: ['shop', 'web'], fields: ['spec.nodeName'] } }
   * @defaultValue none
   */
  readonly kinds?: Kinds | undefined;
  /** For informers without a transform of their own: changes every object before it is stored. @defaultValue none */
  readonly transform?: (<T extends KubernetesObject>(object: T) => T) | undefined;
}

const FACTORY_OPTIONS: readonly string[] = [
  'signal',
  'defaultResyncIntervalMs',
  'namespace',
  'kinds',
  ...INFORMER.names.filter((name) => !(OWN_OPTIONS as readonly string[]).includes(name)),
];

/** Options of `whenSynced` of a factory. */
export type FactorySyncOptions = Omit<CacheSyncOptions, 'logger' | 'runtime'>;

/**
 * Shares informers: requests for the same collection get the same cache, filled by one watch.
 *
 * The objects of built-in resources are typed. `Types` declares the types of others; it is taken from the client, or given:
 * `new SharedInformerFactory<{ 'example.com/v1/widgets': Widget }>(client)`. Resources that are not in it, nor in `KnownResources`, are
 * unstructured unless a call names a type.
 *
 * Guarantees:
 * - An informer requested after `start` runs at once; a wait for a factory that was not started fails.
 * - `for` keeps an informer as long as the factory exists, `acquire` as long as there is a lease.
 * - `whenSynced` names the missing caches, and the reason.
 * - If an informer was closed with its own `close`, the next request makes a new one.
 *
 * @example
 * await using informers = new SharedInformerFactory(client, { signal });
 * const pods = informers.for('v1', 'pods', { indexers: { byNode: (pod) => [pod.spec?.nodeName ?? ''] } });
 * informers.start();
 * await informers.whenSynced({ timeoutMs: 30_000 });
 * @see client-go informers/factory.go @ 32ce75a7
 */
export class SharedInformerFactory<
  Types extends object = object,
  const Kinds extends KindDefaults = KindDefaults,
> implements AsyncDisposable
{
  readonly #source: ListerWatcherSource<Types>;
  readonly #options: SharedInformerFactoryOptions;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #abort: DerivedAbort;
  readonly #entries = new Map<string, InformerEntry>();
  /** Informers that ended with an error, until they are requested again. */
  readonly #failed = new Map<string, InformerEntry>();
  readonly #runs = new Set<Promise<void>>();
  #started = false;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(
    source: ListerWatcherSource<Types>,
    options: SharedInformerFactoryOptions<Kinds> = {},
  ) {
    requireClient('SharedInformerFactory', source, 'listerWatcher');
    rejectUnknownOptions('SharedInformerFactory', options, FACTORY_OPTIONS);
    checkKindDefaults(options.kinds ?? {});
    if (options.name === '') {
      throw new ListwatchError('INVALID_OPTION', 'SharedInformerFactory: option "name" is empty');
    }
    this.#source = source;
    this.#options = options;
    this.#runtime = options.runtime ?? realRuntime;
    this.#logger = guardedLogger(options.logger ?? consoleLogger);
    this.#abort = deriveAbort(options.signal);
  }

  /**
   * The informer of a collection, e.g. `for('apps/v1', 'deployments')` or `for<Widget>('example.com/v1', 'widgets')`. With `metadataOnly` it keeps only metadata, with `fields` metadata and these fields. A later request adds its indexes.
   * @throws {ListwatchError} code CLOSED once the factory is closed; INVALID_OPTION when it exists with another keyFunc,
   * transform or other option; INDEX_CONFLICT when it has another index function of that name; INVALID_API_VERSION;
   * INVALID_SELECTOR.
   */
  for<ApiVersion extends string, Index extends string = string>(
    apiVersion: ApiVersion,
    resource: PluralOf<Types, ApiVersion>,
    options: MetadataInformerForOptions<Index>,
  ): SharedIndexInformer<PartialObjectMetadata, Index>;
  for<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    const Paths extends readonly string[],
    Index extends string = string,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    options: ProjectingInformerForOptions<ObjectOf<Types, ApiVersion, Resource>, Paths, Index>,
  ): SharedIndexInformer<Projection<ObjectOf<Types, ApiVersion, Resource>, Paths[number]>, Index>;
  for<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    Index extends string = string,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    options?: InformerForOptions<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>,
  ): SharedIndexInformer<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>;
  for<T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options?: InformerForOptions<NoInfer<T>>,
  ): SharedIndexInformer<NoInfer<T>>;
  for<ApiVersion extends string, Resource extends string, Index extends string = string>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    options?: InformerForOptions<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>,
  ): SharedIndexInformer<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>;
  for(apiVersion: string, resource: string, options: object = {}): unknown {
    const entry = this.#entry('for', { apiVersion, resource }, options);
    entry.keep();
    return entry.informer;
  }

  /**
   * As `for`, with a lease: the informer starts with its first lease (if the factory has started) and ends with its last, unless
   * `for` keeps it. One that is released and acquired in the same task continues.
   * @throws {ListwatchError} as `for` does.
   */
  acquire<ApiVersion extends string, Index extends string = string>(
    apiVersion: ApiVersion,
    resource: PluralOf<Types, ApiVersion>,
    options: MetadataInformerForOptions<Index>,
  ): InformerLease<PartialObjectMetadata, Index>;
  acquire<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    const Paths extends readonly string[],
    Index extends string = string,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    options: ProjectingInformerForOptions<ObjectOf<Types, ApiVersion, Resource>, Paths, Index>,
  ): InformerLease<Projection<ObjectOf<Types, ApiVersion, Resource>, Paths[number]>, Index>;
  acquire<
    ApiVersion extends string,
    Resource extends PluralOf<Types, ApiVersion>,
    Index extends string = string,
  >(
    apiVersion: ApiVersion,
    resource: Resource,
    options?: InformerForOptions<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>,
  ): InformerLease<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>;
  acquire<T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options?: InformerForOptions<NoInfer<T>>,
  ): InformerLease<NoInfer<T>>;
  acquire<ApiVersion extends string, Resource extends string, Index extends string = string>(
    apiVersion: ApiVersion,
    resource: OtherPlural<Resource, PluralOf<Types, ApiVersion>>,
    options?: InformerForOptions<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>,
  ): InformerLease<CachedOf<Types, Kinds, ApiVersion, Resource>, Index>;
  acquire(apiVersion: string, resource: string, options: object = {}): unknown {
    return this.#entry('acquire', { apiVersion, resource }, options).acquire();
  }

  /** Runs all informers, and from now on each new one at once. Calling again has no effect. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const [key, entry] of this.#entries) this.#run(key, entry);
  }

  /**
   * Resolves when every requested informer has its whole list. Until then it logs every 10 seconds what is
   * missing and why.
   * @throws {CacheSyncError} as `waitForCacheSync` does. {ListwatchError} code NOT_STARTED.
   */
  async whenSynced(options: FactorySyncOptions = {}): Promise<void> {
    if (!this.#started) {
      throw new ListwatchError('NOT_STARTED', 'the informers have not been started: call start()');
    }
    const wanted = [...this.#entries.values(), ...this.#failed.values()];
    await waitForCacheSync(wanted, {
      ...options,
      logger: this.#logger,
      runtime: this.#runtime,
    });
  }

  /** The present informers. */
  get informers(): readonly SharedIndexInformer<KubernetesObject>[] {
    return Array.from(this.#entries.values(), ({ informer }) => informer);
  }

  inspect(): InformerInspection[] {
    return this.informers.map((informer) => informer.inspect());
  }

  /** Stops all informers and resolves when they have ended. Calling again has no effect. */
  async close(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.informers.map((informer) => informer.close()));
    await Promise.all(this.#runs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #entry<T extends KubernetesObject>(
    method: string,
    reference: ResourceName,
    asked: InformerForOptions<T>,
  ): InformerEntry {
    rejectUnknownOptions(`SharedInformerFactory.${method}`, asked, INFORMER_FOR_OPTIONS);
    if (this.#abort.signal.aborted) {
      throw new ListwatchError(
        'CLOSED',
        `no informer of ${reference.resource}: the factory is closed; make a new one`,
      );
    }
    const { kinds = {}, namespace: all } = this.#options;
    const options = withKindDefaults(reference, asked, kinds, all);
    const { namespace, labelSelector, fieldSelector, metadataOnly, namespaces } = options;
    const { shardSelector, managedFields } = options;
    const selectors = { labelSelector, fieldSelector, shardSelector };
    const collection = { namespace, ...selectors, metadataOnly, managedFields };
    const key = collectionKey(reference, collection, namespaces !== undefined);
    const existing = this.#entries.get(key);
    if (existing !== undefined && existing.live) {
      existing.join(asked);
      return existing;
    }
    const entry = this.#make(reference, collection, options);
    this.#entries.set(key, entry);
    this.#failed.delete(key);
    entry.informer.events.once('stopped', () => {
      if (this.#entries.get(key) !== entry) return;
      this.#entries.delete(key);
      if (entry.failure !== undefined) this.#failed.set(key, entry);
    });
    if (this.#started) this.#run(key, entry);
    return entry;
  }

  #make<T extends KubernetesObject>(
    reference: ResourceName,
    collection: CollectionOptions,
    options: InformerForOptions<T>,
  ): InformerEntry {
    const { resource } = reference;
    const { name, defaultResyncIntervalMs: resyncIntervalMs } = this.#options;
    const sourceOf = (options: CollectionOptions): ListerWatcher<ObjectView<T>> =>
      this.#source.listerWatcher<T>(reference, options);
    const listerWatcher = sourceOf(collection);
    const { description } = listerWatcher;
    const cache: Partial<SharedIndexInformerOptions<T>> = {
      resyncIntervalMs,
      ...cacheOptions(this.#options),
      ...cacheOptions(options),
    };
    const made: SharedIndexInformerOptions<T> = {
      ...cache,
      transform: collection.metadataOnly === true ? bare(cache.transform) : cache.transform,
      // The watch sends no event for an object outside the selectors, so its write must not stay in the cache.
      matches: cache.matches ?? collectionMatcher(collection),
      indexers: options.indexers,
      listerWatcher,
      inNamespace: (namespace) => sourceOf({ ...collection, namespace }),
      name: name === undefined ? description : `${name}/${description}`,
      subject: {
        ...parseApiVersion(reference.apiVersion),
        resource,
        namespace: collection.namespace,
      },
    };
    // The type of the objects is what the caller says they are, as with every answer of a server.
    const untyped = made as unknown as SharedIndexInformerOptions<KubernetesObject>;
    return new InformerEntry({ ...untyped, runtime: this.#runtime }, cache);
  }

  #run(key: string, entry: InformerEntry): void {
    const { informer } = entry;
    const { name } = informer;
    const { onError } = this.#options;
    const errors = new ErrorReporter({ informer: name, logger: this.#logger, onError });
    const run = informer.run({ signal: this.#abort.signal }).catch((error: Error) => {
      const message = `the informer ${name} ended: ${errorMessage(error)}`;
      errors.report(error, { source: 'internal', message });
      entry.fail(error);
      if (!this.#entries.has(key)) this.#failed.set(key, entry);
    });
    this.#runs.add(run);
    void run.finally(() => this.#runs.delete(run));
  }
}

/** Only metadata gets into the cache, from the source and from own writes. */
function bare<T extends KubernetesObject>(
  transform: ((object: Stored<T>) => T) | undefined,
): (object: Stored<T>) => T {
  return (object) => {
    const metadataOnly = partialObjectMetadata(object) as KubernetesObject as Stored<T>;
    return transform === undefined ? metadataOnly : transform(metadataOnly);
  };
}
