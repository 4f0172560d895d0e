import type { Logger } from '../../../kernel/logger.ts';
import type { Runtime, Timer } from '../../../kernel/runtime.ts';
import { failure } from '../../../meta/api-error.ts';
import { isNotFound, type Subject } from '../../../meta/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { compareResourceVersions } from '../../../meta/resource-version.ts';
import { apiVersionOf } from '../../../meta/resource.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { acceptNames, type NameClaims } from './accepted-names.ts';
import { CleanupQueue } from '../namespaces/cleanup-queue.ts';
import {
  CLEANUP_FINALIZER,
  hasCondition,
  storageVersionOf,
  versionsOf,
} from './custom-resource-definition.ts';
import { customResourceKind } from './custom-resource-kind.ts';
import { timestampOf } from '../rules/duration.ts';
import { GenericRegistryStore } from '../generic-registry-store.ts';
import type { GracePeriodReaper } from '../writes/grace-period-reaper.ts';
import type { KindDefinition } from '../contract/kind-definition.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import { ObjectFollower } from '../namespaces/object-follower.ts';
import { installedResource, newRestStorages } from '../rest-storages.ts';
import type { InstalledResource } from '../contract/rest-storage.ts';
import { serverContext, serverStrategy } from '../contract/server-context.ts';
import type { ResourceStorage, StorageFactory } from '../storage-factory.ts';
import type { StoreHooks } from '../contract/store-hooks.ts';
import type { CreateAdmission, ReleaseAdmission } from '../writes/store-parts.ts';
import { WatchSet } from '../watch-set.ts';

/** Delay before the watches of a removed resource end, in which they send the deletions. */
const WATCH_DRAIN_MS = 1000;

type Definition = StoredObject<UnstructuredObject>;

export interface CustomResourcesOptions {
  readonly storageFor: StorageFactory;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly reaper: GracePeriodReaper;
  /** Decides whether custom objects may be created in a namespace. */
  readonly namespaces: CreateAdmission;
  /** Whether a built-in kind uses this resource name in the group. */
  readonly isBuiltIn: (group: string, resource: string) => boolean;
  /** Called whenever the served resources change. */
  readonly onChange: () => void;
}

/** One served definition. */
interface Entry {
  readonly storage: ResourceStorage;
  readonly watches: WatchSet;
  /** The store of the storage version, even if that version is not served. */
  store: GenericRegistryStore | undefined;
  installed: readonly InstalledResource[];
  terminating: boolean;
  /** Number of admitted creations that have not ended. */
  creations: number;
}

/**
 * Serves custom resources as soon as their definitions are created.
 *
 * Guarantees:
 * - When the creation or update of a definition returns, this process serves its resources accordingly.
 * - Deleting a definition deletes its objects. The definition is removed after the last of them, and the watches of its objects
 *   end after they have sent the deletions.
 * - If two definitions claim the same name in a group, the first one gets it; the second is served when the name becomes free.
 */
