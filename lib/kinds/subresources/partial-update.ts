import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import type { RestStorage } from '../../server/registry/contract/rest-storage.ts';
import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';

/** A subresource that reads the object itself and writes a part of it. It never creates an object. */
export function partialUpdate(store: ObjectStore, strategy: UpdateStrategy): RestStorage {
  return {
    describe: store.describe,
    get: async (context, name, options) => await store.get(context, name, options),
    update: async (context, name, update, options) =>
      await store.updateThrough(strategy, context, name, update, options),
    apply: async (context, name, configuration, options) =>
      await store.applyThrough(strategy, context, name, configuration, options),
  };
}
