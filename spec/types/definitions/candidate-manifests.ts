import { createHash } from 'node:crypto';
import { recordOf } from '../../definitions/draw-object.ts';
import type { FoundDefinition, LeftOut } from './largest-definitions.ts';
import { parseObject, textOfDocument, type ProjectDocument } from './project-documents.ts';
import { renderTemplate } from './render-template.ts';

/** An object of a project whose definition is there. */
export interface CandidateManifest {
  readonly place: string;
  readonly object: Record<string, unknown>;
}

export interface Candidates {
  /** By the name of the definition. */
  readonly manifests: ReadonlyMap<string, readonly CandidateManifest[]>;
  /** Those which are templates, rendered. By the name of the definition. */
  readonly templates: ReadonlyMap<string, readonly CandidateManifest[]>;
  readonly leftOut: readonly LeftOut[];
}

/** Files that are not written to be applied as they are: what tests expect, patches, wrong ones. They come last. */
const UNLIKELY = /assert|error|invalid|fail|bad|wrong|patch|overlay|expected/i;
/** What is written after the place of a template. */
const RENDERED = ', rendered';
/** Larger ones say no more, and cost time. */
const LONG_ENOUGH = 30_000;

/** Whether the manifest of this place is a template. */
export function isRendered(place: string): boolean {
  return place.endsWith(RENDERED);
}

/**
 * At most `most` manifests for each definition, of the versions that it serves; those first which have the most in them. Only these are
 * parsed. A text that is there twice is one.
 */
export function candidateManifests(
  documents: readonly ProjectDocument[],
  definitions: readonly FoundDefinition[],
  most: number,
): Candidates {
  const byType = new Map<string, ProjectDocument[]>();
  for (const document of documents) {
    const type = `${document.apiVersion} ${document.kind}`;
    const same = byType.get(type) ?? [];
    byType.set(type, same);
    same.push(document);
  }
  const leftOut: LeftOut[] = [];
  const manifests = new Map<string, CandidateManifest[]>();
  const templates = new Map<string, CandidateManifest[]>();
  for (const { name, definition } of definitions) {
    const { group, kind, versions } = definition;
    const own = versions.flatMap((version) => byType.get(`${group}/${version.name} ${kind}`) ?? []);
    const candidates: CandidateManifest[] = [];
    const rendered: CandidateManifest[] = [];
    const schemaOf = (apiVersion: unknown): unknown =>
      versions.find((version) => `${group}/${version.name}` === apiVersion)?.schema;
    const seen = new Set<string>();
    for (const document of own.toSorted(byLikelihood)) {
      if (candidates.length === most) break;
      const text = textOfDocument(document);
      const hash = createHash('sha256').update(text).digest('hex');
      if (seen.has(hash)) continue;
      seen.add(hash);
      const read = parseObject(text);
      const { place } = document;
      if ('object' in read) {
        candidates.push({ place, object: asSent(read.object) });
        continue;
      }
      const template = text.includes('{{') ? renderTemplate(text, schemaOf) : read;
      if ('unreadable' in template) leftOut.push({ place, reason: template.unreadable });
      else rendered.push({ place: `${place}${RENDERED}`, object: asSent(template.object) });
    }
    manifests.set(name, candidates);
    templates.set(name, rendered.slice(0, most));
  }
  return { manifests, templates, leftOut };
}

function byLikelihood(one: ProjectDocument, other: ProjectDocument): number {
  const unlikely = Number(UNLIKELY.test(one.file)) - Number(UNLIKELY.test(other.file));
  return unlikely === 0 ? length(other) - length(one) : unlikely;
}

function length({ start, end }: ProjectDocument): number {
  return Math.min(end - start, LONG_ENOUGH);
}

/** The status of an example is what some controller would set; a server drops it, and what is null in metadata. */
function asSent({ status: _dropped, ...object }: Record<string, unknown>): Record<string, unknown> {
  const given = Object.entries(recordOf(object['metadata']));
  return { ...object, metadata: Object.fromEntries(given.filter(([, value]) => value !== null)) };
}
