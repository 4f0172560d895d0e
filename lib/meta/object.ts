/** `metadata` of an object: the fields that the package reads. Other fields are passed on unchanged. */
export interface ObjectMeta {
  readonly name?: string | undefined;
  readonly generateName?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  /** RFC 3339, second precision. */
  readonly creationTimestamp?: string | Date | undefined;
  readonly deletionTimestamp?: string | Date | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: { readonly [key: string]: string } | undefined;
  readonly annotations?: { readonly [key: string]: string } | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** Anything that has `metadata`: an object, or a view of one. Keys and selectors read nothing else. */
export interface HasMetadata {
  readonly metadata?: ObjectMeta | undefined;
}

/**
 * The minimum of a Kubernetes object. It is a structural constraint, so types of `kubernetes-types`, of
 * `@kubernetes/client-node` and generated CRD types all fit without a cast.
 */
export interface KubernetesObject extends HasMetadata {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
}

/** An object of a kind not known at compile time. */
export interface UnstructuredObject extends KubernetesObject {
  readonly [field: string]: unknown;
}

/** `metadata` of a list response. */
export interface ListMeta {
  readonly resourceVersion?: string | undefined;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  /** The shards that the server has chosen by `shardSelector`. */
  readonly shardInfo?: { readonly selector: string } | undefined;
}

/** A list response on the wire. */
export interface KubernetesList<T extends KubernetesObject = UnstructuredObject> {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ListMeta | undefined;
  readonly items: readonly T[];
}

/** The owner that manages the object, if it has one (`controller: true`). */
export function controllerOf(object: HasMetadata): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((owner) => owner.controller === true);
}
