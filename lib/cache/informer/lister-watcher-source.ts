import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectView } from '../../meta/object-view.ts';
import type { ListerWatcher } from '../reflector/lister-watcher.ts';

/** A resource type as it stands in a manifest and in a URL: `apps/v1`, `deployments`. */
export interface ResourceReference {
  readonly apiVersion: string;
  /** Lower-case plural. */
  readonly resource: string;
}

/** Which objects of a resource; everything left out matches all. */
export interface CollectionOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Where informers get their collections from: a client, or straight the storage of an embedded server. */
export interface ListerWatcherSource {
  listerWatcher<T extends KubernetesObject>(
    resource: ResourceReference,
    options?: CollectionOptions,
  ): ListerWatcher<ObjectView<T>>;
}
