import type { KeyFunc } from '../../../meta/key.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import type { ObjectEvent } from '../../../meta/watch-event.ts';
import type { Relist, ReplaceSink } from '../contract/reflector-sink.ts';

/**
 * Gathers a relist for a sink that takes it as a whole. `keyFunc` computes the keys of objects that arrive as events.
 *
 * Guarantees: all items are passed unchanged. Objects of events are in the order of their first event; objects without a key are
 * at the end.
 */
export function gatheredRelist<V extends HasMetadata>(
  sink: Pick<ReplaceSink<V>, 'replace'>,
  keyFunc: KeyFunc,
): Relist<V> {
  /** The items; after events, the objects without a key, which the sink reports. */
  let items: V[] = [];
  /** Defined after the first event. */
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
