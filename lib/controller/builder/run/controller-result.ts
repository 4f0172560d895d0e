import { is } from '../../../kernel/options/options-schema.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ConditionChange, StatusOf } from '../../helpers/conditions.ts';
import { checkResult } from '../../runtime/check-result.ts';

/** Fields to merge: null removes one, a list is replaced whole. */
export type MergePart<T> = T extends readonly unknown[] | Date | string | number | boolean
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: MergePart<T[Field]> | null | undefined }
    : T;

/**
 * The request of a reconcile. Nothing: the object is as it should be until the next change. A run that throws has none, so no status is
 * written: return a failure as a condition, with `terminal` or `requeueAfterMs`.
 */
export interface ControllerResult<T extends KubernetesObject> {
  /**
   * Fields of the status, which are merged into the stored ones; null removes a field, a list is replaced whole. Nothing is sent if
   * the stored status has these values already.
   */
  readonly status?: MergePart<StatusOf<T>> | undefined;
  /**
   * Conditions to set in the status; the others stay, also those that are written at the same time. `lastTransitionTime` changes only with the status of a condition, and
   * `observedGeneration` is that of the object.
   */
  readonly conditions?: readonly ConditionChange<T>[] | undefined;
  /** Why the object cannot be reconciled before it changes: as a thrown `TerminalError`, but the status is written. */
  readonly terminal?: string | undefined;
  /** Reconciles again after this time. 0 or left out: only after the next change. */
  readonly requeueAfterMs?: number | undefined;
  /** The priority of the run after `requeueAfterMs`. @defaultValue that of this run */
  readonly priority?: number | undefined;
}

type ResultName = keyof ControllerResult<KubernetesObject>;

const RESULTS: readonly ResultName[] = [
  'status',
  'conditions',
  'terminal',
  'requeueAfterMs',
  'priority',
];
const STATUS = is.object();
const CONDITIONS = is.rule<readonly unknown[]>('an array of conditions', Array.isArray);
const TERMINAL = is.text();
/** Checked before a finalizer is removed: a cleanup that names a wrong time has not finished. */
const REQUEUE_AFTER = is.number({ min: 0 });

/**
 * The result of a function of the author. `method` is the one of the builder that took the function, and `known` what it makes use of.
 * @throws {ListwatchError} code INVALID_OPTION for a result that would be ignored, and for a wrong time.
 */
export function checkedResult<T extends KubernetesObject>(
  method: string,
  // oxlint-disable-next-line typescript/no-invalid-void-type -- as the functions of the author return it
  given: ControllerResult<T> | void | null,
  known: readonly ResultName[] = RESULTS,
): ControllerResult<T> {
  if (given === undefined || given === null) return {};
  checkResult(method, given, known);
  STATUS.read(method, 'status', given.status);
  CONDITIONS.read(method, 'conditions', given.conditions);
  TERMINAL.read(method, 'terminal', given.terminal);
  REQUEUE_AFTER.read(method, 'requeueAfterMs', given.requeueAfterMs);
  return given;
}
