import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments, type Document, type Tags } from 'yaml';
import { errorMessage } from '../../kernel/errors.ts';
import { YAML_1_1_TAGS } from '../../server/storage/scheme/yaml-document.ts';
import { manifestInvalid, type Manifest, type ManifestObject } from './manifest.ts';

const MANIFEST_FILE = /\.(?:ya?ml|json)$/;

/** A larger file is a mistake; the server takes objects of 3 MiB. */
const LARGEST_FILE_BYTES: number = 32 * 1024 * 1024;

/** A few hundred bytes of aliases can expand to gigabytes. */
const MOST_ALIASES = 100;

/** Manifests are read by the rules of YAML 1.1, as kubectl does, with the merge keys that hand-written files use. */
const YAML_OPTIONS = {
  schema: 'core',
  customTags: (tags: Tags): Tags => [...YAML_1_1_TAGS, ...tags],
  merge: true,
  prettyErrors: false,
  logLevel: 'error',
} as const;

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
    manifests.push(...parseManifests(await textOf(file), file));
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
    throw manifestInvalid(folder, `cannot be read: ${errorMessage(error)}`, error);
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

/** Parses one file; JSON is read as YAML too. @throws {ListwatchError} code MANIFEST_INVALID naming file, document and line. */
export function parseManifests(text: string, file: string): Manifest[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { ...YAML_OPTIONS, lineCounter: lines });
  return [...documents].flatMap((document, index) => {
    const placeOf = (offset: number): string =>
      `${file}, document ${index + 1}, line ${lines.linePos(offset).line}`;
    const [mistake] = document.errors;
    if (mistake !== undefined) throw manifestInvalid(placeOf(mistake.pos[0]), mistake.message);
    const place = placeOf(document.contents?.range?.[0] ?? 0);
    const value = valueOf(document, place);
    return value === null ? [] : objectsOf(value, place);
  });
}

function valueOf(document: Document, place: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown;
  } catch (error) {
    throw manifestInvalid(place, errorMessage(error), error);
  }
}

function objectsOf(value: unknown, place: string): Manifest[] {
  const { kind, items } = (value ?? {}) as { readonly kind?: unknown; readonly items?: unknown };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item: unknown, index) => objectsOf(item, `${place}, item ${index + 1}`));
  }
  return [{ object: checkedObject(value, place), place }];
}

function checkedObject(value: unknown, place: string): ManifestObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw manifestInvalid(place, 'a manifest is a mapping with apiVersion, kind and metadata');
  }
  const { apiVersion, kind, metadata } = value as Partial<ManifestObject>;
  const texts = { apiVersion, kind, 'metadata.name': metadata?.name };
  for (const [field, text] of Object.entries<unknown>(texts)) {
    if (typeof text !== 'string' || text === '') {
      throw manifestInvalid(place, `${field} is missing, empty or not a string`);
    }
  }
  if (metadata?.namespace !== undefined && typeof metadata.namespace !== 'string') {
    throw manifestInvalid(place, 'metadata.namespace is not a string');
  }
  return value as ManifestObject;
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
