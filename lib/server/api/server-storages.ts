import type { Logger } from '../../kernel/logger.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { groupResource } from '../../meta/resource.ts';
import { Cacher } from '../cacher/cacher.ts';
import type { KeyValueStore } from '../mvcc/key-value-store.ts';
import type { ResourceDescription } from '../registry/contract/rest-storage.ts';
import type { ResourceStorage } from '../registry/storage-factory.ts';
import { KeyValueStorage } from '../storage/key-value-storage.ts';
import type { Transformer } from '../storage/value/transformer.ts';

/** Says for a resource, the group empty for the core, how its objects become what is stored. */
export type TransformerFor = (resource: {
  readonly group: string;
  readonly resource: string;
}) => Transformer;

export interface ServerStoragesOptions {
  readonly keyValueStore: KeyValueStore;
  readonly transformerFor: TransformerFor | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The storages of all resources of one server: each the raw storage with a watch cache in front. */
export class ServerStorages {
  readonly #options: ServerStoragesOptions;
  #cachers: readonly Cacher<UnstructuredObject>[] = [];
  #started = false;

  constructor(options: ServerStoragesOptions) {
    this.#options = options;
  }

  /** Makes the storage of a resource; the registry's `StorageFactory` calls it, and disposes of what it gets. */
  storageFor(description: ResourceDescription, keyRoot: string): ResourceStorage {
    const { keyValueStore, transformerFor, runtime, logger, metrics } = this.#options;
    const cacher = new Cacher<UnstructuredObject>({
      storage: new KeyValueStorage<UnstructuredObject>({
        store: keyValueStore,
        resourcePrefix: keyRoot,
        transformer: transformerFor?.(description),
        runtime,
      }),
      resourcePrefix: keyRoot,
      description: groupResource(description),
      runtime,
      logger,
      metrics,
    });
    this.#cachers = [...this.#running(), cacher];
    if (this.#started) cacher.start();
    return cacher;
  }

  /**
   * Begins to fill the caches, and those of resources to come. A cache that waited for its first reader would not know what
   * was written before: a watch from a version that the server itself gave out would be refused as too old.
   */
  start(): void {
    this.#started = true;
    for (const cacher of this.#running()) cacher.start();
  }

  /** Makes all caches forget what was before `resourceVersion`. */
  async forgetHistory(resourceVersion: string): Promise<void> {
    await Promise.all(this.#running().map((cacher) => cacher.forgetHistory(resourceVersion)));
  }

  /** Custom resources come and go, and their caches with them. */
  #running(): readonly Cacher<UnstructuredObject>[] {
    return this.#cachers.filter(({ status }) => status.readiness !== 'stopped');
  }
}
