import type { KubernetesObject, UnstructuredObject } from './object.ts';

/**
 * The type of a resource's objects, from a map that a program declares once: `{ 'v1/pods': Pod; 'apps/v1/deployments': Deployment }`.
 * A resource that the map lacks is unstructured.
 */
export type ObjectOf<
  Types extends object,
  ApiVersion extends string,
  Resource extends string,
> = `${ApiVersion}/${Resource}` extends keyof Types
  ? Types[`${ApiVersion}/${Resource}`] extends infer T extends KubernetesObject
    ? T
    : never
  : UnstructuredObject;
