import { groupResource } from './resource.ts';

/** A resource type as it is written in a manifest and in a URL: `apps/v1`, `deployments`. */
export interface ResourceName {
  /** `v1` or `apps/v1`. */
  readonly apiVersion: string;
  /** Lower-case plural. */
  readonly resource: string;
}

/** Selects objects of a resource, and which part of them is read. An option that is left out does not restrict. */
export interface CollectionOptions {
  /** Leave out for all namespaces, or for a cluster-scoped resource. */
  readonly namespace?: string | undefined;
  /** E.g. `app=web,tier!=cache`. */
  readonly labelSelector?: string | undefined;
  /** E.g. `spec.nodeName=node-1`. */
  readonly fieldSelector?: string | undefined;
  /**
   * Some shards of the collection: see `shardSelector`. A server without shards sends all objects; the client leaves out the others.
   *
   * @experimental
   */
  readonly shardSelector?: string | undefined;
  /** Reads only the metadata of each object, as `PartialObjectMetadata`. @defaultValue false */
  readonly metadataOnly?: boolean | undefined;
  /**
   * Whether objects have `metadata.managedFields`, which are a fifth of a pod and more. With `false` the server is asked to leave them out;
   * a server that does not know how, such as Kubernetes before 1.38, sends them, and the client leaves them out. `appliedBy`, and `apply` with
   * `current`, need them. @defaultValue true; informers with `fields` keep none, and ask for none
   */
  readonly managedFields?: boolean | undefined;
}

/** A reader of a collection of a client. */
export interface CollectionReader extends ResourceName, CollectionOptions {
  /** `source`: an informer, or another reader of a source. `call`: calls of `list`, `items` and `watch`. */
  readonly by: 'source' | 'call';
}

/** E.g. `deployments.apps in namespace shop with labels app=web`. */
export function describeCollection(
  resource: { readonly group: string; readonly resource: string },
  {
    namespace = '',
    labelSelector = '',
    fieldSelector = '',
    shardSelector = '',
    metadataOnly,
    managedFields,
  }: CollectionOptions,
): string {
  let text = groupResource(resource);
  if (namespace !== '') text += ` in namespace ${namespace}`;
  if (labelSelector !== '') text += ` with labels ${labelSelector}`;
  if (fieldSelector !== '') text += ` with fields ${fieldSelector}`;
  if (shardSelector !== '') text += ` in ${shardSelector}`;
  if (metadataOnly === true) text += ', metadata only';
  if (managedFields === false) text += ', without managed fields';
  return text;
}
