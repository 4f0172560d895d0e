/** Calls that were made, and the failure of one of them. */
export interface SlowStart {
  readonly succeeded: number;
  readonly error: unknown;
}

/**
 * Makes `count` calls in groups of 1, 2, 4 and so on, those of a group at the same time; a failure ends it with its group. So a cause that
 * concerns all of them, such as a quota, costs few calls.
 * @see kubernetes pkg/controller/replicaset/replica_set.go slowStartBatch @ v1.37.2
 */
export async function slowStart(count: number, call: () => Promise<void>): Promise<SlowStart> {
  let succeeded = 0;
  for (let size = 1; succeeded < count; size *= 2) {
    const group = Array.from({ length: Math.min(size, count - succeeded) }, call);
    const results = await Promise.allSettled(group);
    const failed = results.find((result) => result.status === 'rejected');
    succeeded += results.filter(({ status }) => status === 'fulfilled').length;
    if (failed !== undefined) return { succeeded, error: failed.reason };
  }
  return { succeeded, error: undefined };
}
