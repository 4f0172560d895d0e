import type { KubernetesObject } from '../../../meta/object.ts';
import type { Admitted } from './admission-context.ts';

/**
 * The result of a conversion: the object in the other version. `apiVersion` and `kind` are set for it. Of `metadata`, only labels and
 * annotations may change; left out, it stays.
 */
export type Converted<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & KubernetesObject;

/** Gets an object of its own, which it may change and return. */
export type Convert<From extends KubernetesObject, To extends KubernetesObject> = (
  object: Admitted<From>,
) => Converted<To> | Promise<Converted<To>>;

/** The conversion of one version into the hub and back. */
export interface ConversionOptions<
  Version extends KubernetesObject,
  Hub extends KubernetesObject,
  HubVersion extends string = string,
> {
  /** The version through which all others are converted, e.g. `example.com/v2`; mostly the stored one. */
  readonly hub: HubVersion;
  readonly toHub: Convert<Version, Hub>;
  readonly fromHub: Convert<Hub, Version>;
}
