import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { plainText } from '../../../kernel/text/plain-text.ts';
import type { AppliedObject, FailedManifest, ManifestResult } from './apply-all-options.ts';

/** The length of one cause in the message, characters. */
const LONGEST_CAUSE = 400;

/** Some manifests of `applyAll` were not applied. All others were, as far as `results` says. */
export class ApplyAllError extends ListwatchError {
  readonly failures: readonly FailedManifest[];
  /** What was done. */
  readonly results: readonly AppliedObject[];

  constructor(failures: readonly FailedManifest[], results: readonly AppliedObject[]) {
    const causes = failures.map(
      (one) => `${described(one)}: ${plainText(one.error.message, LONGEST_CAUSE)}`,
    );
    const total = failures.length + results.length;
    super(
      'MANIFESTS_FAILED',
      `${failures.length} of ${total} objects failed: ${causes.join('; ')}. ${done(results)}`,
      { cause: failures[0]?.error },
    );
    this.failures = failures;
    this.results = results;
  }
}

/** `Deployment shop/web (document 2, line 14)`. */
function described({ kind, namespace, name, place }: ManifestResult): string {
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  return `${plainText(`${kind} ${key}`, LONGEST_CAUSE)} (${place})`;
}

function done(results: readonly AppliedObject[]): string {
  const counts = new Map<string, number>();
  for (const { result } of results) counts.set(result, (counts.get(result) ?? 0) + 1);
  const parts = [...counts].map(([result, count]) => `${count} ${result}`);
  return parts.length === 0 ? 'Nothing was applied' : `The others are done: ${parts.join(', ')}`;
}
