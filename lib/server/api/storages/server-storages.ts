import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { groupResource } from '../../../meta/resource.ts';
import { Cacher } from '../../cacher/cacher.ts';
import { apiServerMetrics } from '../metrics/api-server-metrics.ts';
import { MeteredStore } from '../metrics/metered-store.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import { EmbeddedKeyValueStore } from '../../mvcc/embedded-key-value-store.ts';
import type { KeyValueStore } from '../../mvcc/contract/key-value-store.ts';
import type { BootstrapObjects, KindSet } from '../../registry/contract/kind-set.ts';
import type { ResourceInspection } from './server-inspection.ts';
import { SeededStorage, Seeds } from './seeded-storage.ts';
import type { ResourceDescription } from '../../registry/contract/rest-storage.ts';
import { timestampOf } from '../../registry/rules/duration.ts';
import type { ResourceStorage } from '../../registry/storage-factory.ts';
import { seededObject } from '../../registry/writes/seed-object.ts';
import { KeyValueStorage } from '../../storage/key-value-storage.ts';
import type { Codec } from '../../storage/value/codec.ts';
import {
  storedObjectCodec,
  type StorageMediaType,
} from '../../storage/scheme/stored-object-codec.ts';
import type { Transformer } from '../../storage/value/transformer.ts';

/** Returns the transformer for a resource; its group is empty for the core group. */
export type TransformerFor = (resource: {
  readonly group: string;
  readonly resource: string;
}) => Transformer;

/** For a store that is new: the bootstrap objects of a resource are stored when they are needed. */
export interface SeedingOptions {
  readonly objects: readonly BootstrapObjects[];
  /** Called when those of a resource are stored, with the prefix of their keys and before any other operation on the resource. */
  readonly onStored: (prefix: string) => Promise<void>;
}

export interface ServerStoragesOptions {
  readonly keyValueStore: KeyValueStore;
  /** Completes an object that was read from the storage. */
  readonly complete: KindSet['withReadDefaults'];
  /** Whether another version of the server may have written the objects. */
  readonly completesJson: boolean;
  readonly transformerFor: TransformerFor | undefined;
  readonly seeding: SeedingOptions | undefined;
  readonly storageMediaType: StorageMediaType | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

interface Entry {
  readonly cacher: Cacher<UnstructuredObject>;
  readonly group: string;
  readonly resource: string;
}

/**
 * Events have no watch cache, as in kube-apiserver: they are many, written once and seldom read. Their lists and watches are answered
 * by the storage itself, which shows: an exact version is refused in other words, and a limit holds with version 0 as well.
 * @see kubernetes pkg/kubeapiserver/default_storage_factory_builder.go DefaultWatchCacheSizes @ v1.36.3
 */
const UNCACHED = '/registry/events';

/** The storages of all resources of one server: each the raw storage, with a watch cache in front for all but events. */
export class ServerStorages {
  readonly #options: ServerStoragesOptions;
  readonly #codec: Codec<UnstructuredObject>;
  #entries: readonly Entry[] = [];
  #seeds: readonly Seeds[] = [];
  readonly #startTime: string;
  /** The revision of the store when the server started; undefined before. */
  #startRevision: string | undefined;

