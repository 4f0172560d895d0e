import { definitionOf, type Definition } from '../../../lib/cli/types/definition.ts';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { objectsOf } from '../../../lib/meta/manifests/parse-manifests.ts';
import { recordOf } from '../../definitions/draw-object.ts';
import { parseObject, textOfDocument, type ProjectDocument } from './project-documents.ts';

/** A definition of a project. */
export interface FoundDefinition {
  /** `plural.group` */
  readonly name: string;
  readonly place: string;
  /** Characters of its text. */
  readonly size: number;
  readonly object: Record<string, unknown>;
  readonly definition: Definition;
}

export interface LeftOut {
  readonly place: string;
  readonly reason: string;
}

export interface LargestDefinitions {
  /** The largest first. */
  readonly definitions: readonly FoundDefinition[];
  /** How many names were found. */
  readonly names: number;
  readonly leftOut: readonly LeftOut[];
}

/** The largest definitions, each name once: of several texts the largest that can be read. */
export function largestDefinitions(
  documents: readonly ProjectDocument[],
  most: number,
): LargestDefinitions {
  const texts = documents
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .filter(({ apiVersion }) => apiVersion === 'apiextensions.k8s.io/v1')
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
  const found = new Map<string, FoundDefinition>();
  const leftOut: LeftOut[] = [];
  for (const document of texts) {
    if (found.size === most) break;
    if (found.has(document.dottedName)) continue;
    const one = readDefinition(document);
    if ('reason' in one) leftOut.push(one);
    else if (!found.has(one.name)) found.set(one.name, one);
  }
  const names = new Set(texts.map(({ dottedName }) => dottedName));
  return { definitions: [...found.values()], names: names.size, leftOut };
}

function sizeOf({ start, end }: ProjectDocument): number {
  return end - start;
}

function readDefinition(document: ProjectDocument): FoundDefinition | LeftOut {
  const { place } = document;
  const read = parseObject(textOfDocument(document));
  if ('unreadable' in read) return { place, reason: read.unreadable };
  const { object } = read;
  try {
    const [definition] = objectsOf(object, place).map(definitionOf);
    if (definition === undefined) return { place, reason: 'no object' };
    const name = String(recordOf(object['metadata'])['name']);
    return { name, place, size: sizeOf(document), object, definition };
  } catch (error) {
    return { place, reason: errorMessage(error) };
  }
}
