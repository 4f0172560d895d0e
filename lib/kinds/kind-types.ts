import type { UnstructuredObject } from '../meta/object.ts';
import { parseApiVersion, type GroupVersionKind } from '../meta/resource.ts';
import type { KubernetesMinor } from '../meta/releases/kubernetes-releases.ts';
import type { KindType } from '../server/registry/contract/kind-definition.ts';
import { DecodeProblems } from '../server/registry/typed/decode-problems.ts';
import { BuiltInTypes } from '../server/registry/typed/built-in-type.ts';
import { isSince, type KubernetesFeature } from '../meta/releases/kubernetes-features.ts';
import { setRollingStatefulDefaults, WORKLOAD_DEFAULTS } from './defaults/workload-defaults.ts';
import { POD_DEFAULTS, CORE_DEFAULTS } from './defaults/core-defaults.ts';
import { GROUP_DEFAULTS, setWaitingDriverDefaults } from './defaults/group-defaults.ts';
import type { DefaultsByType, SetDefaults } from '../server/registry/typed/type-reader.ts';

/** Defaults that not all versions have, in the place of those below. */
const SINCE_DEFAULTS: readonly {
  readonly feature: KubernetesFeature;
  readonly type: string;
  readonly set: SetDefaults;
}[] = [
  {
    feature: 'statefulSetMaxUnavailable',
    type: 'apps.StatefulSetUpdateStrategy',
    set: setRollingStatefulDefaults,
  },
  { feature: 'volumeLimitScaling', type: 'storage.CSIDriverSpec', set: setWaitingDriverDefaults },
];

/** The functions that set the defaults of the built-in kinds, by type. Declared defaults are in the table of types. */
function builtInDefaults(minor: KubernetesMinor): DefaultsByType {
  const defaults = new Map<string, SetDefaults>(
    Object.entries({ ...POD_DEFAULTS, ...CORE_DEFAULTS, ...WORKLOAD_DEFAULTS, ...GROUP_DEFAULTS }),
  );
  for (const { feature, type, set } of SINCE_DEFAULTS) {
    if (isSince(minor, feature)) defaults.set(type, set);
  }
  return defaults;
}

/** Kinds whose replicas are a number inside of kube-apiserver, and so never absent, though `apps/v1` has a pointer. */
const COUNTED: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'StatefulSet']);

/** The types of the built-in kinds, with their defaults, as one minor version of Kubernetes has them. */
export class KindTypes {
  readonly #types: BuiltInTypes;
  /** Those that `read` was asked for, by API version and kind. */
  readonly #read = new Map<string, KindType>();

  constructor(minor: KubernetesMinor) {
    this.#types = new BuiltInTypes(minor, builtInDefaults(minor));
  }

  /** The type of a built-in kind. */
  of(kind: GroupVersionKind): Required<KindType> {
    const type = this.#types.of(kind);
    if (kind.group !== 'apps' || !COUNTED.has(kind.kind)) return type;
    return {
      read: (object, problems) => type.read(object, problems),
      zeroOf: (field) => type.zeroOf(field),
      withZeros: (object) =>
        type.withZeros(
          object['spec'] === undefined ? { ...object, spec: { replicas: 0 } } : object,
        ),
    };
  }

  /**
   * An object of a built-in kind as kube-apiserver reads it from its storage: with the defaults of its kind. Some are not stored, because
   * they are cleared after the object of the request got them, as the phase of a new claim; an older server knew fewer.
   */
  read(object: UnstructuredObject): UnstructuredObject {
    const { apiVersion = '', kind = '' } = object;
    const name = `${apiVersion}/${kind}`;
    let type = this.#read.get(name);
    if (type === undefined) {
      type = this.of({ ...parseApiVersion(apiVersion), kind });
      this.#read.set(name, type);
    }
    return type.read(object, new DecodeProblems());
  }
}
