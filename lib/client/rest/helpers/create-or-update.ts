import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../../meta/failure/failures.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { sameContent } from '../../../meta/content/same-content.ts';
import type { Created, Stored, Unstored } from '../../../meta/stored.ts';
import type { CallOptions, WriteOptions } from '../request/resource-options.ts';
import { retryWhile } from './retry-on-conflict.ts';

export interface CreatedOrUpdated<T, Answer = Stored<T>> {
  /** As the server has it. */
  readonly object: Answer;
  readonly result: 'created' | 'updated' | 'unchanged';
}

/** The object as it should be, from the one that is stored; `undefined` when there is none. It must not modify `stored`. */
export type Change<T> = (stored: Stored<T> | undefined) => T | Promise<T>;

/** The calls that it needs of a resource. */
export interface ReadsAndWrites<T> {
  get(name: string, options: CallOptions): Promise<Stored<T>>;
  create(object: T, options: WriteOptions): Promise<Created<T, Unstored<T>>>;
  update(object: T, options: WriteOptions): Promise<Stored<T>>;
}

/** Creates the object, or updates it when the change makes it another one. Reads it again after a write by another client. */
export async function createOrUpdate<T extends KubernetesObject>(
  resource: ReadsAndWrites<T>,
  name: string,
  change: Change<T>,
  { options, runtime }: { readonly options: WriteOptions; readonly runtime: Runtime },
): Promise<CreatedOrUpdated<T, Unstored<T>>> {
  const { namespace, signal } = options;
  return await retryWhile(
    (error) => isConflict(error) || isAlreadyExists(error),
    async () => {
      const stored = await orUndefined(resource.get(name, { namespace, signal }));
      const wanted = inNamespaceOf(stored, await change(stored));
      checkName(name, wanted);
      if (stored === undefined) {
        // A resource that can be read is not a review.
        const object = (await resource.create(wanted, options)) as Unstored<T>;
        return { object, result: 'created' };
      }
      if (sameContent(stored, wanted)) return { object: stored, result: 'unchanged' };
      // The version that was read: a change by another client in between is a conflict, and not lost.
      const resourceVersion = stored.metadata?.resourceVersion;
      const metadata = { ...wanted.metadata, resourceVersion };
      return { object: await resource.update({ ...wanted, metadata }, options), result: 'updated' };
    },
    { runtime, signal },
  );
}

async function orUndefined<R>(read: Promise<R>): Promise<R | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A change need not repeat the namespace. */
function inNamespaceOf<T extends KubernetesObject>(stored: T | undefined, wanted: T): T {
  const namespace = stored?.metadata?.namespace;
  if (namespace === undefined || wanted?.metadata === undefined) return wanted;
  return { ...wanted, metadata: { namespace, ...wanted.metadata } };
}

function checkName(name: string, wanted: KubernetesObject): void {
  const own = wanted?.metadata?.name;
  if (own === name) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `createOrUpdate: the change of ${JSON.stringify(name)} returned an object with the name ${JSON.stringify(own)}; return the object of that name`,
  );
}
