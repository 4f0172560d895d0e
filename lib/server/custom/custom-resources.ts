import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime, Timer } from '../../kernel/time/runtime.ts';
import { failure } from '../../meta/failure/api-error.ts';
import { isNotFound, type Subject } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { compareResourceVersions } from '../../meta/versions/resource-version.ts';
import { apiVersionOf } from '../../meta/resource.ts';
import type { StoredObject } from '../storage/contract/stored-object.ts';
import { acceptNames, type NameRivals } from './definition/accepted-names.ts';
import { settleStatus } from './definition/settle-status.ts';
import { StructureChecks } from './definition/structure-condition.ts';
import { CleanupQueue } from '../registry/namespaces/cleanup-queue.ts';
import {
  CLEANUP_FINALIZER,
  hasCondition,
  setCondition,
  storageVersionOf,
  versionsOf,
} from './definition/custom-resource-definition.ts';
import { storedContentOf } from './conversion/converted-content.ts';
import { ConvertedVersions } from './conversion/converted-versions.ts';
import { SchemaHistory } from './conversion/schema-history.ts';
import { customResourceKind } from './versions/custom-resource-kind.ts';
import { timestampOf } from '../registry/rules/duration.ts';
import { jsonEqual, recordAt, valueAt } from '../../meta/json-value.ts';
import type { Admission } from '../registry/contract/admission.ts';
import { GenericRegistryStore } from '../registry/generic-registry-store.ts';
import { KindVersions, type ConvertObject } from '../registry/kind-versions.ts';
import type { GracePeriodReaper } from '../registry/writes/grace-period-reaper.ts';
import type { KindDefinition } from '../registry/contract/kind-definition.ts';
import type { MutableObject } from '../registry/rules/mutable-object.ts';
import { ObjectFollower } from '../registry/followed/object-follower.ts';
import { installedResource, newRestStorages } from '../registry/rest-storages.ts';
import type { InstalledResource } from '../registry/contract/rest-storage.ts';
import { serverContext, serverStrategy } from '../registry/contract/server-context.ts';
import type { ResourceStorage, StorageFactory } from '../registry/storage-factory.ts';
import type { StoreHooks } from '../registry/contract/store-hooks.ts';
import type {
  CreateAdmission,
  ReleaseAdmission,
  StoreAdmission,
} from '../registry/writes/store-parts.ts';
import { WatchSet } from '../registry/watch-set.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';

/** Delay before the watches of a removed resource end, in which they send the deletions. */
const WATCH_DRAIN_MS = 1000;

/** Maximum number of removed definitions that are remembered. */
const MOST_REMOVED = 1000;

type Definition = StoredObject<UnstructuredObject>;

export interface CustomResourcesOptions {
  /** The minor version of Kubernetes whose rules apply. */
  readonly minor: KubernetesMinor;
  readonly storageFor: StorageFactory;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly reaper: GracePeriodReaper;
  /** Decides whether custom objects may be created in a namespace. */
  readonly namespaces: CreateAdmission;
  /** Whether a built-in kind uses this resource name in the group. */
  readonly isBuiltIn: (group: string, resource: string) => boolean;
  /** Changes and refuses requests. @defaultValue nothing does */
  readonly admission?: Admission | undefined;
  /** Calls the webhooks that convert objects. */
  readonly webhooks: WebhookCaller;
  /** Called whenever the served resources change. */
  readonly onChange: () => void;
}

/** One served definition. */
interface Entry {
  readonly storage: ResourceStorage;
  readonly watches: WatchSet;
  /** The store of the storage version, even if that version is not served. It never converts. */
  store: GenericRegistryStore | undefined;
  readonly schema: SchemaHistory;
  /** Set if a webhook converts the objects. */
  converted: ConvertedVersions | undefined;
  installed: readonly InstalledResource[];
  terminating: boolean;
  /** The served part of the definition. */
  serves: string;
  /** Number of admitted creations that have not ended. */
  creations: number;
}

/**
 * Serves custom resources as soon as their definitions are created.
 *
 * Guarantees:
 * - When the creation or update of a definition returns, this process serves its resources accordingly. The conditions in its
 *   status come afterwards, each with a write of its own, as from the controllers of an API server.
 * - Deleting a definition deletes its objects. The definition is removed after the last of them, and the watches of its objects
 *   end after they have sent the deletions.
 * - If two definitions claim the same name in a group, the first one gets it; the second is served when the name becomes free.
 */
