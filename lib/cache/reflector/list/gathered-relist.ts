import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type { Relist, ReplaceSink } from '../contract/reflector-sink.ts';

/**
 * Gathers a relist for a sink that takes it as a whole. `keyFunc` tells objects apart when they come as events.
 *
 * Guarantees: items go over as they came, all of them; the objects of events in the order in which they first came, those
 * without a key behind them.
 */
export function gatheredRelist<V extends HasMetadata>(
  sink: Pick<ReplaceSink<V>, 'replace'>,
  keyFunc: KeyFunc,
): Relist<V> {
  /** As they came; behind events, those without a key: the sink knows how to complain about them. */
  let items: V[] = [];
  /** Once there were events. */
  let byKey: Map<string, V> | undefined;

  const put = (type: ObjectEvent<V>['type'], object: V): void => {
    let key: string;
    try {
      key = keyFunc(object);
    } catch {
      if (type !== 'DELETED') items.push(object);
      return;
    }
    if (type === 'DELETED') byKey?.delete(key);
    else byKey?.set(key, object);
  };
  const add = (more: readonly V[]): void => {
    for (const item of more) {
      if (byKey === undefined) items.push(item);
      else put('ADDED', item);
    }
  };
  const discard = (): void => {
    items = [];
    byKey = undefined;
  };
  return {
    add,
    apply: (events) => {
      if (byKey === undefined) {
        const before = items;
        items = [];
        byKey = new Map();
        add(before);
      }
      for (const event of events) {
        if (event.type !== 'BOOKMARK') put(event.type, event.object);
      }
    },
    commit: (resourceVersion) => {
      const all = byKey === undefined ? items : [...byKey.values(), ...items];
      discard();
      sink.replace(all, resourceVersion);
      return all.length;
    },
    discard,
  };
}
