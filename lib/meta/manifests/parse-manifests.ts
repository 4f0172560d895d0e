import type { Document, Tags } from 'yaml';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { manifestInvalid, type Manifest, type ManifestObject } from './manifest.ts';
import { YAML_1_1_TAGS } from './yaml-1-1-tags.ts';

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
 * Parses the documents of a text, which may be JSON. The items of a list are objects of their own.
 * @throws {ListwatchError} code MANIFEST_INVALID naming file, document and line.
 */
export async function parseManifests(text: string, file: string): Promise<Manifest[]> {
  // Loaded here, because most programs read no manifests.
  const { LineCounter, parseAllDocuments } = await import('yaml');
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

/** One object, or the items of a list. @throws {ListwatchError} code MANIFEST_INVALID naming the place. */
export function objectsOf(value: unknown, place: string): Manifest[] {
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
