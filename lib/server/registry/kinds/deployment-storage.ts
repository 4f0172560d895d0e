import { ListwatchError } from '../../../kernel/errors.ts';
import {
  GenericRegistryStore,
  type GenericRegistryStoreOptions,
} from '../generic-registry-store.ts';
import type { RestStorage } from '../contract/rest-storage.ts';
import { newRestStorages } from '../rest-storages.ts';
import { deployments } from './apps.ts';

/** The REST storages of deployments: one store, three views of it. */
export interface DeploymentStorage {
  readonly deployment: RestStorage;
  readonly status: RestStorage;
  readonly scale: RestStorage;
}

/**
 * The REST storages of deployments over a storage of one's own, as they stand behind `apps/v1` of a whole server. All kinds
 * are put together this way; see `newRestStorages`.
 */
export function newDeploymentStorage(
  options: Omit<GenericRegistryStoreOptions, 'kind'>,
): DeploymentStorage {
  const kind = deployments;
  const { store, status, scale } = newRestStorages(
    kind,
    new GenericRegistryStore({ ...options, kind }),
  );
  if (status === undefined || scale === undefined) {
    throw new ListwatchError('ASSERTION', 'deployments have a status and a scale subresource');
  }
  return { deployment: store, status, scale };
}
