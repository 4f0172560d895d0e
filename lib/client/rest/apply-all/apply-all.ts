import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { numberOption } from '../../../kernel/options/options.ts';
import type { Manifest } from '../../../meta/manifests/manifest.ts';
import { checkCallOptions } from '../request/call-options.ts';
import { ApplyAllError } from './apply-all-error.ts';
import {
  APPLY_ALL_OPTIONS,
  type ApplyAllOptions,
  type AppliedObject,
  type Manifests,
  type PruneOptions,
} from './apply-all-options.ts';
import { ApplyRun, type ApplyRunOptions } from './apply-run.ts';
import type { ApplyTarget } from './apply-target.ts';
import { installRank } from './install-order.ts';
import { pruneObjects } from './prune-objects.ts';
import { readManifests, refuseRepeated } from './read-manifests.ts';

const OWNER = 'applyAll';
const DEFAULT_CONCURRENCY = 8;
const MOST_CONCURRENCY = 64;
const DEFAULT_TIMEOUT_MS = 60_000;

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

function checkedOptions(target: ApplyTarget, options: ApplyAllOptions): ApplyRunOptions {
  checkCallOptions(OWNER, options, APPLY_ALL_OPTIONS);
  const { fieldManager = target.fieldManager, prune, onResult } = options;
  if (fieldManager === undefined || fieldManager === '') {
    refuse('it needs a field manager: set option "fieldManager", of the call or the client');
  }
  if (onResult !== undefined && typeof onResult !== 'function') {
    refuse(`option "onResult" must be a function, not ${typeof onResult}`);
  }
  if (prune !== undefined) checkPrune(prune);
  const { namespace = target.namespace, concurrency, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  return {
    ...options,
    namespace,
    fieldManager,
    timeoutMs,
    concurrency: numberOption(OWNER, 'concurrency', concurrency, DEFAULT_CONCURRENCY, {
      min: 1,
      max: MOST_CONCURRENCY,
      integer: true,
    }),
  };
}

function checkPrune(prune: PruneOptions): void {
  if (typeof prune !== 'object' || prune === null) {
    refuse('option "prune" must be an object with a labelSelector');
  }
  checkCallOptions(`${OWNER}: prune`, prune, ['labelSelector', 'kinds']);
  const { labelSelector, kinds } = prune;
  if (typeof labelSelector !== 'string' || labelSelector.trim() === '') {
    refuse('option "prune" needs a labelSelector, or it would delete everything; name the labels');
  }
  const isList = Array.isArray(kinds) && kinds.every((one) => typeof one === 'string');
  if (kinds !== undefined && !isList) refuse('option "prune": kinds must be an array of texts');
}

function refuse(problem: string): never {
  throw new ListwatchError('INVALID_OPTION', `${OWNER}: ${problem}`);
}
