import { isListwatchError, ListwatchError, type Client } from 'listwatch';
import { errorMessage } from 'listwatch/kernel';
import type { Manifest, ManifestObject } from './manifests.ts';
import type { MirroredResource } from './mirror.ts';
import { until } from './until.ts';

/**
 * Creates the objects in the order of their manifests. An object without a namespace is created in the namespace of the client.
 * Returns the resources of the objects.
 * @throws {ListwatchError} code MANIFEST_INVALID naming the place of an object that the server refuses.
 */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  signal: AbortSignal,
): Promise<readonly MirroredResource[]> {
  const resources = new Map<string, MirroredResource>();
  const defined = new Set<string>();
  for (const { object, place } of manifests) {
    const { apiVersion, kind } = object;
    try {
      const { resource, namespaced } = defined.has(`${apiVersion} ${kind}`)
        ? await whenServed(client, object, signal)
        : await client.discovery.find(apiVersion, kind, { signal });
      const namespace = namespaced ? client.namespace : undefined;
      await client.resource(apiVersion, resource, { namespace }).create({ ...object }, { signal });
      resources.set(`${apiVersion} ${resource}`, { apiVersion, resource });
      for (const one of kindsDefinedBy(object)) defined.add(one);
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
async function whenServed(
  client: Client,
  { apiVersion, kind }: ManifestObject,
  signal: AbortSignal,
): Promise<FoundResource> {
  let found: FoundResource = { resource: '', namespaced: false };
  const isServed = async (): Promise<boolean> => {
    try {
      found = await client.discovery.find(apiVersion, kind, { signal });
      return true;
    } catch (error) {
      if (!isListwatchError(error, 'RESOURCE_UNKNOWN')) throw error;
      return false;
    }
  };
  await until(isServed, { signal, describe: () => `${kind} to be served` });
  return found;
}

interface Definition extends ManifestObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** `group/version Kind` of each version that a definition of custom resources, accepted by the server, serves. */
function kindsDefinedBy(object: ManifestObject): readonly string[] {
  if (object.kind !== 'CustomResourceDefinition') return [];
  const { group, names, versions } = (object as Definition).spec;
  return versions.map(({ name }) => `${group}/${name} ${names.kind}`);
}
