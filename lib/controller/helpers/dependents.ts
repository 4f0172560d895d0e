import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
} from '../../client/rest/request/resource-options.ts';
import type { ApplyConfiguration } from '../../meta/apply-configuration.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';

/** The calls that a dependent needs of its resource. */
export interface ReadsAndApplies<T extends KubernetesObject> {
  get(name: string, options: CallOptions): Promise<Stored<T>>;
  apply(object: ApplyConfiguration<T>, options: ApplyOptions): Promise<unknown>;
  delete(name: string, options: DeleteOptions): Promise<unknown>;
}

export interface DependentOptions<T extends KubernetesObject> {
  /** It is applied when all of these are ready, and they are deleted when it is gone. @defaultValue none */
  readonly after?: readonly Dependent[] | undefined;
  /** Whether what comes after it may be applied. @defaultValue it is there */
  readonly isReady?: ((object: Stored<T>) => boolean) | undefined;
}

/** An object that another one needs, with its place in the order. Made by `dependent(…)`. */
export interface Dependent {
  /** E.g. `Deployment "web"`. */
  readonly name: string;
  readonly after: readonly Dependent[];
  /** Applies the object; resolves to whether it is ready. */
  readonly apply: (signal: AbortSignal) => Promise<boolean>;
  /** Deletes the object; resolves to whether it is gone. */
  readonly delete: (signal: AbortSignal) => Promise<boolean>;
}

export interface DependentsCall {
  /** Goes with every request. */
  readonly signal: AbortSignal;
}

/** The pending dependents; their watches bring the next run. */
export interface DependentsReport {
  /** Whether all are there and ready; after a deletion, whether all are gone. */
  readonly done: boolean;
  /** Those that are not ready, or not gone. */
  readonly pending: readonly string[];
  /** Those that were not touched, because they wait for the pending ones. */
  readonly waiting: readonly string[];
}

/**
 * Declares an object that a reconcile needs.
 *
 * @example
 * const database = dependent(resource('apps/v1', 'deployments'), own(databaseOf(shop)), {
 *   isReady: (found) => isConditionTrue(found, 'Available'),
 * });
 * const web = dependent(resource('apps/v1', 'deployments'), own(webOf(shop)), { after: [database] });
 * const { done } = await applyDependents([database, web], { signal });
 */
export function dependent<T extends KubernetesObject>(
  resource: ReadsAndApplies<T>,
  object: ApplyConfiguration<T>,
  { after = [], isReady = () => true }: DependentOptions<NoInfer<T>> = {},
): Dependent {
  const { kind, metadata } = object;
  const { name } = metadata;
  return {
    name: `${kind} ${JSON.stringify(name)}`,
    after: [...after],
    apply: async (signal) => {
      const applied = (await resource.apply(object, { signal })) as Stored<T>;
      return isReady(applied);
    },
    delete: async (signal) => {
      try {
        await resource.delete(name, { signal, propagationPolicy: 'Background' });
        await resource.get(name, { signal });
        return false;
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    },
  };
}

/**
 * Applies objects in their order, each when all that it comes after are ready. Objects that do not depend on each other are applied even
 * if one of them fails. It waits for nothing: declare the resources with `owns`, so that a change of an object brings the next run.
 * @throws the first failure, after the others were applied.
 */
export async function applyDependents(
  dependents: readonly Dependent[],
  { signal }: DependentsCall,
): Promise<DependentsReport> {
  const order = withPrerequisites(dependents);
  return await walk(
    order,
    ({ after }) => after,
    (one) => one.apply(signal),
  );
}

/**
 * Deletes objects in the reverse order, each when all that come after it are gone. For the cleanup of a `finalizer`, which returns
 * `requeueAfterMs` until it is done.
 * @throws the first failure, after the others were deleted.
 */
export async function deleteDependents(
  dependents: readonly Dependent[],
  { signal }: DependentsCall,
): Promise<DependentsReport> {
  const order = withPrerequisites(dependents);
  const before = (one: Dependent): readonly Dependent[] =>
    order.filter(({ after }) => after.includes(one));
  return await walk(order.toReversed(), before, (one) => one.delete(signal));
}

async function walk(
  order: readonly Dependent[],
  prerequisites: (one: Dependent) => readonly Dependent[],
  act: (one: Dependent) => Promise<boolean>,
): Promise<DependentsReport> {
  const done = new Set<Dependent>();
  const pending: string[] = [];
  const waiting: string[] = [];
  const failures: unknown[] = [];
  for (const one of order) {
    if (prerequisites(one).every((other) => done.has(other))) {
      try {
        if (await act(one)) done.add(one);
        else pending.push(one.name);
      } catch (error) {
        failures.push(error);
      }
    } else {
      waiting.push(one.name);
    }
  }
  if (failures.length > 0) throw failures[0];
  return { done: done.size === order.length, pending, waiting };
}

/** The objects that an object comes after exist before it, so there are no cycles. */
function withPrerequisites(dependents: readonly Dependent[]): readonly Dependent[] {
  const order = new Set<Dependent>();
  const add = (one: Dependent): void => {
    if (order.has(one)) return;
    for (const other of one.after) add(other);
    order.add(one);
  };
  for (const one of dependents) add(one);
  return [...order];
}
