import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Manifest } from '../../../meta/manifests/manifest.ts';
import {
  type AppliedObject,
  APPLY_ALL,
  type ApplyAllOptions,
  type FailedManifest,
  type ManifestResult,
  type Manifests,
  PRUNE,
  type PruneOptions,
} from './apply-all-options.ts';
import { ApplyRun, type ApplyRunOptions } from './apply-run.ts';
import type { ApplyTarget } from './apply-target.ts';
import { installRank } from './install-order.ts';
import { pruneObjects } from './prune-objects.ts';
import { readManifests, refuseRepeated } from './read-manifests.ts';
import { plainCause, plainText } from '../../../kernel/text/plain-text.ts';

/** The length of one cause in the message, characters. */
const LONGEST_CAUSE = 400;

/** Some manifests of `applyAll` were not applied. All others were, as far as `results` says. */
export class ApplyAllError extends ListwatchError {
  readonly failures: readonly FailedManifest[];
  /** The action that was taken. */
  readonly results: readonly AppliedObject[];

  constructor(failures: readonly FailedManifest[], results: readonly AppliedObject[]) {
    const causes = failures.map(
      (one) => `${described(one)}: ${plainCause(one.error.message, LONGEST_CAUSE)}`,
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

const OWNER = 'applyAll';

/** Applies manifests phase by phase; see `Client.applyAll`. */
export async function applyAll(
  target: ApplyTarget,
  manifests: Manifests,
  options: ApplyAllOptions,
): Promise<readonly AppliedObject[]> {
  const run = new ApplyRun(target, checkedOptions(target, options));
  const all = await readManifests(manifests);
  const ranks = all.map(({ object }) => installRank(object.apiVersion, object.kind));
  refuseRepeated(all, run.options.namespace);
  for (const rank of [...new Set(ranks)].toSorted((one, other) => one - other)) {
    const phase = all.filter((_, index) => ranks[index] === rank);
    await run.eachOf<Manifest>(phase, (manifest) => run.apply(manifest));
  }
  const { prune } = run.options;
  if (prune !== undefined && run.failed.length === 0) await pruneObjects(run, all, prune);
  const results = run.inOrderOf(all);
  const done = results.filter((one) => one.result !== 'failed');
  const failures = results.filter((one) => one.result === 'failed');
  if (failures.length > 0) throw new ApplyAllError(failures, done);
  return done;
}

function checkedOptions(target: ApplyTarget, given: ApplyAllOptions): ApplyRunOptions {
  const options = APPLY_ALL.read(given);
  const { fieldManager = target.fieldManager, namespace = target.namespace, prune } = options;
  if (fieldManager === undefined || fieldManager === '') {
    refuse('it needs a field manager: set option "fieldManager", of the call or the client');
  }
  if (prune !== undefined) checkPrune(prune);
  return { ...options, namespace, fieldManager };
}

function checkPrune(prune: PruneOptions): void {
  PRUNE.checkNames(prune, OWNER, 'prune.');
  const { labelSelector } = prune;
  if (typeof labelSelector !== 'string' || labelSelector.trim() === '') {
    refuse('option "prune" needs a labelSelector, or it would delete everything; name the labels');
  }
  PRUNE.read(prune, OWNER, 'prune.');
}

function refuse(problem: string): never {
  throw new ListwatchError('INVALID_OPTION', `${OWNER}: ${problem}`);
}
