import type { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../client/rest/client.ts';
import type { ClusterParts } from './cluster-parts.ts';

/** The parts that every controller of workloads uses. */
export interface WorkloadParts extends ClusterParts {
  /** Calls in the name of the component that the controller belongs to. */
  readonly client: Client;
  /** Started, and shared: a collection is watched and held once for all controllers, so none of them asks for a selector or for fields. */
  readonly informers: SharedInformerFactory;
}
