import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import type { ConnectMethods, RestStorage } from '../../server/registry/contract/rest-storage.ts';

/** A subresource whose requests are passed on. @param kind The kind of its options, which discovery names. */
export function connectStorage(
  { describe, table }: ObjectStore,
  kind: string,
  connect: ConnectMethods,
): RestStorage {
  return {
    describe: { ...describe, kind, listKind: `${kind}List`, shortNames: [], categories: [] },
    table,
    connect,
  };
}
