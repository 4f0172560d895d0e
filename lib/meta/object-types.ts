import type { KnownResources } from '../types/known-resources.ts';
import type { KubernetesObject, UnstructuredObject } from './object.ts';

/**
 * The object type of a resource: from a map that a program declares once, `{ 'v1/pods': Pod; 'apps/v1/deployments': Deployment }`, else
 * from `KnownResources`. Other resources have unstructured objects.
 */
export type ObjectOf<
  Types extends object,
  ApiVersion extends string,
  Resource extends string,
> = `${ApiVersion}/${Resource}` extends keyof Types
  ? Types[`${ApiVersion}/${Resource}`] extends infer T extends KubernetesObject
    ? T
    : never
  : ApiVersion extends keyof KnownResources
    ? Resource extends keyof KnownResources[ApiVersion]
      ? KnownResources[ApiVersion][Resource] extends infer T extends KubernetesObject
        ? T
        : never
      : UnstructuredObject
    : UnstructuredObject;

/**
 * The plurals of an API version. Those of a version in `KnownResources` are known, together with the ones that `Types` declares; so are
 * those of another version of which `Types` declares some. Other versions have any.
 */
export type PluralOf<
  Types extends object,
  ApiVersion extends string,
> = ApiVersion extends keyof KnownResources
  ? (keyof KnownResources[ApiVersion] & string) | DeclaredPlural<keyof Types, ApiVersion>
  : string extends ApiVersion
    ? string
    : [DeclaredPlural<keyof Types, ApiVersion>] extends [never]
      ? string
      : DeclaredPlural<keyof Types, ApiVersion>;

type DeclaredPlural<Key, ApiVersion extends string> = Key extends `${ApiVersion}/${infer Plural}`
  ? Plural
  : never;

/**
 * The plural in a call that names the type of its objects, as in `resource<Widget>('example.com/v1', 'widgets')`, or that has it in a
 * variable. With a type argument the compiler does not infer `Plural`, so it is `string`. A call without one, whose plural is not of a known
 * API version, is shown the text. With `Known`, it is the plural of a last overload that accepts nothing more: the compiler explains the last
 * one, and shows the options that are wrong, and not a plural that is right.
 */
export type OtherPlural<Plural extends string, Known extends string = never> = string extends Plural
  ? Plural
  : Plural extends Known
    ? Plural
    : 'a plural of this API version; another one needs a type argument';

/**
 * `Types` itself. Because it is a mapped type, TypeScript compares classes that use it member by member and not by variance.
 * Code with declared types can therefore pass such objects to code without them.
 */
export type DeclaredTypes<Types extends object> = {
  readonly [Resource in keyof Types]: Types[Resource];
};
