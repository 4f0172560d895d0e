import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isListwatchError, ListwatchError } from 'listwatch';
import { errorMessage } from 'listwatch/kernel';
import { LineCounter, parseAllDocuments, type Document } from 'yaml';

/** One object of a manifest file. */
export interface Manifest {
  readonly object: ManifestObject;
  /** Its place: file, document, and the line on which the document begins. */
  readonly place: string;
}

export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * Reads every `.yaml` file of a folder, in the order of their names. If one document is invalid, no object is returned.
 * @throws {ListwatchError} code MANIFEST_INVALID naming file, document and line.
 */
export async function loadManifests(folder: string): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  try {
    for (const name of (await readdir(folder)).toSorted()) {
      if (!/\.ya?ml$/.test(name)) continue;
      const file = join(folder, name);
      manifests.push(...parseManifests(await readFile(file, 'utf8'), file));
    }
  } catch (cause) {
    if (isListwatchError(cause)) throw cause;
    throw invalid(folder, `cannot be read: ${errorMessage(cause)}`, cause);
  }
  if (manifests.length === 0) throw invalid(folder, 'no *.yaml file in it holds an object');
  rejectTwins(manifests);
  return manifests;
}

/** Parses one file. @throws {ListwatchError} code MANIFEST_INVALID naming file, document and line. */
export function parseManifests(text: string, file: string): Manifest[] {
  const lines = new LineCounter();
  const manifests: Manifest[] = [];
  for (const [index, document] of [...parseAllDocuments(text, { lineCounter: lines })].entries()) {
    const placeOf = (offset: number): string =>
      `${file}, document ${index + 1}, line ${lines.linePos(offset).line}`;
    const [mistake] = document.errors;
    if (mistake !== undefined) {
      // After its first line the message repeats the place and shows the text.
      const [reason = ''] = mistake.message.split(/ at line \d+/);
      throw invalid(placeOf(mistake.pos[0]), reason);
    }
    const place = placeOf(document.contents?.range?.[0] ?? 0);
    const value = resolveAliases(document, place);
    if (value !== null) manifests.push({ object: readObject(value, place), place });
  }
  return manifests;
}

function resolveAliases(document: Document, place: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    throw invalid(place, errorMessage(cause), cause);
  }
}

function readObject(value: unknown, place: string): ManifestObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(place, 'a manifest is a mapping with apiVersion, kind and metadata');
  }
  const { apiVersion, kind, metadata } = value as Partial<ManifestObject>;
  const texts = { apiVersion, kind, 'metadata.name': metadata?.name };
  for (const [field, text] of Object.entries<unknown>(texts)) {
    if (typeof text !== 'string' || text === '') {
      throw invalid(place, `${field} is missing, empty or not a string`);
    }
  }
  return value as ManifestObject;
}

/** Refuses two manifests of one object: the server would refuse the second, or it would replace the first. */
function rejectTwins(manifests: readonly Manifest[]): void {
  const places = new Map<string, string>();
  for (const { object, place } of manifests) {
    const { apiVersion, kind, metadata } = object;
    const id = JSON.stringify([apiVersion, kind, metadata.namespace, metadata.name]);
    const first = places.get(id);
    if (first !== undefined) {
      throw invalid(place, `${kind} "${metadata.name}" stands in ${first} already`);
    }
    places.set(id, place);
  }
}

function invalid(place: string, reason: string, cause?: unknown): ListwatchError {
  return new ListwatchError('MANIFEST_INVALID', `${place}: ${reason}`, { cause });
}
