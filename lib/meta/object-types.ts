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

/**
 * `Types` itself. As a mapped type it makes TypeScript compare those who carry it member by member and not by variance, so
 * that code with declared types can hand them to code without.
 */
export type DeclaredTypes<Types extends object> = {
  readonly [Resource in keyof Types]: Types[Resource];
};
