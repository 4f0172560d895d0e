import type { UnstructuredObject } from '../../meta/object.ts';
import type { StorageInterface } from '../storage/contract/storage-interface.ts';
import type { ResourceDescription } from './contract/rest-storage.ts';

/**
 * The storage of one resource. If it is disposable, because it has a running watch cache, it is disposed of when the resource is
 * removed, or with the registry.
 */
export type ResourceStorage = StorageInterface<UnstructuredObject> &
  Partial<AsyncDisposable> & {
    /** The storage behind a watch cache that is made for its first reader, for those that need none. */
    readonly uncached?: StorageInterface<UnstructuredObject> | undefined;
  };

/**
 * Makes the storage of a resource: raw, or with a cache in front of it.
 * Its keys start with `keyRoot` and a slash: `/registry/pods`, `/registry/example.io/widgets`.
 */
export type StorageFactory = (description: ResourceDescription, keyRoot: string) => ResourceStorage;
