import {
  NEWEST_MINOR,
  textOfMinor,
  type KubernetesMinor,
} from '../releases/kubernetes-releases.ts';
import { CORE_TYPES } from './tables/core-types.ts';
import { EXTENSION_TYPES } from './tables/extension-types.ts';
import { GROUP_TYPES } from './tables/group-types.ts';
import { META_TYPES } from './tables/meta-types.ts';
import { TypeTable } from './type-table.ts';

const TEXTS = [META_TYPES, CORE_TYPES, GROUP_TYPES, EXTENSION_TYPES];

/** Made at the first use: most processes never need one, and hardly one needs two. */
const tables = new Map<KubernetesMinor, TypeTable>();

/**
 * The types of all built-in kinds at their stable versions, as a minor version of Kubernetes has them: names, protobuf numbers, presence, list types and keys, patch
 * strategies, declared defaults. Made in about a millisecond at the first call, then shared; each type is read when it is first
 * looked up.
 *
 *     const pod = builtInTypes().kind('v1', 'Pod');
 *     const containers = pod?.byName.get('spec')?.message?.byName.get('containers');
 *     containers?.patchMergeKey;    // 'name'
 *     containers?.listKeys;         // ['name']
 *
 * Kinds of the section `meta` (`Status`, `DeleteOptions`, `WatchEvent`, …) exist in every API version.
 */
export function builtInTypes(minor: KubernetesMinor = NEWEST_MINOR): TypeTable {
  let table = tables.get(minor);
  if (table === undefined) {
    table = new TypeTable(
      TEXTS.map((text) => textOfMinor(text, minor)),
      'meta',
    );
    tables.set(minor, table);
  }
  return table;
}