export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #entries = new Map<string, Entry>();
  /** All definitions by name, served or not. */
  readonly #definitions = new Map<string, Definition>();
  readonly #structures = new StructureChecks();
  /** The version at which each was removed: a write that ended late must not bring one back. */
  readonly #removed = new Map<string, string>();
  readonly #cleanup: CleanupQueue;
  readonly #statuses: CleanupQueue;
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
    this.#statuses = new CleanupQueue({
      name: 'statuses of custom resource definitions',
      runtime: options.runtime,
      logger: options.logger,
      clean: (name, signal) => this.#settle(name, signal),
    });
  }

  /** The hooks for the store of definitions. */
  readonly hooks: StoreHooks = {
    beginCreate: (definition) => Promise.resolve(this.#structures.beginCreate(definition)),
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
    await Promise.all([this.#cleanup.close(), this.#statuses.close()]);
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

  #rivalsOf(name: string): NameRivals {
    const { isBuiltIn } = this.#options;
    const others: object[] = [];
    for (const [other, { object }] of this.#definitions) if (other !== name) others.push(object);
    return { others, isBuiltIn };
  }

  /** Whether a definition is served: as soon as it can have its names, which its status says a little later. */
  #isServed({ object, metadata: { name = '' } }: Definition): boolean {
    if (hasCondition(object, 'Established') || hasCondition(object, 'NamesAccepted')) return true;
    return acceptNames(object, this.#rivalsOf(name)).conflict === undefined;
  }

  /** The names that a definition has, or gets in a moment. */
  #namesOf({ object, metadata: { name = '' } }: Definition): object {
    const accepted = recordAt(object, 'status', 'acceptedNames');
    if (accepted !== undefined && hasCondition(object, 'NamesAccepted')) return accepted;
    return acceptNames(object, this.#rivalsOf(name)).names;
  }

  /** Does the next step of the status of a definition; true when there is none. */
  async #settle(name: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#definitions.get(name);
    if (known === undefined) return true;
    const settle = (definition: MutableObject): boolean => {
      const now = timestampOf(this.#options.runtime.wallMs());
      return settleStatus(definition, {
        ...this.#rivalsOf(name),
        now,
        structureOf: (one) => this.#structures.of(one),
      });
    };
    // An update without a change would still rewrite a definition that another server has stored in a form of its own.
    if (!settle(privateStatus(known.object))) return true;
    try {
      let changed = false;
      await this.#updateStatus(name, signal, (definition) => {
        changed = settle(definition);
      });
      return !changed;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async #updateStatus(
    name: string,
    signal: AbortSignal,
    change: (definition: MutableObject) => void,
  ): Promise<void> {
    const context = serverContext('', signal);
    const update = (existing: UnstructuredObject = {}): UnstructuredObject => {
      const definition = privateStatus(existing);
      change(definition);
      return definition;
    };
    await this.#store?.updateThrough(serverStrategy, context, name, update, {
      subresource: 'status',
      known: this.#definitions.get(name),
    });
  }

  /** Serves a definition, unless a newer state of it is served already. */
  #apply(definition: Definition): void {
    // The write of a definition is followed by its event, which brings nothing new and is not decoded.
    const name = nameOf(definition);
    const known = this.#definitions.get(name);
    if (known !== undefined) {
      if (!isNewer(definition, known)) return;
      definition.decodeAfter?.(known);
    }
    const removed = this.#removed.get(name);
    if (removed !== undefined) {
      if (compareResourceVersions(definition.resourceVersion, removed) <= 0) return;
      this.#removed.delete(name);
    }
    this.#definitions.set(name, definition);
    if (this.#isServed(definition)) {
      const names = this.#namesOf(definition);
      const serves = servedForm(definition, names);
      // Most changes of its status change nothing of what is served.
      if (this.#entries.get(name)?.serves !== serves) {
        const entry = this.#install(this.#entries.get(name), definition, names);
        entry.serves = serves;
        this.#entries.set(name, entry);
        this.#options.onChange();
      }
    }
    this.#statuses.add(name);
    if (definition.metadata.deletionTimestamp !== undefined) this.#cleanup.add(name);
    // A name that it had may be free now.
    if (known !== undefined && !sameNames(known, definition)) this.#reconsiderNames(name);
  }

  #newEntry({ describe, keyRoot }: KindDefinition): Entry {
    return {
      storage: this.#options.storageFor(describe, keyRoot),
      watches: new WatchSet(),
      store: undefined,
      schema: new SchemaHistory(),
      converted: undefined,
      installed: [],
      terminating: false,
      serves: '',
      creations: 0,
    };
  }

  #install(known: Entry | undefined, definition: Definition, acceptedNames: object): Entry {
    const { object: given, metadata } = definition;
    const object = { ...given, status: { ...recordAt(given, 'status'), acceptedNames } };
    const stored = storageKind(object);
    const entry = known ?? this.#newEntry(stored);
    const storedApiVersion = apiVersionOf(stored.describe);
    const { minor, runtime, webhooks } = this.#options;
    const storage = entry.schema.present(entry.storage, definition);
    const served = versionsOf(object)
      .filter((version) => version['served'] === true)
      .map((version) => {
        const kind = version['storage'] === true ? stored : customResourceKind(object, version);
        return {
          version,
          kind: { ...kind, minor, storeAs: storedContentOf(object, version) },
        };
      });
    const kinds = served.map(({ kind }) => kind);
    const newStore = (kind: KindDefinition, converted?: ResourceStorage): GenericRegistryStore =>
      new GenericRegistryStore({
        kind,
        storage: converted ?? storage,
        chain: this.#chainOf(entry, kind, kinds),
        runtime: this.#options.runtime,
        logger: this.#options.logger,
        reaper: this.#options.reaper,
        admission: { enter: (...request) => this.#enter(entry, ...request) },
        storedApiVersion: converted === undefined ? storedApiVersion : undefined,
        watches: entry.watches,
      });
    entry.terminating = metadata.deletionTimestamp !== undefined;
    entry.store = newStore(stored, entry.storage);
    entry.converted?.close();
    entry.converted = ConvertedVersions.of(object, { storage, runtime, webhooks });
    entry.installed = served.map(({ version, kind }) =>
      installedResource(newRestStorages(kind, newStore(kind, entry.converted?.storageOf(version)))),
    );
    return entry;
  }

  #chainOf(
    entry: Entry,
    kind: KindDefinition,
    kinds: readonly KindDefinition[],
  ): StoreAdmission | undefined {
    const { admission } = this.#options;
    if (admission === undefined) return undefined;
    const convert: ConvertObject = async (object, apiVersion, signal) =>
      (await entry.converted?.convert(object, apiVersion, signal)) ?? { ...object, apiVersion };
    return { plugins: admission, versions: new KindVersions(kind, () => kinds, convert) };
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
    try {
      await this.#terminating(name, signal, 'True', IN_PROGRESS);
      if (entry?.store !== undefined) {
        if (entry.creations > 0) return false;
        await entry.store.deleteCollection(context);
        if ((await entry.store.list(context, { limit: 1 })).items.length > 0) return false;
      }
      const isEstablished = hasCondition(definition.object, 'Established');
      await this.#terminating(name, signal, 'False', isEstablished ? COMPLETED : NEVER_ESTABLISHED);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return true;
  }

  /** Says how far the deletion of a definition is; at its end the finalizer goes. */
  async #terminating(
    name: string,
    signal: AbortSignal,
    status: 'True' | 'False',
    [reason, message]: readonly [string, string],
  ): Promise<void> {
    await this.#updateStatus(name, signal, (definition) => {
      const now = timestampOf(this.#options.runtime.wallMs());
      setCondition(definition, { type: 'Terminating', status, reason, message }, now);
      if (status === 'True') return;
      const { finalizers = [] } = definition.metadata;
      definition.metadata.finalizers = finalizers.filter((one) => one !== CLEANUP_FINALIZER);
    });
  }

  #remove(definition: Definition, resourceVersion: string): void {
    const name = nameOf(definition);
    const known = this.#definitions.get(name);
    if (known === undefined) return;
    if (compareResourceVersions(resourceVersion, known.resourceVersion) < 0) return;
    this.#definitions.delete(name);
    this.#structures.forget(known.object);
    this.#noteRemoval(name, resourceVersion);
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      this.#entries.delete(name);
      this.#drain(entry);
      this.#options.onChange();
    }
    this.#reconsiderNames(name);
  }

  #noteRemoval(name: string, resourceVersion: string): void {
    const [oldest] = this.#removed.keys();
    if (this.#removed.size >= MOST_REMOVED && oldest !== undefined) this.#removed.delete(oldest);
    this.#removed.set(name, resourceVersion);
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

  /** Called when a name may have become free: definitions that did not get theirs are looked at again. */
  #reconsiderNames(except: string): void {
    for (const [name, definition] of this.#definitions) {
      if (name === except || hasCondition(definition.object, 'NamesAccepted')) continue;
      this.#statuses.add(name);
    }
  }
}

