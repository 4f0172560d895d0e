import { isListwatchError, ListwatchError, type Client } from 'listwatch';
import { errorMessage } from 'listwatch/kernel';
import type { Manifest, ManifestObject } from './manifests.ts';
import type { MirroredResource } from './mirror.ts';
import { until } from './until.ts';

/**
 * Creates the objects in the order of their manifests, in the namespace of the client where they name none. Returns the
 * resources they are of.
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
      const { resource, namespaced } = await findResource(client, object, signal);
      const namespace = namespaced ? client.namespace : undefined;
      await client.resource(apiVersion, resource, { namespace }).create({ ...object }, { signal });
      resources.set(`${apiVersion} ${resource}`, { apiVersion, resource });
    } catch (cause) {
      signal.throwIfAborted();
      throw new ListwatchError('MANIFEST_INVALID', `${place}: ${errorMessage(cause)}`, { cause });
    }
  }
  return [...resources.values()];
}

interface FoundResource {
  readonly resource: string;
  readonly namespaced: boolean;
}

/** A custom resource is served a moment after its definition was created. */
async function findResource(
  client: Client,
  { apiVersion, kind }: ManifestObject,
  signal: AbortSignal,
): Promise<FoundResource> {
  let found: FoundResource = { resource: '', namespaced: false };
  let reason: unknown;
  const isServed = async (): Promise<boolean> => {
    try {
      found = await client.discovery.find(apiVersion, kind, { signal });
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
  return found;
}
