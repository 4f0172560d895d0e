import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { AccessParts } from './access-parts.ts';
import type { NodeConnector } from './node-connector.ts';
import type { ObjectStore } from './object-store.ts';
import type { RestStorage } from './rest-storage.ts';
import type { UpdateStrategy } from './strategy.ts';

/** The parts that resources without stored objects use. */
export interface ServerParts {
  /** The minor version of Kubernetes that the server is. */
  readonly minor: KubernetesMinor;
  readonly runtime: Runtime;
  /** The objects of a kind; undefined when it is not served. To be called for each request: it knows all kinds only after the start. */
  readonly storeOf: (group: string, resource: string) => ObjectStore | undefined;
  readonly access: AccessParts;
  readonly nodes: NodeConnector;
}

/** The parts from which the subresources of a kind are made. */
export interface SubresourceParts extends ServerParts {
  /** The objects of the kind. */
  readonly store: ObjectStore;
  /** The strategy of the `status` subresource. */
  readonly statusStrategy: UpdateStrategy | undefined;
}

/** Makes the subresources of a kind besides `status` and `scale`, by name. */
export type SubresourceFactory = (parts: SubresourceParts) => Readonly<Record<string, RestStorage>>;

/** Makes a resource without stored objects, such as `tokenreviews`. */
export type VirtualResource = (parts: ServerParts) => RestStorage;
