import type { KubernetesObject, UnstructuredObject } from './object.ts';

/**
 * The object type of a resource, from a map that a program declares once: `{ 'v1/pods': Pod; 'apps/v1/deployments': Deployment }`.
 * A resource that is not in the map has unstructured objects.
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
 * `Types` itself. Because it is a mapped type, TypeScript compares classes that use it member by member and not by variance.
 * Code with declared types can therefore pass such objects to code without them.
 */
export type DeclaredTypes<Types extends object> = {
  readonly [Resource in keyof Types]: Types[Resource];
};
