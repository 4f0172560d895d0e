import { isAlreadyExists, isNotFound } from '../../../meta/failure/failures.ts';
import type { ObjectMeta, UnstructuredObject } from '../../../meta/object.ts';
import type { ObjectStore } from '../../registry/contract/object-store.ts';
import { serverContext } from '../../registry/contract/server-context.ts';
import type { ServerParts } from '../../registry/contract/subresource-parts.ts';
import { timestampOf } from '../../registry/rules/duration.ts';
import type { BootstrapObjects } from '../../registry/contract/kind-set.ts';
import { repeatUnanswered } from '../../registry/writes/repeat-unanswered.ts';

/**
 * Creates those bootstrap objects that are missing; others stay as they are. Kinds that are not served are left out. For a store that
 * may have had content before; in a new one `SeededStorage` creates them for the first request that needs them.
 * @throws {ApiError} when the storage fails, or does not answer for half a minute; the reason of the signal.
 */
export async function createBootstrapObjects(
  { storeOf, runtime }: ServerParts,
  bootstrapObjects: readonly BootstrapObjects[],
  signal?: AbortSignal,
): Promise<void> {
  const now = timestampOf(runtime.wallMs());
  const create = async ({ group, resource, objects }: BootstrapObjects): Promise<void> => {
    const store = storeOf(group, resource);
    if (store === undefined) return;
    await repeatUnanswered({ runtime, signal }, () => createMissing(store, objects(now)));
  };
  await Promise.all(bootstrapObjects.map(create));
}

async function createMissing(
  store: ObjectStore,
  objects: readonly UnstructuredObject[],
): Promise<void> {
  const missing = (await isFresh(store, objects[0])) ? objects : await missingOf(store, objects);
  await Promise.all(
    missing.map(async (object) => {
      try {
        await store.seed(object);
      } catch (error) {
        // Another server on the same store has been faster, or the store is not fresh.
        if (!isAlreadyExists(error)) throw error;
      }
    }),
  );
}

/** Whether the first object is missing. A read of one object starts no watch cache, unlike a list. */
async function isFresh(
  store: ObjectStore,
  { metadata }: UnstructuredObject = {},
): Promise<boolean> {
  const { namespace = '', name = '' } = metadata ?? {};
  try {
    await store.get(serverContext(namespace), name);
    return false;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return true;
  }
}

async function missingOf(
  store: ObjectStore,
  objects: readonly UnstructuredObject[],
): Promise<readonly UnstructuredObject[]> {
  const { items } = await store.list(serverContext(''));
  const present = new Set(items.map(({ metadata }) => pathOf(metadata)));
  return objects.filter(({ metadata }) => !present.has(pathOf(metadata)));
}

function pathOf({ namespace = '', name = '' }: ObjectMeta = {}): string {
  return `${namespace}/${name}`;
}
