import type { DeleteCollectionOptions, DeleteOptions } from './resource-options.ts';

/** The `DeleteOptions` that a deletion sends. */
export function deleteBody(options: DeleteOptions | DeleteCollectionOptions): object {
  const { propagationPolicy, gracePeriodSeconds, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: 'preconditions' in options ? options.preconditions : undefined,
    propagationPolicy,
    gracePeriodSeconds,
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}
