import { createHash } from 'node:crypto';
import { recordOf } from '../../definitions/draw-object.ts';
import type { FoundDefinition, LeftOut } from './largest-definitions.ts';
import { parseObject, textOfDocument, type ProjectDocument } from './project-documents.ts';

/** An object of a project whose definition is there. */
export interface CandidateManifest {
  readonly place: string;
  readonly object: Record<string, unknown>;
}

export interface Candidates {
  /** By the name of the definition. */
  readonly manifests: ReadonlyMap<string, readonly CandidateManifest[]>;
  readonly leftOut: readonly LeftOut[];
}

/** Files that are not written to be applied as they are: what tests expect, patches, wrong ones. They come last. */
const UNLIKELY = /assert|error|invalid|fail|bad|wrong|patch|overlay|expected|_test\.go$/i;
/** Larger ones say no more, and cost time. */
const LONG_ENOUGH = 30_000;

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
  for (const { name, definition } of definitions) {
    const { group, kind, versions } = definition;
    const own = versions.flatMap((version) => byType.get(`${group}/${version.name} ${kind}`) ?? []);
    const candidates: CandidateManifest[] = [];
    const seen = new Set<string>();
    for (const document of own.toSorted(byLikelihood)) {
      if (candidates.length === most) break;
      const text = textOfDocument(document);
      const hash = createHash('sha256').update(text).digest('hex');
      if (seen.has(hash)) continue;
      seen.add(hash);
      const read = parseObject(text);
      if ('unreadable' in read) leftOut.push({ place: document.place, reason: read.unreadable });
      else candidates.push({ place: document.place, object: asSent(read.object) });
    }
    manifests.set(name, candidates);
  }
  return { manifests, leftOut };
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
