import { CORE_TYPES } from './tables/core-types.ts';
import { EXTENSION_TYPES } from './tables/extension-types.ts';
import { GROUP_TYPES } from './tables/group-types.ts';
import { META_TYPES } from './tables/meta-types.ts';
import { TypeTable } from './type-table.ts';

/** Made at the first use: most processes never need it. */
let table: TypeTable | undefined;

/**
 * The types of all built-in kinds at their stable versions: names, protobuf numbers, presence, list types and keys, patch
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
export function builtInTypes(): TypeTable {
  table ??= new TypeTable([META_TYPES, CORE_TYPES, GROUP_TYPES, EXTENSION_TYPES], 'meta');
  return table;
}
