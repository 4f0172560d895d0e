/** A resource type as it stands in a manifest and in a URL: `apps/v1`, `deployments`. */
export interface ResourceName {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** Lower-case plural. */
  readonly resource: string;
}

/** Which objects of a resource; everything left out matches all. */
export interface CollectionOptions {
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /** E.g. `app=web,tier!=cache`. */
  readonly labelSelector?: string | undefined;
  /** E.g. `spec.nodeName=node-1`. */
  readonly fieldSelector?: string | undefined;
}
