import type { ReconcileRecord } from '../../../controller/builder/run/reconcile-history.ts';

export type Result = ReconcileRecord['result'];

/** The results in words. */
export const RESULTS: Readonly<Record<Result, string>> = {
  done: 'done',
  cleaned: 'cleaned up',
  gone: 'object gone',
  requeue: 'runs again later',
  conflict: 'conflict',
  failed: 'failed',
};
