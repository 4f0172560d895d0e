import type { Client } from '../../client/rest/client.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../meta/object-types.ts';
import type { SimulatedController } from './simulated-controller.ts';

/**
 * The cluster that a run starts from.
 *
 * @experimental
 */
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

/**
 * The committed state of the API server at one revision. Objects are frozen. Those of built-in resources, of those in `Types` and of those in
 * `KnownResources` have their types; for others a call names one, as with `Client.resource`.
 *
 * @experimental
 */
export interface ClusterState<Types extends object = object> {
  /** The object, or undefined. `namespace` is left out for resources of the cluster. */
  get<ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    name: string,
    namespace?: string,
  ): ObjectOf<Types, ApiVersion, Resource> | undefined;
  get<T extends KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    name: string,
    namespace?: string,
  ): NoInfer<T> | undefined;
  /** The objects of all namespaces, or of one, sorted by namespace and name. */
  list<ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    namespace?: string,
  ): readonly ObjectOf<Types, ApiVersion, Resource>[];
  list<T extends KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    namespace?: string,
  ): readonly NoInfer<T>[];
  /** The resource version of the newest write. */
  readonly resourceVersion: string;
  /** Virtual milliseconds since the start of the run. */
  readonly elapsedMs: number;
}

/**
 * One step of the user of the cluster. Steps follow each other on conditions, never on times: otherwise a slow but correct
 * controller looks wrong.
 *
 * @experimental
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
  readonly until?: ((state: ClusterState<Types>) => boolean) | undefined;
}

/**
 * A condition that must hold in every run.
 *
 * @experimental
 */
export type Invariant<Types extends object = object> =
  | {
      readonly name: string;
      /** Checked after each write. Returns the reason why the state is wrong, or undefined. */
      readonly always: (state: ClusterState<Types>) => string | undefined;
    }
  | {
      readonly name: string;
      /** Must hold at some time within `withinMs` after the last step and the last fault, and from then on. */
      readonly eventually: (state: ClusterState<Types>) => boolean;
      /** Virtual milliseconds. @defaultValue 600 000 */
      readonly withinMs?: number | undefined;
    };
