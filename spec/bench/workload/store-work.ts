/** The store by itself: what one read and one write cost in a cache of pods with three indexes. */
import { performance } from 'node:perf_hooks';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { isMain } from './contestant.ts';
import type { Pod } from './ours.ts';
import { podJson } from './pods.ts';

/** Microseconds of one operation. */
export interface StoreResult {
  readonly getUs: number;
  readonly updateUs: number;
  /** Objects of one namespace, of which there are 50, asked again and again. */
  readonly byIndexUs: number;
  /** The same when one of them has changed each time. */
  readonly updateAndByIndexUs: number;
  readonly listUs: number;
  readonly objectsOfAValue: number;
}

const NAMESPACE = 'namespace';

const INDEXERS = {
  [NAMESPACE]: ({ metadata }: Pod) => [metadata?.namespace ?? ''],
  node: ({ spec }: Pod) => [spec.nodeName],
  owner: ({ metadata }: Pod) => [metadata?.ownerReferences?.[0]?.uid ?? ''],
};

/** Spreads reads over the store. */
const STRIDE = 7919;

export function storeWork({
  objects,
  operations,
}: {
  readonly objects: number;
  readonly operations: number;
}): StoreResult {
  const store = new ThreadSafeStore<Pod>({ indexers: INDEXERS });
  const pods = Array.from({ length: objects }, (_, index) => JSON.parse(podJson(index)) as Pod);
  const keys = pods.map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);
  store.replace(
    pods.map((pod, index) => [keys[index] as string, pod] as const),
    '1',
  );
  const order = Array.from({ length: operations }, (_, step) => (step * STRIDE) % objects);
  // Made before, as events bring them; their metadata is their own.
  const changed = order.map((index) => {
    const pod = pods[index] as Pod;
    return { ...pod, metadata: { ...pod.metadata, resourceVersion: `${2_000_000_000 + index}` } };
  });
  const namespaces = store.indexValues(NAMESPACE);
  let seen = 0;
  const get = (step: number): void => {
    seen += store.get(keys[order[step] as number] as string) === undefined ? 0 : 1;
  };
  const update = (step: number): void => {
    store.update(keys[order[step] as number] as string, changed[step] as Pod);
  };
  const byIndex = (step: number): void => {
    seen += store.byIndex(NAMESPACE, namespaces[step % namespaces.length] as string).length;
  };
  const result = {
    getUs: fastest(operations, get),
    updateUs: fastest(operations, update),
    byIndexUs: fastest(operations, byIndex),
    updateAndByIndexUs: fastest(Math.min(operations, 5000), (step) => {
      update(step);
      seen += store.byIndex(NAMESPACE, changed[step]?.metadata?.namespace ?? '').length;
    }),
    listUs: fastest(operations, () => {
      seen += store.list().length;
    }),
    objectsOfAValue: objects / namespaces.length,
  };
  if (seen === 0) throw new Error('nothing was read');
  return result;
}

/** Microseconds of one in the fastest of five rounds. */
function fastest(count: number, work: (step: number) => void): number {
  let best = Infinity;
  for (let round = 0; round < 5; round += 1) {
    const startedMs = performance.now();
    for (let step = 0; step < count; step += 1) work(step);
    best = Math.min(best, performance.now() - startedMs);
  }
  return (best / count) * 1000;
}

if (isMain(import.meta)) {
  const argument = JSON.parse(process.argv[2] ?? '{}') as Parameters<typeof storeWork>[0];
  console.log(JSON.stringify(storeWork(argument)));
}
