import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { compareResourceVersions } from '../../../meta/versions/resource-version.ts';
import type { Followed, FollowOptions } from '../contract/plug-in.ts';
import type { StoreHooks } from '../contract/store-hooks.ts';
import { ObjectFollower } from './object-follower.ts';
import type { ResourceStorage } from '../storage-factory.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

type Stored = StoredObject<UnstructuredObject>;

export interface FollowedObjectsOptions<T> extends FollowOptions<T> {
  readonly runtime: Runtime;
  readonly logger: Logger;
}

interface Kept<T> {
  readonly resourceVersion: string;
  readonly value: T;
}

/** Removed objects that are remembered, so that a late report does not bring one back. */
const MOST_REMOVED = 1000;

/**
 * The state of all stored objects of one kind, for admission.
 *
 * Guarantees:
 * - When a write of an object through this process resolves, it is in effect. Those of other processes follow with the watch.
 * - Requests read no object from the storage. Memory is bounded by the stored objects.
 */
export class FollowedObjects<T> implements Followed<T> {
  readonly #options: FollowedObjectsOptions<T>;
  /** By namespace, then by name. The namespace of cluster-scoped objects is empty. */
  readonly #kept = new Map<string, Map<string, Kept<T>>>();
  readonly #removed = new Map<string, string>();
  #follower: ObjectFollower | undefined;

  constructor(options: FollowedObjectsOptions<T>) {
    this.#options = options;
  }

  /** For the store of the objects. */
  readonly hooks: StoreHooks = {
    afterCreate: (stored) => {
      this.#put(stored);
    },
    afterUpdate: (stored) => {
      this.#put(stored);
    },
    afterDelete: (stored) => {
      this.#remove(stored, stored.resourceVersion);
    },
  };

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** Those of a namespace, by name. */
  in(namespace: string): readonly T[] {
    const kept = this.#kept.get(namespace);
    if (kept === undefined) return [];
    const byName = [...kept].toSorted(([left], [right]) => (left < right ? -1 : 1));
    return byName.map(([, { value }]) => value);
  }

  named(namespace: string, name: string): T | undefined {
    return this.#kept.get(namespace)?.get(name)?.value;
  }

  async start(storage: ResourceStorage, keyRoot: string): Promise<void> {
    const { runtime, logger, resource } = this.#options;
    this.#follower = new ObjectFollower({
      name: resource,
      // There are few of them, and every server follows them: that alone is no reason for a watch cache.
      storage: storage.uncached ?? storage,
      prefix: `${keyRoot}/`,
      runtime,
      logger,
      onPresent: (stored) => {
        this.#put(stored);
      },
      onGone: (stored, resourceVersion) => {
        this.#remove(stored, resourceVersion);
      },
    });
    await this.#follower.start();
  }

  async close(): Promise<void> {
    await this.#follower?.close();
  }

  #put({ object, metadata: { namespace = '', name = '' }, resourceVersion }: Stored): void {
    const key = `${namespace}/${name}`;
    const inNamespace = this.#kept.get(namespace) ?? new Map<string, Kept<T>>();
    const known = inNamespace.get(name);
    const seen = known?.resourceVersion ?? this.#removed.get(key);
    if (seen !== undefined && compareResourceVersions(resourceVersion, seen) <= 0) return;
    this.#removed.delete(key);
    const value = this.#options.read(object);
    inNamespace.set(name, { resourceVersion, value });
    this.#kept.set(namespace, inNamespace);
    this.#options.onChange?.(known?.value, value);
  }

  #remove({ metadata: { namespace = '', name = '' } }: Stored, resourceVersion: string): void {
    const inNamespace = this.#kept.get(namespace);
    const known = inNamespace?.get(name);
    if (inNamespace === undefined || known === undefined) return;
    if (compareResourceVersions(resourceVersion, known.resourceVersion) < 0) return;
    inNamespace.delete(name);
    if (inNamespace.size === 0) this.#kept.delete(namespace);
    const [oldest] = this.#removed.keys();
    if (this.#removed.size >= MOST_REMOVED && oldest !== undefined) this.#removed.delete(oldest);
    this.#removed.set(`${namespace}/${name}`, resourceVersion);
    this.#options.onChange?.(known.value, undefined);
  }
}
