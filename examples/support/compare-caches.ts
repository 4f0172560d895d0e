import { isDeepStrictEqual } from 'node:util';
import {
  isListwatchError,
  ListwatchError,
  metaNamespaceKeyFunc,
  type Client,
  type UnstructuredObject,
} from 'listwatch';
import type { Mirror } from './mirror.ts';
import { until } from './until.ts';

const DIFFERENCES_IN_MESSAGE = 3;

/**
 * Lists every resource again and compares the caches with it, object by object, with resource versions. Returns the number of
 * objects.
 * @throws {ListwatchError} code ASSERTION naming the first differences.
 */
export async function compareCaches(
  client: Client,
  mirrors: Iterable<Mirror>,
  signal: AbortSignal,
): Promise<number> {
  let objects = 0;
  for (const mirror of mirrors) {
    const { apiVersion, resource } = mirror;
    let differences: readonly string[] = [];
    const isEqual = async (): Promise<boolean> => {
      const { items } = await client.resource(apiVersion, resource).list({ signal });
      differences = differencesOf(mirror, items);
      return differences.length === 0;
    };
    await until(isEqual, { signal, describe: () => resource }).catch((error: unknown) => {
      if (!isListwatchError(error, 'TIMEOUT')) throw error;
      const first = differences.slice(0, DIFFERENCES_IN_MESSAGE).join('; ');
      throw new ListwatchError(
        'ASSERTION',
        `the cache of ${resource} is wrong in ${differences.length} objects: ${first}`,
      );
    });
    objects += mirror.informer.indexer.size;
  }
  return objects;
}

/** One text for each object that is missing, left over or different. */
function differencesOf({ informer }: Mirror, expected: readonly UnstructuredObject[]): string[] {
  const differences: string[] = [];
  const left = new Set(informer.indexer.keys());
  for (const object of expected) {
    const key = metaNamespaceKeyFunc(object);
    const cached = informer.indexer.get(key);
    left.delete(key);
    if (cached === undefined) differences.push(`${key} is missing`);
    else if (!isDeepStrictEqual(cached, object)) {
      differences.push(`${key} is at ${versionOf(cached)}, on the server at ${versionOf(object)}`);
    }
  }
  for (const key of left) differences.push(`${key} is not on the server`);
  return differences;
}

function versionOf({ metadata }: UnstructuredObject): string {
  return metadata?.resourceVersion ?? 'no resource version';
}
