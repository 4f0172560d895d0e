import type { Lister } from '../../../cache/store/lister.ts';
import type { ResourceClient } from '../../../client/rest/resource-client.ts';
import type { ObjectOf, OtherPlural, PluralOf } from '../../../meta/object-types.ts';
import type { HasMetadata, KubernetesObject, OwnerReference } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { NewEvent } from '../../events/event-sink.ts';
import type { Handled } from '../../helpers/handled-state.ts';
import type { OwnerOptions } from '../../helpers/owner-references.ts';
import type { ReconcileReason } from '../../change/reconcile-reasons.ts';

/**
 * The context of a reconcile; it can be destructured. `Types` declares the types of custom resources, as for
 * `Client`.
 */
export interface ControllerContext<Types extends object = object> {
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
  /** Failures in a row before this run. */
  readonly failures: number;
  /** Why this run takes place, the oldest reason first; at most five. */
  readonly reasons: readonly ReconcileReason[];
  /**
   * Aborts when the controller stops, and when the run takes longer than `timeoutMs`. Calls through `resource` have it by themselves; pass it
   * on to everything else that waits.
   */
  readonly signal: AbortSignal;
  /** The reference by which this object owns another one as its controller; it goes into `metadata.ownerReferences`. */
  readonly ownerReference: OwnerReference;
  /**
   * A copy of an object with `ownerReference` in its metadata; other owners stay.
   * @throws {ListwatchError} code OWNER_REFUSED for an object of another namespace, and for one that another object controls.
   */
  readonly own: OwnObject;
  /**
   * Reports an event about the object, or about another one, as `kubectl describe` shows it. It returns at once and never throws; see
   * `EventRecorder`.
   * @example
   * event({ reason: 'Published', note: 'the page is there' });
   */
  readonly event: (event: NewEvent, about?: KubernetesObject) => void;

  /**
   * The changes of the object since its last reconcile that did not fail; all of it, if there was none.
   * @throws {ListwatchError} code INVALID_OPTION without `remembers`.
   */
  readonly handled: Handled;

  /**
   * The verbs of a resource, in the namespace of the object, or in the named one. Caches of the controller show the answers of its
   * writes at once, and these writes are no reason for another run. `apply` takes the fields that it names from other managers, so that it
   * repairs what somebody has edited; with `force: false` it fails with APPLY_CONFLICT instead.
   */
  readonly resource: ResourceOfController<Types>;
  /**
   * The objects of a resource that this object owns, from the cache, in no promised order.
   * @throws {ListwatchError} code INVALID_OPTION for a resource that the controller does not own.
   */
  readonly owned: OwnedObjects<Types>;
  /**
   * The cache of a resource of the controller. Option `source` is the option `name` of a declaration, where several have other objects.
   * @throws {ListwatchError} code INVALID_OPTION for a resource that the controller does not watch, and for one that it watches with several
   * scopes when none is named.
   */
  readonly lister: ListerOfController<Types>;
  /**
   * The objects of a resource of the controller that have a value in one of its `indexers`, from the cache.
   * @throws {ListwatchError} code UNKNOWN_INDEX; INVALID_OPTION for a resource that the controller does not watch.
   */
  readonly byIndex: ObjectsByIndex<Types>;
}

/** The cluster of a resource that was declared with option `cluster`. */
export interface InCluster {
  readonly cluster?: string | undefined;
}

/** The context of `whenGone`. There is no object, so nothing can be owned by it; what it owned is there until it is collected. */
export type GoneContext<Types extends object = object> = Omit<
  ControllerContext<Types>,
  'ownerReference' | 'own' | 'event' | 'handled'
>;

export interface OwnObject {
  /** Where no type is expected: of the type of the object. The condition has no name, because the compiler infers `Expected` from one. */
  <U extends HasMetadata, Expected = U>(
    object: U &
      ([Expected] extends [U]
        ? [U] extends [Expected]
          ? unknown
          : never
        : unknown extends Expected
          ? unknown
          : never),
    options?: OwnerOptions,
  ): Expected;
  /** Where a type is expected, as in `apply(own({ … }))`: of that type. A field that it does not have does not compile. */
  <U = HasMetadata>(object: NoInfer<U>, options?: OwnerOptions): U;
}

export interface ResourceOfController<Types extends object> {
  <ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    options?: InCluster & { readonly namespace?: string | undefined },
  ): ResourceClient<ObjectOf<Types, ApiVersion, Resource>>;
  <T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options?: InCluster & { readonly namespace?: string | undefined },
  ): ResourceClient<NoInfer<T>>;
}

export interface OwnedObjects<Types extends object> {
  <ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
  ): readonly Stored<ObjectOf<Types, ApiVersion, Resource>>[];
  <T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
  ): readonly Stored<NoInfer<T>>[];
}

export interface ListerOfController<Types extends object> {
  <ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    options?: InCluster & { readonly source?: string | undefined },
  ): Lister<Stored<ObjectOf<Types, ApiVersion, Resource>>>;
  <T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    options?: InCluster & { readonly source?: string | undefined },
  ): Lister<Stored<NoInfer<T>>>;
}

export interface ObjectsByIndex<Types extends object> {
  <ApiVersion extends string, Resource extends PluralOf<Types, ApiVersion>>(
    apiVersion: ApiVersion,
    resource: Resource,
    index: string,
    value: string,
    options?: InCluster & { readonly source?: string | undefined },
  ): readonly Stored<ObjectOf<Types, ApiVersion, Resource>>[];
  <T extends KubernetesObject = KubernetesObject, Plural extends string = string>(
    apiVersion: string,
    resource: OtherPlural<Plural>,
    index: string,
    value: string,
    options?: InCluster & { readonly source?: string | undefined },
  ): readonly Stored<NoInfer<T>>[];
}
