import type { QueueInspection } from '../controller/workqueue/queue-inspection.ts';
import type { InspectedController, InspectedInformer } from './contract/inspected-parts.ts';
import type { CachedKey, KeyReport, KeyRun, QueuedKey } from './contract/inspector-snapshot.ts';
import { withTexts, type InspectedParts } from './state-reader.ts';

/** Keys of each list of a queue that are looked at: as many as a queue lists. */
const LOOKED_AT = 1000;
const RUNS = 30;

export interface KeyReportOptions {
  readonly key: string;
  readonly atMs: number;
  readonly parts: InspectedParts;
  readonly informers: readonly InspectedInformer[];
}

/** Where a key is at this moment. */
export function keyReport({ key, atMs, parts, informers }: KeyReportOptions): KeyReport {
  const controllers = parts.controllers.map((controller) =>
    controller.inspect({ limit: LOOKED_AT }),
  );
  const queues = [
    ...controllers.map(({ queue }) => queue),
    ...parts.queues.map((queue) => withTexts(queue.inspect({ limit: LOOKED_AT }))),
  ];
  const runs = controllers.flatMap(({ name, history }) =>
    history.filter((run) => run.key === key).map((run): KeyRun => ({ ...run, controller: name })),
  );
  return {
    key,
    atMs,
    caches: informers.flatMap((informer) => cachedKey(informer, key) ?? []),
    queues: queues.map((queue) => queuedKey(queue, key)),
    runs: runs.toSorted((one, other) => other.startedAtMs - one.startedAtMs).slice(0, RUNS),
  };
}

/** The latest keys that fail or have failed, each once. */
export function failingKeys(controllers: readonly InspectedController[], most: number): string[] {
  const keys = new Set<string>();
  for (const controller of controllers) {
    const { queue, history } = controller.inspect({ limit: most });
    for (const { key } of queue.failing.keys) keys.add(key);
    for (const { key, result } of history) if (result === 'failed') keys.add(key);
  }
  return [...keys].slice(0, most);
}

function cachedKey({ name, indexer }: InspectedInformer, key: string): CachedKey | undefined {
  const metadata = indexer.metadata(key);
  if (metadata === undefined) return undefined;
  const { resourceVersion = '', generation, deletionTimestamp } = metadata;
  const deleting = deletionTimestamp !== undefined && deletionTimestamp !== null;
  return { informer: name, resourceVersion, generation, deleting };
}

function queuedKey(queue: QueueInspection, key: string): QueuedKey {
  const failing = queue.failing.keys.find((one) => one.key === key);
  const failure = { failures: failing?.failures ?? 0, reason: failing?.reason };
  return { queue: queue.name, ...failure, ...stateOf(queue, key) };
}

function stateOf(queue: QueueInspection, key: string): Pick<QueuedKey, 'state' | 'text'> {
  const running = queue.running.keys.find((one) => one.key === key);
  if (running !== undefined) {
    const again = running.addedAgain ? '; it was added meanwhile, so it runs once more' : '';
    return { state: 'running', text: `a worker has had it for ${span(running.runningMs)}${again}` };
  }
  const place = queue.waiting.keys.findIndex((one) => one.key === key);
  if (place >= 0) {
    const { waitedMs, priority } = queue.waiting.keys[place] as (typeof queue.waiting.keys)[number];
    const since = waitedMs === undefined ? '' : `, for ${span(waitedMs)}`;
    const text = `waits for a worker${since}: place ${place + 1} of ${queue.waiting.count}, priority ${priority}; ${queue.running.count} keys are in work`;
    return { state: 'waiting', text };
  }
  const delayed = queue.delayed.keys.find((one) => one.key === key);
  if (delayed !== undefined) {
    return { state: 'delayed', text: `${WHY[delayed.why]}; added in ${span(delayed.inMs)}` };
  }
  const hidden = [queue.waiting, queue.running, queue.delayed].some(
    ({ count, keys }) => count > keys.length,
  );
  return hidden
    ? { state: 'unknown', text: `not among the first ${LOOKED_AT} keys of each kind` }
    : { state: 'idle', text: 'not in the queue' };
}

const WHY = {
  delay: 'it was added for later',
  retry: 'its last run failed, and it backs off',
  debounce: 'it was added a moment ago, and more changes may come',
  limit: 'it ran a moment ago, and its rate is limited',
} as const;

function span(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
