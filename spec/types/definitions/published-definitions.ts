import type { Candidates } from './candidate-manifests.ts';
import type { FoundDefinition } from './largest-definitions.ts';

export interface PublishedDefinitions {
  readonly definitions: readonly FoundDefinition[];
  /** Those that are larger than the smallest of `definitions`, and of which there is no object. */
  readonly withoutObject: readonly FoundDefinition[];
}

/**
 * The `most` largest definitions of which there is an object, whether it fits or not: where the projects publish none, the next largest
 * takes the place. If there are too few, the largest with and without.
 * @param found the largest first
 */
export function publishedDefinitions(
  found: readonly FoundDefinition[],
  { manifests, templates }: Pick<Candidates, 'manifests' | 'templates'>,
  most: number,
): PublishedDefinitions {
  const count = ({ name }: FoundDefinition): number =>
    (manifests.get(name)?.length ?? 0) + (templates.get(name)?.length ?? 0);
  const published = found.filter((one) => count(one) > 0).slice(0, most);
  if (published.length < Math.min(most, found.length)) {
    return { definitions: found.slice(0, most), withoutObject: [] };
  }
  const last = published.at(-1);
  const larger = found.slice(0, last === undefined ? 0 : found.indexOf(last));
  return { definitions: published, withoutObject: larger.filter((one) => count(one) === 0) };
}
