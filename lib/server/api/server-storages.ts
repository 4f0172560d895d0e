import { ListwatchError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { parseFieldSelector } from '../../meta/field-selector.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import type { KubernetesObject, UnstructuredObject } from '../../meta/object.ts';
import { apiVersionOf, groupResource, parseApiVersion } from '../../meta/resource.ts';
import { StorageListerWatcher } from '../cacher/storage-lister-watcher.ts';
import type { KeyValueStore } from '../mvcc/key-value-store.ts';
import type { ResourceDescription } from '../registry/rest-storage.ts';
import type { ResourceStorage } from '../registry/storage-factory.ts';
import { KeyValueStorage } from '../storage/key-value-storage.ts';
import type { AttributesFunc, SelectionPredicate } from '../storage/selection-predicate.ts';
import type { StorageInterface } from '../storage/storage-interface.ts';
import { RenewableCacher } from './renewable-cacher.ts';

export interface ServerStoragesOptions {
  readonly keyValueStore: KeyValueStore;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A resource type by its names in manifests and URLs. */
export interface ResourceName {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** Lower-case plural. */
  readonly resource: string;
}

/** The part of a collection that is listed and watched. */
export interface CollectionOptions {
  /** Left out: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

interface ServedStorage {
  readonly description: ResourceDescription;
  readonly attributesOf: AttributesFunc;
  readonly keyRoot: string;
  readonly cacher: RenewableCacher;
}

/** The storages of all resources of one server: each the raw storage with a watch cache in front, made on first use. */
export class ServerStorages {
  readonly #options: ServerStoragesOptions;
  readonly #served = new Map<string, ServedStorage>();

  constructor(options: ServerStoragesOptions) {
    this.#options = options;
  }

  /** Makes the storage of a resource; the registry's `StorageFactory`. */
  storageFor(
    description: ResourceDescription,
    attributesOf: AttributesFunc,
    keyRoot: string,
  ): ResourceStorage {
    const { keyValueStore, runtime, logger, metrics } = this.#options;
    const name = groupResource(description);
    const cacher = new RenewableCacher(
      {
        storage: new KeyValueStorage<UnstructuredObject>({
          store: keyValueStore,
          resourcePrefix: keyRoot,
          runtime,
        }),
        resourcePrefix: keyRoot,
        description: name,
        runtime,
        logger,
        metrics,
        consistentListFromCache: keyValueStore.supportsProgress,
      },
      () => {
        if (this.#served.get(name) === served) this.#served.delete(name);
      },
    );
    const served: ServedStorage = { description, attributesOf, keyRoot, cacher };
    this.#served.set(name, served);
    return cacher;
  }

  /** Makes all caches forget what was before now. */
  async renew(): Promise<void> {
    await Promise.all([...this.#served.values()].map(({ cacher }) => cacher.renew()));
  }

  /**
   * A collection straight from its cache, without HTTP.
   * @throws {ListwatchError} code RESOURCE_UNKNOWN; INVALID_SELECTOR; INVALID_API_VERSION.
   */
  listerWatcher<T extends KubernetesObject>(
    name: ResourceName,
    { namespace, labelSelector, fieldSelector }: CollectionOptions,
  ): StorageListerWatcher<T> {
    const { description, attributesOf, keyRoot, cacher } = this.#find(name);
    const place = namespace === undefined || namespace === '' ? '' : ` in namespace ${namespace}`;
    return new StorageListerWatcher<T>({
      // What a type parameter says about stored objects is the caller's claim.
      storage: cacher as unknown as StorageInterface<T>,
      resourcePrefix: keyRoot,
      namespace,
      predicate: predicateOf(attributesOf, labelSelector, fieldSelector),
      description: `${groupResource(description)}${place}`,
      runtime: this.#options.runtime,
    });
  }

  #find({ apiVersion, resource }: ResourceName): ServedStorage {
    const { group } = parseApiVersion(apiVersion);
    const served = this.#served.get(groupResource({ group, resource }));
    if (served !== undefined && apiVersionOf(served.description) === apiVersion) return served;
    throw new ListwatchError(
      'RESOURCE_UNKNOWN',
      served === undefined
        ? `the server has no resource ${JSON.stringify(resource)} in ${apiVersion}`
        : `the server stores ${resource} as ${apiVersionOf(served.description)}: name that version, or read ${apiVersion} over the API`,
    );
  }
}

function predicateOf<T extends KubernetesObject>(
  attributesOf: AttributesFunc,
  labelSelector: string = '',
  fieldSelector: string = '',
): SelectionPredicate<T> | undefined {
  if (labelSelector === '' && fieldSelector === '') return undefined;
  const fields = parseFieldSelector(fieldSelector);
  const known = attributesOf({ metadata: {} }).fields;
  for (const { field } of fields.requirements) {
    if (!Object.hasOwn(known, field)) {
      throw new ListwatchError(
        'INVALID_SELECTOR',
        `${JSON.stringify(field)} is not a known field selector: only ${Object.keys(known).join(', ')}`,
      );
    }
  }
  return { labels: parseLabelSelector(labelSelector), fields, attributesOf };
}
