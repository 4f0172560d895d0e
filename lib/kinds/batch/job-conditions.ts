import { recordsAt } from '../../meta/json-value.ts';

/** Whether a job has the condition with this status. */
export function hasCondition(job: unknown, type: string, status: string = 'True'): boolean {
  return recordsAt(job, 'status', 'conditions').some(
    (one) => one['type'] === type && one['status'] === status,
  );
}

export function isFinished(job: unknown): boolean {
  return hasCondition(job, 'Complete') || hasCondition(job, 'Failed');
}
