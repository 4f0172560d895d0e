import { QueuePart } from '../../controller/workqueue/queue-part.ts';

/** Of each queue so many keys are looked at. */
const MOST_KEYS = 1000;

/** How long it takes until every key whose last run failed runs again, milliseconds; 0 when there is none. */
export function lastRetryMs(parts: Iterable<object>): number {
  let lastMs = 0;
  for (const part of parts) {
    if (!(part instanceof QueuePart)) continue;
    for (const { why, inMs } of part.queue.inspect({ limit: MOST_KEYS }).delayed.keys) {
      if (why === 'retry') lastMs = Math.max(lastMs, inMs);
    }
  }
  return lastMs;
}
