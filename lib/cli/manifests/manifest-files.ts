import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { manifestInvalid, type Manifest } from '../../meta/manifests/manifest.ts';
import { parseManifests } from '../../meta/manifests/parse-manifests.ts';

const MANIFEST_FILE = /\.(?:ya?ml|json)$/;

/** A larger file is a mistake; the server takes objects of 3 MiB. */
const LARGEST_FILE_BYTES: number = 32 * 1024 * 1024;

/**
 * Reads every `.yaml`, `.yml` and `.json` file of a folder, in the order of their names; not the folders in it. The items of a
 * list are objects of their own. If one document is invalid, no object is returned.
 * @throws {ListwatchError} code MANIFEST_INVALID naming file, document and line.
 */
export async function readManifestFiles(folder: string): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for (const name of (await namesIn(folder)).toSorted()) {
    if (!MANIFEST_FILE.test(name)) continue;
    const file = join(folder, name);
    manifests.push(...(await parseManifests(await textOf(file), file)));
  }
  if (manifests.length === 0) {
    throw manifestInvalid(folder, 'no .yaml, .yml or .json file in it holds an object');
  }
  refuseRepeated(manifests);
  return manifests;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw manifestInvalid(
      folder,
      `cannot be read; name a folder of manifests with --manifests: ${errorMessage(error)}`,
      error,
    );
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size <= LARGEST_FILE_BYTES) return await readFile(file, 'utf8');
  } catch (error) {
    throw manifestInvalid(file, `cannot be read: ${errorMessage(error)}`, error);
  }
  throw manifestInvalid(file, `is larger than ${LARGEST_FILE_BYTES} bytes`);
}

/** Of two manifests of one object, the second would change the first. */
function refuseRepeated(manifests: readonly Manifest[]): void {
  const places = new Map<string, string>();
  for (const { object, place } of manifests) {
    const { apiVersion, kind, metadata } = object;
    const id = JSON.stringify([apiVersion, kind, metadata.namespace ?? 'default', metadata.name]);
    const first = places.get(id);
    if (first !== undefined) {
      throw manifestInvalid(place, `${kind} "${metadata.name}" is in ${first} already`);
    }
    places.set(id, place);
  }
}
