import type { CollectionOptions, ResourceName } from '../../../meta/collection-options.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { DeclaredTypes } from '../../../meta/object-types.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { ListerWatcher } from '../../reflector/contract/lister-watcher.ts';

/**
 * The source of the collections of informers: a client, or the storage of an embedded server. `Types` declares the types of
 * the objects; see `ObjectOf`.
 */
export interface ListerWatcherSource<Types extends object = object> {
  /** Exists only for the compiler, which infers `Types` from it. It is never called. */
  acceptsTypes?(types: DeclaredTypes<Types>): void;
  listerWatcher<T extends KubernetesObject>(
    resource: ResourceName,
    options?: CollectionOptions,
  ): ListerWatcher<ObjectView<T>>;
}
