import { groupResource } from '../../meta/resource.ts';
import type { KindDefinition } from '../registry/contract/kind-definition.ts';
import { builtInKinds } from '../../kinds/built-in-kinds.ts';
import type { ApiServerOptions } from './api-server-options.ts';

/** The built-in kinds of a server: all, unless it has to start fast. */
export function servedKinds({
  allowPrivileged,
  builtInResources,
}: Pick<ApiServerOptions, 'allowPrivileged' | 'builtInResources'>): readonly KindDefinition[] {
  const kinds = builtInKinds({ allowPrivileged });
  if (builtInResources === undefined) return kinds;
  return kinds.filter(({ describe }) => builtInResources.has(groupResource(describe)));
}
