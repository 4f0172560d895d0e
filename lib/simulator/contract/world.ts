import type { Client } from '../../client/rest/client.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { SimulatedController } from './simulated-controller.ts';

/** The cluster that a run starts from. */
export interface World<Types extends object = object> {
  /**
   * Objects that exist before anything runs, as YAML text or as objects: definitions of custom resources first. Namespaces that
   * they name are made.
   * @defaultValue none, besides the namespace `default`
   */
  readonly objects?: string | readonly KubernetesObject[] | undefined;
  /**
   * Programs that belong to the cluster, as the controllers of StatefulSets and pods do: no fault reaches them.
   * @defaultValue none; garbage collection and the deletion of namespaces always run
   */
  readonly environment?: readonly SimulatedController<Types>[] | undefined;
}

/** The committed state of the API server at one revision. Objects are frozen. */
export interface ClusterState {
  /** The object, or undefined. `namespace` is empty for resources of the cluster. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the kind, as with client.resource<T>.
  get<T extends KubernetesObject = KubernetesObject>(
    apiVersion: string,
    resource: string,
    name: string,
    namespace?: string,
  ): T | undefined;
  /** The objects of all namespaces, or of one, sorted by namespace and name. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the kind, as with client.resource<T>.
  list<T extends KubernetesObject = KubernetesObject>(
    apiVersion: string,
    resource: string,
    namespace?: string,
  ): readonly T[];
  /** The resource version of the newest write. */
  readonly resourceVersion: string;
  /** Virtual milliseconds since the start of the run. */
  readonly elapsedMs: number;
}

/**
 * One step of the user of the cluster. Steps follow each other on conditions, never on times: otherwise a slow but correct
 * controller looks wrong.
 */
export interface WorkloadStep<Types extends object = object> {
  /** Names the step in the story of a run. */
  readonly title: string;
  /** Performs the step. Its requests meet no fault. */
  act(user: Client<Types>): Promise<void>;
  /**
   * The next step begins when this holds.
   * @defaultValue when the controllers have been idle
   */
  readonly until?: ((state: ClusterState) => boolean) | undefined;
}

/** What must hold in every run. */
export type Invariant =
  | {
      readonly name: string;
      /** Checked after each write. Returns the reason why the state is wrong, or undefined. */
      readonly always: (state: ClusterState) => string | undefined;
    }
  | {
      readonly name: string;
      /** Must hold at some time within `withinMs` after the last step and the last fault, and from then on. */
      readonly eventually: (state: ClusterState) => boolean;
      /** Virtual milliseconds. @defaultValue 600 000 */
      readonly withinMs?: number | undefined;
    };
