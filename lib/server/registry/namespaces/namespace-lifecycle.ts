import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { failure } from '../../../meta/failure/api-error.ts';
import {
  forbidden,
  isAlreadyExists,
  isNotFound,
  notFound,
  type Subject,
} from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { compareResourceVersions } from '../../../meta/resource-version.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { CleanupQueue } from './cleanup-queue.ts';
import type { GenericRegistryStore } from '../generic-registry-store.ts';
import { recordAt, textsAt } from '../rules/json-value.ts';
import { ObjectFollower } from './object-follower.ts';
import { serverContext, serverStrategy } from '../contract/server-context.ts';
import type { StoreHooks } from '../contract/store-hooks.ts';
import type { CreateAdmission, ReleaseAdmission } from '../writes/store-parts.ts';

/** Namespaces of every cluster. See pkg/controlplane/controller/systemnamespaces @ 24a394e. */
export const DEFAULT_NAMESPACES: readonly string[] = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
];

/** The entry of `spec.finalizers` that keeps a namespace until its content is deleted. */
export const CONTENT_FINALIZER = 'kubernetes';

const NAMESPACES: Subject = { group: '', resource: 'namespaces' };

export interface NamespaceLifecycleOptions {
  /** The storage of the namespaces, under `/registry/namespaces/`. */
  readonly storage: StorageInterface<UnstructuredObject>;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** The present stores of namespaced objects. */
  readonly namespacedStores: () => readonly GenericRegistryStore[];
}

interface Entry {
  /** The state of the entry; reports of older states are ignored. */
  resourceVersion: string;
  terminating: boolean;
  /** Number of admitted creations that have not ended. */
  creations: number;
}

/**
 * Admits creations of objects in existing namespaces, and deletes the content of deleted ones.
 *
 * Guarantees:
 * - An object cannot be created in a namespace that does not exist (404) or is being deleted (403).
 * - When a namespace is deleted through this process, its content is deleted only after the admitted creations have ended, so
 *   that none of them is left behind. The namespace is removed once it is empty; objects with finalizers keep it.
 *
 * Not guaranteed: that a concurrent creation in another process on the same storage is found.
 */
export class NamespaceLifecycle implements CreateAdmission {
  readonly #options: NamespaceLifecycleOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #cleanup: CleanupQueue;
  readonly #follower: ObjectFollower;
  #namespaces: GenericRegistryStore | undefined;

  constructor(options: NamespaceLifecycleOptions) {
    this.#options = options;
    const { runtime, logger, storage } = options;
    this.#cleanup = new CleanupQueue({
      name: 'namespaces',
      runtime,
      logger,
      clean: (name, signal) => this.#clean(name, signal),
    });
    this.#follower = new ObjectFollower({
      name: 'namespaces',
      storage,
      prefix: '/registry/namespaces/',
      runtime,
      logger,
      onPresent: (stored) => {
        this.#note(stored);
      },
      onGone: (stored, resourceVersion) => {
        this.#forget(stored, resourceVersion);
      },
    });
  }

  /** The hooks for the store of namespaces. */
  readonly hooks: StoreHooks = {
    afterCreate: (stored) => {
      this.#note(stored);
    },
    afterUpdate: (stored) => {
      this.#note(stored);
    },
    // The entry stays terminating until the follower has reported the deletion, so that no older report makes it active again.
    afterDelete: (stored) => {
      this.#note(stored, true);
    },
  };

  /** Creates the default namespaces, and continues interrupted deletions. */
  async start(namespaces: GenericRegistryStore): Promise<void> {
    this.#namespaces = namespaces;
    await this.#follower.start();
    for (const name of DEFAULT_NAMESPACES) {
      if (this.#entries.has(name)) continue;
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      try {
        await namespaces.create(serverContext(''), object);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#follower.close(), this.#cleanup.close()]);
  }

  async enter(subject: Subject, namespace: string, name: string): Promise<ReleaseAdmission> {
    if (namespace === '') return () => {};
    if (!this.#entries.has(namespace)) await this.#lookUp(namespace);
    const entry = this.#entries.get(namespace);
    if (entry === undefined) throw notFound(NAMESPACES, namespace);
    if (entry.terminating) throw terminating(subject, namespace, name);
    entry.creations += 1;
    return () => {
      entry.creations -= 1;
    };
  }

  /** Reads an unknown namespace: another process may just have created it. */
  async #lookUp(namespace: string): Promise<void> {
    const key = `/registry/namespaces/${namespace}`;
    const stored = await this.#options.storage.get(key, { ignoreNotFound: true });
    if (stored !== undefined && !this.#entries.has(namespace)) this.#note(stored);
  }

  #note(
    { metadata, resourceVersion }: StoredObject<UnstructuredObject>,
    terminating: boolean = metadata.deletionTimestamp !== undefined,
  ): void {
    const { name = '' } = metadata;
    const entry = this.#entries.get(name);
    const order = entry && compareResourceVersions(resourceVersion, entry.resourceVersion);
    if (entry === undefined) {
      this.#entries.set(name, { resourceVersion, terminating, creations: 0 });
    } else if (order !== undefined && order >= 0) {
      entry.resourceVersion = resourceVersion;
      entry.terminating = terminating;
    }
    // A known state starts no cleanup: a cleanup that changes nothing, since other finalizers are left, reports the same state again.
    const isNew = order === undefined || order > 0;
    if (isNew && terminating && this.#namespaces !== undefined) this.#cleanup.add(name);
  }

  #forget({ metadata }: StoredObject<UnstructuredObject>, resourceVersion: string): void {
    const { name = '' } = metadata;
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (compareResourceVersions(resourceVersion, entry.resourceVersion) < 0) return;
    this.#entries.delete(name);
  }

  /** Awaits between its steps; each step can be repeated. */
  async #clean(name: string, signal: AbortSignal): Promise<boolean> {
    const entry = this.#entries.get(name);
    if (entry === undefined || !entry.terminating) return true;
    if (entry.creations > 0) return false;
    const context = serverContext(name, signal);
    let left = 0;
    for (const store of this.#options.namespacedStores()) {
      await store.deleteCollection(context, {}, { propagationPolicy: 'Background' });
      left += (await store.list(context, { limit: 1 })).items.length;
    }
    if (left > 0) return false;
    await this.#finalize(name, signal);
    return true;
  }

  /** Removes the content finalizer, so that the namespace is deleted. */
  async #finalize(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#namespaces?.updateThrough(
        serverStrategy,
        serverContext('', signal),
        name,
        (existing = {}) => ({
          ...existing,
          spec: {
            ...recordAt(existing, 'spec'),
            finalizers: textsAt(existing, 'spec', 'finalizers').filter(
              (one) => one !== CONTENT_FINALIZER,
            ),
          },
        }),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function terminating(subject: Subject, namespace: string, name: string): Error {
  const { status } = forbidden(
    subject,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const message = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
  return failure('Forbidden', status.message ?? '', { details: { ...status.details, causes } });
}
