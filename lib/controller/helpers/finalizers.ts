import { retryOnConflict } from '../../client/rest/helpers/retry-on-conflict.ts';
import type { CallOptions, PatchOptions } from '../../client/rest/request/resource-options.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { HasMetadata, KubernetesObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';

/** The calls that finalizers need of a resource. */
export interface WritesFinalizers<T extends KubernetesObject> {
  get(name: string, options: CallOptions): Promise<Stored<T>>;
  patch(name: string, patch: object, options: PatchOptions): Promise<Stored<T>>;
}

export interface FinalizerCall {
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
}

/** A domain, and a path: the server warns of other names, because two programs may use one. */
const NAME = /^[a-z\d]([-a-z\d]*[a-z\d])?(\.[a-z\d]([-a-z\d]*[a-z\d])?)*\/[\w.-]{1,63}$/;

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkFinalizer(name: string, others: readonly string[]): void {
  const given = JSON.stringify(name);
  if (typeof name !== 'string' || !NAME.test(name)) {
    const text = `controller.finalizer: ${given} is no name of a finalizer; use a domain of yours and a word, as in "example.com/cleanup"`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
  if (others.includes(name)) {
    const text = `controller.finalizer: ${given} is declared twice; give each cleanup a name of its own`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
}

/** The finalizers of these names that the object has. */
export function finalizersOf({ metadata }: HasMetadata, names: readonly string[]): string[] {
  const { finalizers = [] } = metadata ?? {};
  return names.filter((name) => finalizers.includes(name));
}

/**
 * Adds the finalizers that are missing, in one write; resolves to the object that has them all.
 * @throws {ApiError} code CONFLICT when the object has changed since it was read.
 */
export async function addFinalizers<T extends KubernetesObject>(
  resource: WritesFinalizers<T>,
  object: Stored<T>,
  names: readonly string[],
  { signal }: FinalizerCall,
): Promise<Stored<T>> {
  const present = listOf(object);
  const missing = names.filter((name) => !present.includes(name));
  if (missing.length === 0) return object;
  return await write(resource, object, [...present, ...missing], signal);
}

/**
 * Removes a finalizer whose work is done. When the object has changed meanwhile, it is read again: the work need not be done twice.
 * Resolves to undefined when the object is gone, or is another one of that name.
 */
export async function removeFinalizer<T extends KubernetesObject>(
  resource: WritesFinalizers<T>,
  object: Stored<T>,
  name: string,
  { signal, runtime }: FinalizerCall,
): Promise<Stored<T> | undefined> {
  let last: Stored<T> | undefined = object;
  const remove = async (): Promise<Stored<T> | undefined> => {
    const read = last ?? (await resource.get(object.metadata.name, { signal }));
    last = undefined;
    if (read.metadata.uid !== object.metadata.uid) return undefined;
    const present = listOf(read);
    if (!present.includes(name)) return read;
    const others = present.filter((one) => one !== name);
    return await write(resource, read, others, signal);
  };
  try {
    return await retryOnConflict(remove, { signal, runtime });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function listOf({ metadata }: HasMetadata): readonly string[] {
  return metadata?.finalizers ?? [];
}

/** The version that was read: the list is replaced whole, so a change of another writer in between is a conflict. */
async function write<T extends KubernetesObject>(
  resource: WritesFinalizers<T>,
  object: Stored<T>,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<Stored<T>> {
  const { name, uid, resourceVersion } = object.metadata;
  const patch = { metadata: { uid, resourceVersion, finalizers } };
  return await resource.patch(name, patch, { type: 'merge', signal });
}
