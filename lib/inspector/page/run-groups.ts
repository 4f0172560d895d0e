import type { ReconcileRecord } from '../../controller/builder/run/reconcile-history.ts';

/** A run with its retries: runs of one key that follow each other, all but the last one failed. The latest first. */
export type RunGroup<R extends ReconcileRecord> = readonly [R, ...R[]];

/** Groups runs, which come the oldest first. Returns the latest group first, by the time of its last run. */
export function groupRuns<R extends ReconcileRecord>(runs: readonly R[]): RunGroup<R>[] {
  const groups: [R, ...R[]][] = [];
  const open = new Map<string, [R, ...R[]]>();
  for (const run of runs) {
    const present = open.get(run.key);
    if (present !== undefined && isRetry(run)) {
      present.unshift(run);
      // A group is where its last run is.
      groups.splice(groups.indexOf(present), 1);
      groups.push(present);
    } else {
      const group: [R, ...R[]] = [run];
      open.set(run.key, group);
      groups.push(group);
    }
    if (!hasFailed(run)) open.delete(run.key);
  }
  return groups.toReversed();
}

export function hasFailed({ result }: ReconcileRecord): boolean {
  return result === 'failed' || result === 'conflict';
}

function isRetry({ reasons }: ReconcileRecord): boolean {
  return reasons.every(({ type }) => type === 'retry');
}
