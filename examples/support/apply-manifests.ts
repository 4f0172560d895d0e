import { isListwatchError, ListwatchError, type Client } from 'listwatch';
import { errorMessage } from 'listwatch/kernel';
import type { Manifest, ManifestObject } from './manifests.ts';
import type { MirroredResource } from './mirror.ts';
import { until } from './until.ts';

/**
 * Creates the objects in the order of their manifests. Returns the resources they are of.
 * @throws {ListwatchError} code MANIFEST_INVALID naming the place of an object that the server refuses.
 */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  signal: AbortSignal,
): Promise<readonly MirroredResource[]> {
  const resources = new Map<string, MirroredResource>();
  for (const { object, place } of manifests) {
    const { apiVersion } = object;
    try {
      const resource = await findResource(client, object, signal);
      await client.resource(apiVersion, resource).create({ ...object }, { signal });
      resources.set(`${apiVersion} ${resource}`, { apiVersion, resource });
    } catch (cause) {
      signal.throwIfAborted();
      throw new ListwatchError('MANIFEST_INVALID', `${place}: ${errorMessage(cause)}`, { cause });
    }
  }
  return [...resources.values()];
}

/** A custom resource is served a moment after its definition was created. */
async function findResource(
  client: Client,
  { apiVersion, kind }: ManifestObject,
  signal: AbortSignal,
): Promise<string> {
  let resource = '';
  let reason: unknown;
  const isServed = async (): Promise<boolean> => {
    try {
      ({ resource } = await client.discovery.find(apiVersion, kind, { signal }));
      return true;
    } catch (error) {
      if (!isListwatchError(error, 'RESOURCE_UNKNOWN')) throw error;
      reason = error;
      return false;
    }
  };
  const waiting = until(isServed, { timeoutMs: 1_000, signal, describe: () => kind });
  await waiting.catch((error: unknown) => {
    throw isListwatchError(error, 'TIMEOUT') ? reason : error;
  });
  return resource;
}
