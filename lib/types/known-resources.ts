import type { BuiltInResources } from './built-in/built-in-resource-map.ts';

/**
 * The types of objects by API version and plural: those of the built-in resources, and those that a program adds. Clients and informer
 * factories look the type of a resource up here. `listwatch types` writes such an addition for custom resources:
 *
 * @example
 * declare module 'listwatch' {
 *   interface KnownResources {
 *     'example.com/v1': { widgets: Widget };
 *   }
 * }
 */
export interface KnownResources extends BuiltInResources {}
