import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { failure } from '../../../meta/failure/api-error.ts';
import {
  conflict,
  forbidden,
  isAlreadyExists,
  notFound,
  type Subject,
} from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { compareResourceVersions } from '../../../meta/versions/resource-version.ts';
import type { StorageInterface } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import type { GenericRegistryStore } from '../generic-registry-store.ts';
import { textsAt } from '../../../meta/json-value.ts';
import { ObjectFollower } from '../followed/object-follower.ts';
import { serverContext } from '../contract/server-context.ts';
import type { StoreHooks } from '../contract/store-hooks.ts';
import { repeatUnanswered } from '../writes/repeat-unanswered.ts';
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
}

interface Entry {
  /** The state of the entry; reports of older states are ignored. */
  resourceVersion: string;
  terminating: boolean;
  /** Number of admitted creations that have not ended. */
  creations: number;
  /** One of them has ended since the deletion began, so that a list of the content may lack it. */
  late: boolean;
}

/**
 * Admits creations of objects in existing namespaces. A deleted namespace waits for a controller, which deletes its content and then
 * removes its finalizer `kubernetes`.
 *
 * Guarantees:
 * - An object cannot be created in a namespace that does not exist (404) or is being deleted (403).
 * - The finalizer cannot be removed (409) while creations go on that were admitted before the deletion, nor the first time after one of
 *   them has ended: who removes it has to look for content again, so that nothing is left behind.
 *
 * Not guaranteed: that a concurrent creation in another process on the same storage is found.
 */
export class NamespaceLifecycle implements CreateAdmission {
  readonly #options: NamespaceLifecycleOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #follower: ObjectFollower;

  constructor(options: NamespaceLifecycleOptions) {
    this.#options = options;
    const { runtime, logger, storage } = options;
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
    // An update that empties the finalizers is a deletion, which has no other hook before it.
    authorize: (_context, namespace, { existing, subresource }) => {
      const isFinalization = subresource === 'finalize' && existing !== undefined;
      if (isFinalization) this.#checkFinalization(namespace, existing);
      return Promise.resolve();
    },
    afterUpdate: (stored) => {
      this.#note(stored);
    },
    // The entry stays terminating until the follower has reported the deletion, so that no older report makes it active again.
    afterDelete: (stored) => {
      this.#note(stored, true);
    },
  };

  /** Creates the default namespaces. @throws as `repeatUnanswered` */
  async start(namespaces: GenericRegistryStore, signal?: AbortSignal): Promise<void> {
    const { runtime } = this.#options;
    await this.#follower.start();
    for (const name of DEFAULT_NAMESPACES) {
      if (this.#entries.has(name)) continue;
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await repeatUnanswered({ runtime, signal }, async () => {
        try {
          await namespaces.create(serverContext(''), object);
        } catch (error) {
          if (!isAlreadyExists(error)) throw error;
        }
      });
    }
  }

  async close(): Promise<void> {
    await this.#follower.close();
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
      if (entry.terminating) entry.late = true;
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
      this.#entries.set(name, { resourceVersion, terminating, creations: 0, late: false });
    } else if (order !== undefined && order >= 0) {
      entry.resourceVersion = resourceVersion;
      entry.terminating = terminating;
    }
  }

  #forget({ metadata }: StoredObject<UnstructuredObject>, resourceVersion: string): void {
    const { name = '' } = metadata;
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (compareResourceVersions(resourceVersion, entry.resourceVersion) < 0) return;
    this.#entries.delete(name);
  }

  /** @throws {ApiError} 409 */
  #checkFinalization(namespace: UnstructuredObject, existing: UnstructuredObject): void {
    const hasFinalizer = (one: UnstructuredObject): boolean =>
      textsAt(one, 'spec', 'finalizers').includes(CONTENT_FINALIZER);
    if (!hasFinalizer(existing) || hasFinalizer(namespace)) return;
    const { name = '' } = existing.metadata ?? {};
    const entry = this.#entries.get(name);
    if (entry === undefined || (entry.creations === 0 && !entry.late)) return;
    entry.late = false;
    throw conflict(
      NAMESPACES,
      name,
      'objects were created while its deletion began; look for them',
    );
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
