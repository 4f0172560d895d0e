/**
 * The built-in kinds of Kubernetes as TypeScript types, without any run time. Each type is under its own name, and in the namespace of its
 * group and version: `Pod` is also `CoreV1.Pod`. A name that two groups have is that of the core, or of the first group in the order
 * below; the others are in their namespaces: `EventsV1.Event`.
 *
 * They are the forms that a client sends: fields are optional where the API allows it. What a server answers is a `Stored` form of
 * them, whose name, uid and resourceVersion are there.
 */
export type * from './built-in/kind-names.ts';
export type { BuiltInResources } from './built-in/built-in-resource-map.ts';
export type { KnownResources } from './known-resources.ts';
