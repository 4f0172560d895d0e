import type { FieldCause } from '../../meta/failure/failures.ts';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldInvalidHere,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { jsonEqual, numberAt, recordAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf } from '../../server/registry/validation/check.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import { commonIndex, countIndexes } from './index-intervals.ts';
import { hasCondition, isFinished } from './job-conditions.ts';

const counts = fields({
  status: fields({
    active: nonNegative,
    succeeded: nonNegative,
    failed: nonNegative,
    ready: nonNegative,
    terminating: nonNegative,
  }),
});

/** An update of a status: most rules hold for what it changes. */
class StatusUpdate {
  readonly causes: FieldCause[];
  readonly job: MutableObject;
  readonly old: MutableObject;

  constructor(job: MutableObject, old: MutableObject) {
    this.job = job;
    this.old = old;
    this.causes = causesOf(counts, job);
  }

  get(name: string): unknown {
    return valueAt(this.job, 'status', name);
  }

  is(type: string): boolean {
    return hasCondition(this.job, type);
  }

  was(type: string): boolean {
    return hasCondition(this.old, type);
  }

  /** Whether one of these fields changed, or a condition of a type. */
  changes(...names: readonly string[]): boolean {
    return names.some((name) =>
      /^[A-Z]/.test(name)
        ? this.is(name) !== this.was(name)
        : !jsonEqual(this.get(name), valueAt(this.old, 'status', name)),
    );
  }

  get finishes(): boolean {
    return isFinished(this.job) !== isFinished(this.old);
  }

  invalid(name: string, detail: string): void {
    const value = this.get(name) ?? null;
    this.causes.push(fieldInvalid(`status.${name}`, value, detail));
  }

  conditions(detail: string): void {
    this.causes.push(fieldInvalidHere('status.conditions', detail));
  }

  required(name: string, detail: string): void {
    this.causes.push(fieldRequired(`status.${name}`, detail));
  }
}

function uncountedPods(update: StatusUpdate): void {
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed']) {
    const uids = textsAt(update.get('uncountedTerminatedPods'), list);
    for (const [index, uid] of uids.entries()) {
      const path = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') update.causes.push(fieldInvalid(path, uid, 'must not be empty'));
      else if (seen.has(uid)) update.causes.push(fieldDuplicate(path, uid));
      seen.add(uid);
    }
  }
}

/** Not a number, which is before no other, for an absent time. */
function timeOf(text: unknown): number {
  return typeof text === 'string' ? Date.parse(text) : Number.NaN;
}

function completion(update: StatusUpdate): void {
  const [complete, failed] = [update.is('Complete'), update.is('Failed')];
  const [start, end] = [update.get('startTime'), update.get('completionTime')];
  if (complete && failed && update.changes('Complete', 'Failed')) {
    update.conditions('cannot set Complete=True and Failed=true conditions');
  }
  if (complete && update.is('FailureTarget') && update.changes('Complete', 'FailureTarget')) {
    update.conditions('cannot set Complete=True and FailureTarget=true conditions');
  }
  if (update.changes('Complete', 'completionTime')) {
    if (end !== undefined && !complete) {
      const detail = 'cannot set completionTime when there is no Complete=True condition';
      update.invalid('completionTime', detail);
    }
    if (end === undefined && complete) {
      update.required('completionTime', 'completionTime is required for Complete jobs');
    }
  }
  const isEarly = timeOf(end) < timeOf(start);
  if (isEarly && update.changes('startTime', 'completionTime')) {
    update.invalid('completionTime', 'must be equal to or after `startTime`');
  }
  if (failed && !update.is('FailureTarget') && update.changes('Failed', 'failedIndexes')) {
    update.conditions('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if (
    complete &&
    !update.is('SuccessCriteriaMet') &&
    update.changes('Complete', 'SuccessCriteriaMet')
  ) {
    const detail =
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition';
    update.conditions(detail);
  }
}

function finishedJob(update: StatusUpdate): void {
  const { job } = update;
  if (!isFinished(job)) return;
  if (numberAt(job, 'status', 'active') > 0 && (update.finishes || update.changes('active'))) {
    update.invalid('active', 'active>0 is invalid for finished job');
  }
  const runsNothing =
    valueAt(job, 'spec', 'suspend') === true && valueAt(job, 'spec', 'completions') === 0;
  if (update.get('startTime') === undefined && !runsNothing) {
    if (update.finishes || update.changes('startTime')) {
      update.required('startTime', 'startTime is required for finished job');
    }
  }
  const pods = update.get('uncountedTerminatedPods');
  const left = textsAt(pods, 'failed').length + textsAt(pods, 'succeeded').length;
  if (left > 0 && (update.finishes || update.changes('uncountedTerminatedPods'))) {
    const shown = goForm('batch.UncountedTerminatedPods', pods);
    const path = 'status.uncountedTerminatedPods';
    update.causes.push(fieldInvalid(path, shown, 'must be empty for finished job'));
  }
}

function indexes(update: StatusUpdate): void {
  const { job } = update;
  const { completions, backoffLimitPerIndex, completionMode } = recordAt(job, 'spec') ?? {};
  const completed = textAt(job, 'status', 'completedIndexes');
  const failed = update.get('failedIndexes');
  const parses = (name: string, text: unknown): void => {
    if (typeof completions !== 'number' || typeof text !== 'string') return;
    const count = countIndexes(text, completions);
    if (typeof count === 'string') update.invalid(name, `error parsing ${name}: ${count}`);
  };
  if (update.changes('completedIndexes')) parses('completedIndexes', completed);
  if (update.changes('failedIndexes') && backoffLimitPerIndex !== undefined) {
    parses('failedIndexes', failed);
  }
  if (update.changes('completedIndexes') && completed !== '' && completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    update.invalid('completedIndexes', detail);
  }
  if (typeof failed !== 'string') return;
  if (update.changes('failedIndexes') && backoffLimitPerIndex === undefined) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    update.invalid('failedIndexes', detail);
  }
  if (typeof completions !== 'number' || !update.changes('failedIndexes', 'completedIndexes'))
    return;
  const common = commonIndex(completed, failed, completions);
  if (common === undefined) return;
  const detail = `failedIndexes and completedIndexes overlap at index: ${common}`;
  update.invalid('failedIndexes', detail);
}

