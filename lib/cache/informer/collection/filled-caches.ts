import type { ObjectView } from '../../../meta/object-view.ts';
import type { ReceivedObjects } from './received-objects.ts';

/** The caches that are filled from a source at present, by source. */
const filled = new WeakMap<object, ReadonlySet<ReceivedObjects<ObjectView>>>();

/** From now on until it is disposed, the cache is filled from the source, and from no other one. */
export function fillsFrom(source: object, cache: ReceivedObjects<ObjectView>): Disposable {
  filled.set(source, new Set([...(filled.get(source) ?? []), cache]));
  return {
    [Symbol.dispose]: () => {
      filled.set(source, new Set([...(filled.get(source) ?? [])].filter((one) => one !== cache)));
    },
  };
}

/** The cache that is filled from the source; undefined if there is none, or more than one. */
export function filledFrom(source: object): ReceivedObjects<ObjectView> | undefined {
  const caches = [...(filled.get(source) ?? [])];
  return caches.length === 1 ? caches[0] : undefined;
}
