import type { ReconcileRecord } from '../../../controller/builder/run/reconcile-history.ts';

/** A run with its retries: runs of one key that follow each other, all but the last one failed. The latest first. */
export type RunGroup<R extends ReconcileRecord> = readonly [R, ...R[]];

/** The first run of a group, which has the cause of all. */
export function firstOf<R extends ReconcileRecord>(group: RunGroup<R>): R {
  return group.at(-1) ?? group[0];
}

/**
 * Finds the row of a group again while its retries follow. `of` is its key in the table of a controller, and its controller in the table of
 * a key: several controllers begin to run one key at the same time.
 */
export function groupName(group: RunGroup<ReconcileRecord>, of: string): string {
  return `${firstOf(group).startedAtMs} ${of}`;
}

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
