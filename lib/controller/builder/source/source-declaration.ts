import type { InformerForOptions } from '../../../cache/informer/factory/informer-request.ts';
import type { SharedInformerFactory } from '../../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../client/rest/client.ts';
import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { Predicate } from '../../change/predicates.ts';
import type { ChangeMapping, SourceRole } from './controller-source.ts';

/** The controller's own kind, as mappings see it: from the cache. */
export interface OwnKind {
  metadata(key: string): ObjectMeta | undefined;
  indexKeys(index: string, value: string): readonly string[];
}

/** Another cluster whose objects a controller watches. */
export interface OtherCluster<Types extends object = object> {
  /** Names it in messages, and where the context reads its objects: a word without a colon. */
  readonly name: string;
  readonly client: Client<Types>;
  /** Informers of that client, shared with other controllers. @defaultValue informers of the controller */
  readonly informers?: SharedInformerFactory | undefined;
}

/** One resource that a controller watches, before it runs. */
export interface SourceDeclaration {
  readonly role: SourceRole;
  /** Distinguishes it from other declarations of the resource. */
  readonly name: string | undefined;
  readonly apiVersion: string;
  readonly resource: string;
  readonly cluster: OtherCluster | undefined;
  /** Its own namespaces; undefined: those of the controller. */
  readonly namespaces: 'all' | readonly string[] | undefined;
  readonly informer: InformerForOptions<KubernetesObject>;
  readonly predicates: readonly Predicate[];
  readonly mapping: (own: OwnKind) => ChangeMapping<KubernetesObject>;
}

/** The name of a source: `apps/v1/deployments`, or `east:apps/v1/deployments` in another cluster. */
export function sourceName(
  { apiVersion, resource }: { readonly apiVersion: string; readonly resource: string },
  cluster?: string,
): string {
  const name = `${apiVersion}/${resource}`;
  return cluster === undefined ? name : `${cluster}:${name}`;
}
