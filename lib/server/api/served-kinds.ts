import { groupResource } from '../../meta/resource.ts';
import type { KindSet } from '../registry/contract/kind-set.ts';
import type { ApiServerOptions } from './api-server-options.ts';

/** The kinds of a server: all of the set, unless it has to start fast. */
export function servedKinds(
  kinds: KindSet,
  { allowPrivileged, builtInResources }: ApiServerOptions,
): KindSet {
  return {
    ...kinds,
    definitions: () => {
      const all = kinds.definitions({ allowPrivileged });
      if (builtInResources === undefined) return all;
      return all.filter(({ describe }) => builtInResources.has(groupResource(describe)));
    },
  };
}
