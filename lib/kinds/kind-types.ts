import type { GroupVersionKind } from '../meta/resource.ts';
import type { KindType } from '../server/registry/contract/kind-definition.ts';
import { BuiltInTypes } from '../server/registry/typed/built-in-type.ts';
import { WORKLOAD_DEFAULTS } from './defaults/workload-defaults.ts';
import { POD_DEFAULTS, CORE_DEFAULTS } from './defaults/core-defaults.ts';
import { GROUP_DEFAULTS } from './defaults/group-defaults.ts';
import type { DefaultsByType } from '../server/registry/typed/type-reader.ts';

/** The functions that set the defaults of the built-in kinds, by type. Declared defaults are in the table of types. */
const builtInDefaults: DefaultsByType = new Map(
  Object.entries({ ...POD_DEFAULTS, ...CORE_DEFAULTS, ...WORKLOAD_DEFAULTS, ...GROUP_DEFAULTS }),
);

let types: BuiltInTypes | undefined;

/** Kinds whose replicas are a number inside of kube-apiserver, and so never absent, though `apps/v1` has a pointer. */
const COUNTED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

/** The type of a built-in kind, with its defaults. */
export function typeOfKind(kind: GroupVersionKind): Required<KindType> {
  types ??= new BuiltInTypes(builtInDefaults);
  const type = types.of(kind);
  if (kind.group !== 'apps' || !COUNTED.has(kind.kind)) return type;
  return {
    read: (object, problems) => type.read(object, problems),
    zeroOf: (field) => type.zeroOf(field),
    withZeros: (object) =>
      type.withZeros(object['spec'] === undefined ? { ...object, spec: { replicas: 0 } } : object),
  };
}
