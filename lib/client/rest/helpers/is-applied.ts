import type { ApplyConfiguration } from '../../../meta/apply-configuration.ts';
import { sameContent } from '../../../meta/content/same-content.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { appliedBy } from './applied-by.ts';

export interface IsAppliedOptions {
  readonly manager: string;
  /** @defaultValue the object itself */
  readonly subresource?: string | undefined;
}

/**
 * Whether an apply of `part` would change nothing: the manager has applied these fields of the object and no others, and they still
 * have these values. An object without managed fields, as a cache of some fields has it, counts as not applied.
 */
export function isApplied<T extends KubernetesObject>(
  object: T,
  part: ApplyConfiguration<T>,
  { manager, subresource }: IsAppliedOptions,
): boolean {
  const applied = appliedBy(object, manager, { subresource });
  if (applied === undefined) return false;
  const { namespace } = object.metadata ?? {};
  const metadata = namespace === undefined ? part.metadata : { namespace, ...part.metadata };
  return sameContent({ ...part, metadata }, applied);
}
