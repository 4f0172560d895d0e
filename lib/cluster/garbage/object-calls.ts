import type { Client } from '../../client/rest/client.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { isApiError, isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { OwnerReference, UnstructuredObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import type { ObjectIdentity } from './object-identity.ts';
import { sameReferences } from './reference-changes.ts';

/** An object as a live read returns it. */
export type LiveObject = Stored<UnstructuredObject>;

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

interface FoundResource {
  readonly namespaced: boolean;
  /** The verbs in the namespace of the identity. */
  readonly resource: ResourceClient<UnstructuredObject>;
}

/** Attempts of a write that reads the object first and finds it changed. */
const ATTEMPTS = 5;

/**
 * The requests of the garbage collector: objects of any kind, by their coordinates.
 *
 * Each call throws RESOURCE_UNKNOWN or DISCOVERY_STALE for a kind that the server does not serve. That is never taken for an object that
 * does not exist.
 */
export class ObjectCalls {
  readonly #client: Client;
  readonly #signal: AbortSignal;

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Whether objects of the kind have namespaces. */
  async isNamespaced({
    apiVersion,
    kind,
  }: Pick<ObjectIdentity, 'apiVersion' | 'kind'>): Promise<boolean> {
    const signal = this.#signal;
    return (await this.#client.discovery.find(apiVersion, kind, { signal })).namespaced;
  }

  /** The object as it is now; undefined if there is none of this name. */
  async get(identity: ObjectIdentity): Promise<LiveObject | undefined> {
    const { resource } = await this.#resourceOf(identity);
    try {
      return await resource.get(identity.name);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /**
   * Deletes the object in the state that was read, or in a later one with the same owners. Returns whether it existed.
   * @throws {ApiError} 409 when its owners have changed since.
   */
  async delete(
    identity: ObjectIdentity,
    { metadata }: LiveObject,
    propagationPolicy: PropagationPolicy,
  ): Promise<boolean> {
    const { resource } = await this.#resourceOf(identity);
    const { uid, name } = identity;
    const { resourceVersion } = metadata;
    try {
      const preconditions = { uid, resourceVersion };
      await resource.delete(name, { propagationPolicy, preconditions });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      if (!isConflict(error)) throw error;
      const now = await this.get(identity);
      if (now === undefined || now.metadata.uid !== uid) return false;
      if (!sameReferences(ownersOf(now), ownersOf({ metadata }))) throw error;
    }
    try {
      await resource.delete(name, { propagationPolicy, preconditions: { uid } });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  /** Removes the references to these owners; an object that is gone has none. */
  async removeOwners(identity: ObjectIdentity, uids: readonly string[]): Promise<void> {
    const removed = uids.map((uid) => ({ $patch: 'delete', uid }));
    await this.#patchOwners(identity, removed, (owners) =>
      owners.filter(({ uid }) => !uids.includes(uid)),
    );
  }

  /** Lets no owner of the object wait for it any more. */
  async unblockOwners(identity: ObjectIdentity, owners: readonly OwnerReference[]): Promise<void> {
    const unblocked = owners
      .filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true)
      .map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    await this.#patchOwners(identity, unblocked, (present) =>
      present.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
    );
  }

  /** Removes a finalizer, if the object has it. */
  async removeFinalizer(identity: ObjectIdentity, finalizer: string): Promise<void> {
    await this.#change(identity, ({ metadata }) => {
      const { finalizers = [] } = metadata as { readonly finalizers?: readonly string[] };
      if (!finalizers.includes(finalizer)) return undefined;
      return { finalizers: finalizers.filter((one) => one !== finalizer) };
    });
  }

  /** A strategic patch needs no read. Custom resources do not take one. */
  async #patchOwners(
    identity: ObjectIdentity,
    strategic: readonly object[],
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    const { resource } = await this.#resourceOf(identity);
    const { uid, name } = identity;
    try {
      const patch = { metadata: { uid, ownerReferences: strategic } };
      await resource.patch(name, patch, { type: 'strategic' });
    } catch (error) {
      if (isGone(error)) return;
      if (!isApiError(error) || error.code !== 'UNSUPPORTED_MEDIA_TYPE') throw error;
      await this.#change(identity, (now) => ({ ownerReferences: change(ownersOf(now)) }));
    }
  }

  /** Reads, and writes these metadata if the object has not changed meanwhile; tries that some times. */
  async #change(
    identity: ObjectIdentity,
    change: (now: LiveObject) => object | undefined,
  ): Promise<void> {
    const { resource } = await this.#resourceOf(identity);
    for (let attempt = 1; ; attempt += 1) {
      const now = await this.get(identity);
      if (now === undefined || now.metadata.uid !== identity.uid) return;
      const metadata = change(now);
      if (metadata === undefined) return;
      const { resourceVersion } = now.metadata;
      try {
        await resource.patch(identity.name, { metadata: { ...metadata, resourceVersion } });
        return;
      } catch (error) {
        if (isGone(error)) return;
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #resourceOf({ apiVersion, kind, namespace }: ObjectIdentity): Promise<FoundResource> {
    const signal = this.#signal;
    const { resource, namespaced } = await this.#client.discovery.find(apiVersion, kind, {
      signal,
    });
    const place = namespaced ? { namespace } : {};
    return {
      namespaced,
      resource: this.#client.resource<UnstructuredObject>(apiVersion, resource, {
        ...place,
        signal,
      }),
    };
  }
}

export function ownersOf({
  metadata,
}: Pick<UnstructuredObject, 'metadata'>): readonly OwnerReference[] {
  return metadata?.ownerReferences ?? [];
}

/** There is no object of this name. An answer without a name says that the server does not serve the resource. */
export function isGone(error: unknown): boolean {
  return isNotFound(error) && error.status.details?.name !== undefined;
}
