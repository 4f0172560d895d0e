import type { KindDefinition } from '../../../../lib/server/registry/contract/kind-definition.ts';
import { builtInKinds } from '../../../../lib/kinds/built-in-kinds.ts';

/** The built-in kind of `pods` or `apps/deployments`, in its preferred version. */
export function kindNamed(name: string): KindDefinition {
  const found = builtInKinds
    .definitions()
    .find(
      ({ describe: { group, resource } }) =>
        (group === '' ? resource : `${group}/${resource}`) === name,
    );
  if (found === undefined) throw new Error(`there is no built-in kind ${name}`);
  return found;
}