function pods(update: StatusUpdate): void {
  const { job } = update;
  const isNew = update.finishes || update.changes('terminating');
  if (numberAt(job, 'status', 'terminating') > 0 && isFinished(job) && isNew) {
    update.invalid('terminating', 'terminating>0 is invalid for finished job');
  }
  const ready = update.get('ready');
  const isMore = typeof ready === 'number' && ready > numberAt(job, 'status', 'active');
  if (isMore && update.changes('ready', 'active')) {
    update.invalid('ready', 'cannot set more ready pods than active');
  }
}

function criteria(update: StatusUpdate): void {
  const met = update.is('SuccessCriteriaMet');
  if (met && update.is('Failed')) {
    update.conditions('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  }
  if (met && update.is('FailureTarget')) {
    update.conditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  const hasPolicy = valueAt(update.job, 'spec', 'successPolicy') !== undefined;
  if (hasPolicy && !met && update.is('Complete')) {
    const detail =
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
    update.conditions(detail);
  }
}

function history(update: StatusUpdate): void {
  const { job, old } = update;
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (update.was(type) && !update.is(type)) {
      update.conditions(`cannot disable the terminal ${type}=True condition`);
    }
  }
  const falls = (name: string): boolean =>
    numberAt(job, 'status', name) < numberAt(old, 'status', name);
  const fall = (name: string): void => {
    const path = `status.${name}`;
    const detail = `cannot decrease the ${name} counter`;
    update.causes.push(fieldInvalid(path, numberAt(job, 'status', name), detail));
  };
  if (falls('failed')) fall('failed');
  const { completionMode, completions, parallelism, suspend } = recordAt(job, 'spec') ?? {};
  const mayShrink = completionMode === 'Indexed' && completions === parallelism;
  if (falls('succeeded') && !mayShrink) fall('succeeded');
  const before = (name: string): unknown => valueAt(old, 'status', name);
  if (update.get('completionTime') !== undefined && before('completionTime') !== undefined) {
    if (update.changes('completionTime')) update.invalid('completionTime', 'field is immutable');
  }
  const resumes = update.was('Suspended') && hasCondition(job, 'Suspended', 'False');
  const restarts = before('startTime') !== undefined && update.changes('startTime');
  if (restarts && !resumes && suspend !== true) {
    update.invalid('startTime', 'field is immutable for unsuspended job once set');
  }
  if (update.was('SuccessCriteriaMet') && !update.is('SuccessCriteriaMet')) {
    update.conditions('cannot disable the SuccessCriteriaMet=True condition');
  }
  const isLate = update.was('Complete') && !update.was('SuccessCriteriaMet');
  if (isLate && update.is('SuccessCriteriaMet')) {
    const detail =
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    update.conditions(detail);
  }
}

/** @see pkg/apis/batch/validation/validation.go ValidateJobStatusUpdate, pkg/registry/batch/job/strategy.go @ v1.36.3 */
export function jobStatusCauses(job: MutableObject, old: MutableObject): readonly FieldCause[] {
  const update = new StatusUpdate(job, old);
  for (const rule of [uncountedPods, completion, finishedJob, indexes, pods, criteria, history]) {
    rule(update);
  }
  return update.causes;
}