  constructor(options: ServerStoragesOptions) {
    this.#options = options;
    this.#startTime = timestampOf(options.runtime.wallMs());
    this.#codec = storedObjectCodec({
      mediaType: options.storageMediaType,
      complete: options.complete,
      completesJson: options.completesJson,
    });
    options.metrics.prepare(() => this.#fillAll());
    options.metrics.collect(CACHE_GAUGES, (metrics) => {
      for (const entry of this.#running()) reportCache(metrics, entry);
    });
  }

  /** Makes the storage of a resource. The registry calls it as its `StorageFactory`, and disposes of the result. */
  storageFor(description: ResourceDescription, keyRoot: string): ResourceStorage {
    const { keyValueStore, transformerFor, runtime, logger } = this.#options;
    const metrics = this.#options.metrics.sink;
    const { group, resource } = description;
    const storage = new KeyValueStorage<UnstructuredObject>({
      store: new MeteredStore({ store: keyValueStore, group, resource, runtime, metrics }),
      resourcePrefix: keyRoot,
      codec: this.#codec,
      transformer: transformerFor?.(description),
      runtime,
    });
    if (keyRoot === UNCACHED) return storage;
    const cacher = new Cacher<UnstructuredObject>({
      storage,
      resourcePrefix: keyRoot,
      description: groupResource(description),
      runtime,
      logger,
      metrics,
    });
    this.#entries = [...this.#running(), { cacher, group, resource }];
    this.#begin(cacher);
    return this.#seeded(cacher, description, keyRoot);
  }

  /** Stores the bootstrap objects that no operation has needed so far. @throws {ApiError} when the storage fails. */
  async seedAll(): Promise<void> {
    await Promise.all(this.#seeds.map((seeds) => seeds.store()));
  }

  /**
   * Begins to fill the caches, also those of later resources. In a remote store all of them, because a cache that waited for its first
   * reader would not have the history before it: a watch from a version that the server itself returned would be refused as too
   * old. The embedded engine keeps that history, so its caches wait for their first reader.
   */
  async start(): Promise<void> {
    const { revision } = await this.#options.keyValueStore.status();
    this.#startRevision = revision.toString();
    for (const cacher of this.#cachers()) this.#begin(cacher);
  }

  /** Resolves when all started caches are filled. @throws {ApiError} 429 with the name of one that is not in time. */
  async whenReady(): Promise<void> {
    const started = this.#cachers().filter((cacher) => cacher.started);
    await Promise.all(started.map((cacher) => cacher.readinessCheck()));
  }

  /** Drops the history before `resourceVersion` in all caches. */
  async forgetHistory(resourceVersion: string): Promise<void> {
    await Promise.all(this.#cachers().map((cacher) => cacher.forgetHistory(resourceVersion)));
  }

  /** Resolves when all caches have reached `resourceVersion`, and the readers of their watches have the events. */
  async settle(resourceVersion: string): Promise<void> {
    await Promise.all(this.#cachers().map((cacher) => cacher.settle(resourceVersion)));
  }

  /** The resources and their caches at this moment. */
  inspect(): readonly ResourceInspection[] {
    return this.#running().map(({ cacher, group, resource }) => ({
      group,
      resource,
      ...(cacher.started ? { cache: cacher.status } : {}),
    }));
  }

  #seeded(
    storage: Cacher<UnstructuredObject>,
    { group, resource }: ResourceDescription,
    keyRoot: string,
  ): ResourceStorage {
    const { seeding, runtime } = this.#options;
    const found = seeding?.objects.find((one) => one.group === group && one.resource === resource);
    if (seeding === undefined || found === undefined) return storage;
    const seeds = new Seeds({
      storage,
      make: () =>
        found.objects(this.#startTime).map((object) => ({
          key: `${keyRoot}/${pathOf(object)}`,
          object: seededObject(object, this.#startTime, runtime, found.fields),
        })),
      onStored: () => seeding.onStored(`${keyRoot}/`),
    });
    this.#seeds = [...this.#seeds, seeds];
    return new SeededStorage(storage, seeds);
  }

  /** Over the embedded engine, a cache that its first reader fills, with the history since the start. */
  #begin(cacher: Cacher<UnstructuredObject>): void {
    if (this.#options.keyValueStore instanceof EmbeddedKeyValueStore) {
      cacher.startLater(this.#startRevision ?? '0');
    } else if (this.#startRevision !== undefined) cacher.start();
  }

  /** Fills the caches that no reader has started yet: their objects are counted too. One that fails keeps its old count. */
  async #fillAll(): Promise<void> {
    await this.seedAll().catch(() => {});
    const waiting = this.#cachers().filter(({ started }) => !started);
    await Promise.allSettled(waiting.map((cacher) => cacher.readinessCheck()));
  }

  #cachers(): readonly Cacher<UnstructuredObject>[] {
    return this.#running().map(({ cacher }) => cacher);
  }

  /** The caches that were not stopped; those of custom resources are created and stopped with them. */
  #running(): readonly Entry[] {
    return this.#entries.filter(({ cacher }) => !cacher.stopped);
  }
}

function pathOf({ metadata: { namespace = '', name = '' } = {} }: UnstructuredObject): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

const CACHE_GAUGES = [
  apiServerMetrics.resourceObjects,
  apiServerMetrics.storageObjects,
  apiServerMetrics.watchCacheVersion,
  apiServerMetrics.watchCacheCapacity,
  apiServerMetrics.registeredWatchers,
].map(({ name }) => name);

/** Digits of a resource version that a metric can show exactly. */
const VERSION_DIGITS = 15;

function reportCache(metrics: Metrics, { cacher, group, resource }: Entry): void {
  if (!cacher.started) return;
  const { objectCount, historyCapacity, watcherCount, resourceVersion } = cacher.status;
  const labels = { group, resource };
  metrics.gauge(apiServerMetrics.resourceObjects.name, objectCount, labels);
  metrics.gauge(apiServerMetrics.storageObjects.name, objectCount, {
    resource: groupResource(labels),
  });
  const version = Number(resourceVersion.slice(-VERSION_DIGITS));
  metrics.gauge(apiServerMetrics.watchCacheVersion.name, version, labels);
  metrics.gauge(apiServerMetrics.watchCacheCapacity.name, historyCapacity, labels);
  metrics.gauge(apiServerMetrics.registeredWatchers.name, watcherCount, labels);
}
