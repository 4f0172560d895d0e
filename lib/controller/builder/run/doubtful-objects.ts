import type { ListOptions } from '../../../client/rest/request/resource-options.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';

/** The call that a check needs. To list is allowed where there is an informer, and to get may be not. */
interface Lists {
  list(options: ListOptions): Promise<{ readonly items: readonly Stored<KubernetesObject>[] }>;
}

/**
 * Objects of the cache that may be gone: one that they owned was deleted, perhaps by the garbage collector, because they were deleted
 * before. The watch of dependents may be ahead of that of the owners. A run that makes the dependent again would then go on with the
 * collector until the cache of the owners has caught up.
 */
export class DoubtfulObjects {
  readonly #keys = new Set<string>();

  /**
   * Whether there is a doubt. The reasons of a run say whether a dependent was deleted; a run that fails and is repeated has other
   * reasons, so it is kept.
   */
  note(key: string, reasons: readonly ReconcileReason[]): boolean {
    const isOne = ({ type, via }: ReconcileReason): boolean =>
      type === 'deleted' && via === 'owned';
    if (reasons.some(isOne)) this.#keys.add(key);
    return this.#keys.has(key);
  }

  /** The object is not in the cache, or is being deleted there. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /**
   * Whether an object of the cache is there on the server, and not being deleted. If not, the watch brings the next run.
   * @throws what the list throws.
   */
  async isThere(
    key: string,
    { metadata }: Stored<KubernetesObject>,
    resource: Lists,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<boolean> {
    const fieldSelector = `metadata.name=${metadata.name}`;
    const { items } = await resource.list({ fieldSelector, signal });
    const isSame = items.some(
      ({ metadata: { uid, deletionTimestamp } }) =>
        uid === metadata.uid && deletionTimestamp === undefined,
    );
    if (isSame) this.#keys.delete(key);
    return isSame;
  }
}
