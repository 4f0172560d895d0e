import type { KubernetesObject } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { ControllerContext, GoneContext } from './controller-context.ts';
import type { ControllerResult } from './controller-result.ts';
import type { GoneObject } from './gone-objects.ts';

/**
 * Brings the world closer to what the object says. It gets the object as the cache has it, reads everything else itself, and may run
 * any number of times for one state. It must not change the object.
 */
export type ReconcileObject<T extends KubernetesObject, Types extends object = object> = (
  object: Stored<T>,
  context: ControllerContext<Types>,
  // `void` allows an async function without a return statement.
  // oxlint-disable-next-line typescript/no-invalid-void-type
) => Promise<ControllerResult<T> | void>;

/**
 * Undoes what was done for an object that is being deleted. It runs until it has succeeded once, and again after a restart of
 * the program in between. When it returns, the finalizer is removed, unless it returns `requeueAfterMs`: then it has not finished, and runs
 * again after that time, or after a change that matters.
 */
export type CleanUp<T extends KubernetesObject, Types extends object = object> = ReconcileObject<
  T,
  Types
>;

/**
 * A long task of one object, which ends when the signal of the context aborts: when the object is being deleted, or the controller stops.
 * `current` is the object as the cache has it then.
 */
export type DaemonWork<T extends KubernetesObject, Types extends object = object> = (
  object: Stored<T>,
  context: ControllerContext<Types> & { readonly current: () => Stored<T> | undefined },
) => Promise<void>;

/** Called for a key that has no object (any more). It may run any number of times. */
export type WhenGone<T extends KubernetesObject, Types extends object = object> = (
  gone: GoneObject<T>,
  context: GoneContext<Types>,
  // oxlint-disable-next-line typescript/no-invalid-void-type
) => Promise<Pick<ControllerResult<T>, 'requeueAfterMs'> | void>;

/** A finalizer, and the work that has to be done before an object may go. */
export interface Finalizer<T extends KubernetesObject, Types extends object> {
  readonly name: string;
  readonly cleanUp: CleanUp<T, Types>;
}

/** The functions of the author of a controller. */
export interface AuthorFunctions<T extends KubernetesObject, Types extends object> {
  readonly reconcile: ReconcileObject<T, Types>;
  readonly finalizers: readonly Finalizer<T, Types>[];
  readonly whenGone: WhenGone<T, Types> | undefined;
}
