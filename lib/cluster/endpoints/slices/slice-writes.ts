import type { ControllerContext } from '../../../controller/builder/run/controller-context.ts';
import { isNotFound } from '../../../meta/failure/failures.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { EndpointSlice } from '../../../types/built-in/discovery-v1-kinds.ts';
import { failureMessage, isNamespaceEnding } from '../../ownership/failure-message.ts';

export interface SliceWrites {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly Stored<EndpointSlice>[];
}

/**
 * Creates, updates and deletes slices of an owner, such as `Service shop/web`. Creations come first, so that no client sees fewer endpoints
 * than there are. `failed` gets the failure in the words of Kubernetes, before it is thrown.
 * @throws {ApiError} of the first write that fails.
 */
export async function writeSlices(
  { create, update, remove }: SliceWrites,
  owner: string,
  { resource }: Pick<ControllerContext, 'resource'>,
  failed: (problem: string) => void = () => {},
): Promise<void> {
  const all = resource('discovery.k8s.io/v1', 'endpointslices');
  let what = '';
  try {
    for (const slice of create) {
      what = `create EndpointSlice for ${owner}`;
      await all.create(slice);
    }
    for (const slice of update) {
      what = `update ${slice.metadata?.name} EndpointSlice for ${owner}`;
      await all.update(slice);
    }
    for (const { metadata } of remove) {
      what = `delete ${metadata.name} EndpointSlice for ${owner}`;
      await all.delete(metadata.name).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  } catch (error) {
    if (isNamespaceEnding(error)) return;
    failed(`failed to ${what}: ${failureMessage(error)}`);
    throw error;
  }
}
