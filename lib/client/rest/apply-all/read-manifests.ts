import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { manifestInvalid, type Manifest } from '../../../meta/manifests/manifest.ts';
import { objectsOf, parseManifests } from '../../../meta/manifests/parse-manifests.ts';
import { parseApiVersion } from '../../../meta/resource.ts';
import type { Manifests } from './apply-all-options.ts';

/** A longer text is a mistake. */
const LONGEST_TEXT = 64 * 1024 * 1024;

/**
 * The objects of manifests, with their places.
 * @throws {ListwatchError} code MANIFEST_INVALID naming the place; INVALID_OPTION for a value that is neither text nor object.
 */
export async function readManifests(manifests: Manifests): Promise<readonly Manifest[]> {
  if (!Array.isArray(manifests)) return await readOne(manifests, undefined);
  const read: Manifest[] = [];
  for (const [index, one] of (manifests as readonly unknown[]).entries()) {
    read.push(...(await readOne(one, `manifest ${index + 1}`)));
  }
  return read;
}

async function readOne(manifest: unknown, place: string | undefined): Promise<readonly Manifest[]> {
  if (typeof manifest !== 'string') {
    if (typeof manifest === 'object' && manifest !== null)
      return objectsOf(manifest, place ?? 'manifest 1');
    throw new ListwatchError(
      'INVALID_OPTION',
      `applyAll: it takes objects and texts, not ${manifest === null ? 'null' : typeof manifest}`,
    );
  }
  if (manifest.length > LONGEST_TEXT)
    throw manifestInvalid(place ?? 'manifests', `it has more than ${LONGEST_TEXT} characters`);
  return await parseManifests(manifest, place ?? 'manifests');
}

/** Of two manifests of one object, the second would undo the first. */
export function refuseRepeated(manifests: readonly Manifest[], defaultNamespace: string): void {
  const places = new Map<string, string>();
  for (const { object, place } of manifests) {
    const { apiVersion, kind, metadata } = object;
    const { group } = parseApiVersion(apiVersion);
    const namespace = metadata.namespace || defaultNamespace;
    const id = JSON.stringify([group, kind, namespace, metadata.name]);
    const first = places.get(id);
    if (first !== undefined) {
      throw manifestInvalid(place, `${kind} "${metadata.name}" is in ${first} already`);
    }
    places.set(id, place);
  }
}
