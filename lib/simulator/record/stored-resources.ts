import { groupResource } from '../../meta/resource.ts';
import { builtInKinds } from '../../kinds/built-in-kinds.ts';
import type { ResourceDescription } from '../../server/registry/contract/rest-storage.ts';

/** An object as its storage key names it. */
export interface ObjectRef {
  /** As in RBAC: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** Empty for objects of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** `NAMESPACE/NAME`, or the name alone. */
  readonly object: string;
}

const ROOT = '/registry/';

/** The built-in resources by the roots of their keys, once for the process. */
let builtIn: ReadonlyMap<string, ResourceDescription> | undefined;

function builtInRoots(): ReadonlyMap<string, ResourceDescription> {
  if (builtIn !== undefined) return builtIn;
  const roots = new Map<string, ResourceDescription>();
  for (const { keyRoot, describe, storedApiVersion } of builtInKinds.definitions()) {
    if (storedApiVersion === undefined) roots.set(keyRoot, describe);
  }
  builtIn = roots;
  return roots;
}

/** The full names of the resources of each key root, by full name: `events` and `events.events.k8s.io` share theirs. */
let builtInNames: ReadonlyMap<string, readonly string[]> | undefined;

/** The built-in resources that are stored together with one, itself included; undefined if it is not built in. */
export function storedTogether(fullName: string): readonly string[] | undefined {
  if (builtInNames === undefined) {
    const byRoot = new Map<string, string[]>();
    const byName = new Map<string, readonly string[]>();
    for (const { keyRoot, describe } of builtInKinds.definitions()) {
      const names = byRoot.get(keyRoot) ?? [];
      byRoot.set(keyRoot, names);
      names.push(groupResource(describe));
      byName.set(groupResource(describe), names);
    }
    builtInNames = byName;
  }
  return builtInNames.get(fullName);
}

const refs = new Map<string, ObjectRef | undefined>();
/** Keys of many runs are alike; with random names they are not. */
const MOST_REFS = 20_000;

/** The object of a storage key; undefined for keys that are none, e.g. allocated addresses. */
export function objectRefOf(key: string): ObjectRef | undefined {
  if (refs.has(key)) return refs.get(key);
  const ref = parseKey(key);
  if (refs.size >= MOST_REFS) refs.clear();
  refs.set(key, ref);
  return ref;
}

function parseKey(key: string): ObjectRef | undefined {
  if (!key.startsWith(ROOT)) return undefined;
  const parts = key.split('/');
  // 2: /registry/pods; 3: /registry/services/specs, /registry/GROUP/RESOURCE.
  for (const depth of [4, 3]) {
    const described = builtInRoots().get(parts.slice(0, depth).join('/'));
    if (described !== undefined) return refOf(groupResource(described), parts.slice(depth));
  }
  const [group = '', resource = ''] = parts.slice(2);
  if (!group.includes('.')) return undefined;
  return refOf(groupResource({ group, resource }), parts.slice(4));
}

function refOf(resource: string, rest: readonly string[]): ObjectRef | undefined {
  if (rest.length === 0 || rest.length > 2) return undefined;
  const name = rest.at(-1) as string;
  const namespace = rest.length === 2 ? (rest[0] as string) : '';
  return { resource, namespace, name, object: rest.join('/') };
}
