import type { Delta } from '../../../lib/cache/delta/delta.ts';
import type { DeltaFIFO } from '../../../lib/cache/delta/delta-fifo.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { pod, type Pod } from '../support/objects.ts';

/** `+a@1` added, `~` updated, `-` deleted, `=` replaced, `.` sync; `!` marks an unknown final state. */
export function print(delta: Delta<Pod>): string {
  const version = (object: Pod | undefined): string => object?.metadata.resourceVersion ?? '?';
  switch (delta.type) {
    case 'ReplacedAll': {
      const items = [...delta.contents].map(([key, object]) => `${key}@${version(object)}`);
      return `[${items.join(' ')}]@${delta.resourceVersion}`;
    }
    case 'SyncAll':
      return '..';
    case 'Bookmark':
      return `#${delta.resourceVersion}`;
    case 'Deleted': {
      const { key, object, finalStateUnknown } = delta;
      return `-${key}@${version(object)}${finalStateUnknown ? '!' : ''}`;
    }
    default: {
      const sign = { Added: '+', Updated: '~', Replaced: '=', Sync: '.' }[delta.type];
      return `${sign}${delta.key}@${version(delta.object)}`;
    }
  }
}

/** The items that come out, a text each. */
export function popAll(fifo: DeltaFIFO<Pod>): string[] {
  const items: string[] = [];
  while (fifo.size > 0) {
    fifo.pop((deltas) => items.push(deltas.map(print).join(' ')));
  }
  return items;
}

/** A cluster-scoped pod, so that its key is its name. */
export function at(name: string, resourceVersion: string): Pod {
  return pod(`/${name}`, { resourceVersion });
}

/** A store that holds the pods. */
export function known(...pods: Pod[]): ThreadSafeStore<Pod> {
  const store = new ThreadSafeStore<Pod>();
  for (const one of pods) store.add(one.metadata.name!, one);
  return store;
}
