import { MaskedCopy, type Replacement } from './masked-values.ts';
import { areSecrets, type MaskedResource } from './object-mask.ts';

/** Fields and environment variables whose texts are secrets in objects of any kind. */
const SECRET_NAME =
  /(?:^|[-_.]|[a-z])(?:password|passwd|passphrase|secret|token|credentials?|private[-_]?key|api[-_]?key|access[-_]?key)s?$/i;

const LENGTHS: Replacement = { data: lengthOf, other: lengthOf };

export interface Masked {
  readonly object: unknown;
  /** Values that were masked. */
  readonly count: number;
}

/**
 * A copy of an object for a reader of a page: without the values of a Secret, and without texts under names such as `password` and
 * `token`. Masked texts say their length. Keys that name no secret are not recognised.
 * @param of the resource that was asked for; undefined: not known.
 */
export function maskedObject(object: unknown, of?: MaskedResource): Masked {
  const isOfSecrets = areSecrets(of);
  const mask = new MaskedCopy({
    replacement: LENGTHS,
    names: isOfSecrets ? undefined : SECRET_NAME,
  });
  const copy = isOfSecrets ? mask.secret(object) : mask.object(object, of === undefined);
  return { object: copy, count: mask.count };
}

function lengthOf(value: unknown): string {
  if (typeof value === 'string') return `(masked, ${value.length} characters)`;
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? `(masked, ${String(value).length} characters)` : '(masked)';
}