export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #entries = new Map<string, Entry>();
  /** All definitions by name, served or not. */
  readonly #definitions = new Map<string, Definition>();
  readonly #cleanup: CleanupQueue;
  readonly #draining = new Map<Entry, Timer>();
  #follower: ObjectFollower | undefined;
  #store: GenericRegistryStore | undefined;

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
    this.#cleanup = new CleanupQueue({
      name: 'custom resources',
      runtime: options.runtime,
      logger: options.logger,
      clean: (name, signal) => this.#clean(name, signal),
    });
  }

  /** The hooks for the store of definitions. */
  readonly hooks: StoreHooks = {
    beginCreate: (definition) => {
      this.#acceptNames(definition);
      return Promise.resolve(() => {});
    },
    beginUpdate: (definition) => {
      this.#acceptNames(definition);
      return Promise.resolve(() => {});
    },
    afterCreate: (definition) => {
      this.#apply(definition);
    },
    afterUpdate: (definition) => {
      this.#apply(definition);
    },
    afterDelete: (definition) => {
      this.#remove(definition, definition.resourceVersion);
    },
  };

  /** Serves the present definitions, and follows the changes that other processes make. */
  async start(
    store: GenericRegistryStore,
    storage: ResourceStorage,
    prefix: string,
  ): Promise<void> {
    this.#store = store;
    const { runtime, logger } = this.#options;
    this.#follower = new ObjectFollower({
      name: 'custom resource definitions',
      storage,
      prefix,
      runtime,
      logger,
      onPresent: (definition) => {
        this.#apply(definition);
      },
      onGone: (definition, resourceVersion) => {
        this.#remove(definition, resourceVersion);
      },
    });
    await this.#follower.start();
  }

  async close(): Promise<void> {
    await this.#follower?.close();
    await this.#cleanup.close();
    for (const timer of this.#draining.values()) timer.cancel();
    const entries = [...this.#entries.values(), ...this.#draining.keys()];
    this.#draining.clear();
    this.#entries.clear();
    await Promise.all(entries.map((entry) => endEntry(entry)));
  }

  /** The served resources, in the order of the definitions' names. */
  installed(): InstalledResource[] {
    const names = [...this.#entries.keys()].toSorted();
    return names.flatMap((name) => this.#entries.get(name)?.installed ?? []);
  }

  /** The stores of namespaced custom objects. */
  namespacedStores(): GenericRegistryStore[] {
    const stores = [...this.#entries.values()].map(({ store }) => store);
    return stores.filter((store) => store?.describe.namespaced === true) as GenericRegistryStore[];
  }

  #acceptNames(definition: MutableObject): void {
    const { isBuiltIn, runtime } = this.#options;
    const others: NameClaims[] = [];
    for (const [name, { object }] of this.#definitions) {
      if (name !== definition.metadata.name) others.push(object);
    }
    acceptNames(definition, { others, isBuiltIn, now: timestampOf(runtime.wallMs()) });
  }

  /** Serves a definition, unless a newer state of it is served already. */
  #apply(definition: Definition): void {
    const name = definition.metadata.name ?? '';
    const known = this.#definitions.get(name);
    if (known !== undefined && !isNewer(definition, known)) return;
    this.#definitions.set(name, definition);
    const { object } = definition;
    if (hasCondition(object, 'Established')) {
      const entry = this.#entries.get(name) ?? this.#newEntry(definition);
      this.#install(entry, definition);
      this.#entries.set(name, entry);
      this.#options.onChange();
    }
    if (definition.metadata.deletionTimestamp !== undefined) this.#cleanup.add(name);
  }

  #newEntry({ object }: Definition): Entry {
    const kind = storageKind(object);
    return {
      storage: this.#options.storageFor(kind.describe, kind.keyRoot),
      watches: new WatchSet(),
      store: undefined,
      installed: [],
      terminating: false,
      creations: 0,
    };
  }

  #install(entry: Entry, { object, metadata }: Definition): void {
    const stored = storageKind(object);
    const storedApiVersion = apiVersionOf(stored.describe);
    const newStore = (kind: KindDefinition): GenericRegistryStore =>
      new GenericRegistryStore({
        kind,
        storage: entry.storage,
        runtime: this.#options.runtime,
        logger: this.#options.logger,
        reaper: this.#options.reaper,
        admission: { enter: (...request) => this.#enter(entry, ...request) },
        storedApiVersion,
        watches: entry.watches,
      });
    entry.terminating = metadata.deletionTimestamp !== undefined;
    entry.store = newStore(stored);
    entry.installed = versionsOf(object)
      .filter((version) => version['served'] === true)
      .map((version) => {
        const kind = customResourceKind(object, version);
        return installedResource(newRestStorages(kind, newStore(kind)));
      });
  }

  async #enter(
    entry: Entry,
    subject: Subject,
    namespace: string,
    name: string,
  ): Promise<ReleaseAdmission> {
    const release = await this.#options.namespaces.enter(subject, namespace, name);
    if (entry.terminating) {
      release();
      const message = `create not allowed while custom resource definition is terminating`;
      throw failure('MethodNotAllowed', message);
    }
    entry.creations += 1;
    return () => {
      entry.creations -= 1;
      release();
    };
  }

  /** Deletes the objects of a definition, then removes its finalizer. Awaits between its steps; each step can be repeated. */
  async #clean(name: string, signal: AbortSignal): Promise<boolean> {
    const definition = this.#definitions.get(name);
    if (definition?.metadata.deletionTimestamp === undefined) return true;
    const context = serverContext('', signal);
    const entry = this.#entries.get(name);
    if (entry?.store !== undefined) {
      if (entry.creations > 0) return false;
      await entry.store.deleteCollection(context);
      if ((await entry.store.list(context, { limit: 1 })).items.length > 0) return false;
    }
    try {
      await this.#store?.updateThrough(serverStrategy, context, name, (existing = {}) => ({
        ...existing,
        metadata: {
          ...existing.metadata,
          finalizers: existing.metadata?.finalizers?.filter((one) => one !== CLEANUP_FINALIZER),
        },
      }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return true;
  }

  #remove({ metadata }: Definition, resourceVersion: string): void {
    const { name = '' } = metadata;
    const known = this.#definitions.get(name);
    if (known === undefined) return;
    if (compareResourceVersions(resourceVersion, known.resourceVersion) < 0) return;
    this.#definitions.delete(name);
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      this.#entries.delete(name);
      this.#drain(entry);
      this.#options.onChange();
    }
    void this.#reconsiderNames();
  }

  /** Ends the watches of a removed resource, after a delay in which they send the deletions. */
  #drain(entry: Entry): void {
    const timer = this.#options.runtime.setTimer(
      WATCH_DRAIN_MS,
      () => {
        this.#draining.delete(entry);
        void endEntry(entry);
      },
      { background: true },
    );
    this.#draining.set(entry, timer);
  }

  /** Called when a name became free: definitions that were refused are checked again. */
  async #reconsiderNames(): Promise<void> {
    const { logger } = this.#options;
    for (const [name, { object }] of this.#definitions) {
      if (hasCondition(object, 'Established')) continue;
      try {
        await this.#store?.updateThrough(
          serverStrategy,
          serverContext(''),
          name,
          (existing = {}) => existing,
        );
      } catch (error) {
        logger.warn('the names of a custom resource definition could not be checked again', {
          name,
          error: String(error),
        });
      }
    }
  }
}

function storageKind(definition: unknown): KindDefinition {
  return customResourceKind(definition, storageVersionOf(definition) ?? {});
}

function isNewer(definition: Definition, known: Definition): boolean {
  return compareResourceVersions(definition.resourceVersion, known.resourceVersion) > 0;
}

async function endEntry({ watches, storage }: Entry): Promise<void> {
  watches.closeAll();
  await storage[Symbol.asyncDispose]?.();
}
