import { ownerReferenceTo } from '../../controller/helpers/owner-references.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { isInvalid, isNotFound } from '../../meta/failure/failures.ts';
import { controllerOf, type KubernetesObject, type ObjectMeta } from '../../meta/object.ts';
import type { LabelSelector } from '../../meta/selectors/label-selector.ts';
import type { Stored } from '../../meta/stored.ts';

/** An object that controls others. */
export type ClaimingOwner = Stored<KubernetesObject> & { readonly metadata: ObjectMeta };

/** A strategic merge patch of the owners of one object. */
export interface OwnersPatch {
  readonly metadata: { readonly uid: string; readonly ownerReferences: readonly object[] };
}

export interface ClaimOptions<T extends KubernetesObject> {
  readonly owner: ClaimingOwner;
  readonly selector: LabelSelector;
  /** Reads the owner from the server, not from a cache. */
  readonly fresh: () => Promise<ClaimingOwner>;
  readonly patch: (object: Stored<T>, patch: OwnersPatch) => Promise<Stored<T>>;
}

/**
 * The objects that the owner controls: those it selects and has, and after a fresh read of it those without a controller that it selects. An
 * object that it has and does not select is released. An owner that is being deleted keeps what it has, and changes nothing.
 * @throws the first failure, after all objects were tried.
 * @see kubernetes pkg/controller/controller_ref_manager.go ClaimObject @ v1.37.2
 */
export async function claimObjects<T extends KubernetesObject>(
  objects: readonly Stored<T>[],
  options: ClaimOptions<T>,
): Promise<Stored<T>[]> {
  const claim = new Claim(options);
  const claimed: Stored<T>[] = [];
  const failures: unknown[] = [];
  for (const object of objects) {
    try {
      const mine = await claim.of(object);
      if (mine !== undefined) claimed.push(mine);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return claimed;
}

class Claim<T extends KubernetesObject> {
  readonly #options: ClaimOptions<T>;
  #checked: Promise<void> | undefined;

  constructor(options: ClaimOptions<T>) {
    this.#options = options;
  }

  /** The object if the owner controls it now. */
  async of(object: Stored<T>): Promise<Stored<T> | undefined> {
    const { owner, selector } = this.#options;
    const { labels, deletionTimestamp, namespace } = metadataOf(object);
    const controller = controllerOf(object);
    const selects = selector.matches(labels);
    const isLeaving = owner.metadata.deletionTimestamp !== undefined;
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) return undefined;
      if (selects) return object;
      if (!isLeaving) await this.#release(object);
      return undefined;
    }
    if (isLeaving || !selects || deletionTimestamp !== undefined) return undefined;
    return namespace === owner.metadata.namespace ? await this.#adopt(object) : undefined;
  }

  async #adopt(object: Stored<T>): Promise<Stored<T> | undefined> {
    const { owner, patch } = this.#options;
    const { uid } = object.metadata;
    this.#checked ??= this.#check();
    await this.#checked;
    try {
      return await patch(object, { metadata: { uid, ownerReferences: [ownerReferenceTo(owner)] } });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #release(object: Stored<T>): Promise<void> {
    const { owner, patch } = this.#options;
    const { uid } = object.metadata;
    const gone = { $patch: 'delete', uid: owner.metadata.uid };
    try {
      await patch(object, { metadata: { uid, ownerReferences: [gone] } });
    } catch (error) {
      // It is gone, or has no owners any more.
      if (!isNotFound(error) && !isInvalid(error)) throw error;
    }
  }

  /** A cache may show an owner that has been deleted, and another one of its name may be there. */
  async #check(): Promise<void> {
    const { owner, fresh } = this.#options;
    const found = await fresh();
    const isSame = found.metadata.uid === owner.metadata.uid;
    if (isSame && found.metadata.deletionTimestamp === undefined) return;
    const { kind, metadata } = owner;
    const text = `${kind} ${JSON.stringify(metadata.name)} adopts nothing: it has been deleted; its informer will report that`;
    throw new ListwatchError('OWNER_REFUSED', text);
  }
}

function metadataOf(object: KubernetesObject): ObjectMeta {
  return object.metadata ?? {};
}
