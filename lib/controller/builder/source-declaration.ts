import type { InformerForOptions } from '../../cache/informer/factory/informer-request.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { Predicate } from '../change/predicates.ts';
import type { ChangeMapping } from './controller-source.ts';

/** Metadata of an object of the controller's own kind, from the cache. */
export type OwnMetadata = (key: string) => ObjectMeta | undefined;

/** One resource that a controller watches, before it runs. */
export interface SourceDeclaration {
  readonly apiVersion: string;
  readonly resource: string;
  readonly informer: InformerForOptions<KubernetesObject>;
  readonly predicates: readonly Predicate[];
  readonly mapping: (own: OwnMetadata) => ChangeMapping<KubernetesObject>;
}