const IN_PROGRESS = [
  'InstanceDeletionInProgress',
  'CustomResource deletion is in progress',
] as const;
const COMPLETED = ['InstanceDeletionCompleted', 'removed all instances'] as const;
const NEVER_ESTABLISHED = ['NeverEstablished', 'resource was never established'] as const;

/** The last part of the key of a definition. */
function nameOf({ key }: Definition): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** An object whose members and metadata may be replaced; what is in them is shared. */
function privateStatus(object: UnstructuredObject): MutableObject {
  return { ...object, metadata: { ...object.metadata } } as MutableObject;
}

function sameNames({ object: one }: Definition, { object: other }: Definition): boolean {
  return jsonEqual(
    valueAt(one, 'status', 'acceptedNames'),
    valueAt(other, 'status', 'acceptedNames'),
  );
}

/** The fields of a definition that decide about its service: its spec, its names, whether it is being deleted. */
function servedForm({ object, metadata }: Definition, names: object): string {
  const { uid, generation, deletionTimestamp } = metadata;
  const terminating = hasCondition(object, 'Terminating');
  const stored = valueAt(object, 'status', 'storedVersions');
  return JSON.stringify([uid, generation, deletionTimestamp, terminating, names, stored]);
}

function storageKind(definition: unknown): KindDefinition {
  return customResourceKind(definition, storageVersionOf(definition) ?? {});
}

function isNewer(definition: Definition, known: Definition): boolean {
  return compareResourceVersions(definition.resourceVersion, known.resourceVersion) > 0;
}

async function endEntry({ watches, storage, converted }: Entry): Promise<void> {
  watches.closeAll();
  converted?.close();
  await storage[Symbol.asyncDispose]?.();
}
