import { WORKLOAD_DEFAULTS } from './workload-defaults.ts';
import { POD_DEFAULTS } from './pod-spec-defaults.ts';
import { CORE_DEFAULTS } from './core-defaults.ts';
import { GROUP_DEFAULTS } from './group-defaults.ts';
import type { DefaultsByType } from '../../server/registry/typed/type-reader.ts';

/** The functions that set the defaults of the built-in kinds, by type. Declared defaults are in the table of types. */
export const builtInDefaults: DefaultsByType = new Map(
  Object.entries({ ...POD_DEFAULTS, ...CORE_DEFAULTS, ...WORKLOAD_DEFAULTS, ...GROUP_DEFAULTS }),
);
