import type { Draw } from '../../../compare/draw.ts';

/** Values that few fields take. */
export const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  2 ** 31,
  '',
  'x',
  '1',
  'a'.repeat(300),
  '\u0000',
  'é',
  '2026-01-01T00:00:00Z',
  '%%',
  [],
  {},
  [[]],
  [null],
  [{}],
  { a: 1 },
  { '': {} },
];
/** Of objects, patches and schemas, and some that are none. */
const KEYS = [
  'metadata',
  'spec',
  'status',
  'data',
  'name',
  'namespace',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'resourceVersion',
  'uid',
  'generateName',
  'creationTimestamp',
  'deletionTimestamp',
  'replicas',
  'template',
  'containers',
  'kind',
  'apiVersion',
  '__proto__',
  'constructor',
  'toString',
  '',
  '$patch',
  '$retainKeys',
  '$deleteFromPrimitiveList/x',
  'type',
  'properties',
  'items',
  'default',
  'pattern',
  'x-kubernetes-list-type',
  'x-kubernetes-preserve-unknown-fields',
  'a/b',
  '0',
];

/** Sets, replaces or removes a member somewhere in a tree. */
export function changeValue(draw: Draw, root: Record<string, unknown>): void {
  let at: Record<string, unknown> = root;
  while (draw.chance(0.7)) {
    const inner = Object.values(at).filter((one) => typeof one === 'object' && one !== null);
    if (inner.length === 0) break;
    at = draw.pick(inner) as Record<string, unknown>;
  }
  const key =
    draw.chance(0.5) && Object.keys(at).length > 0 ? draw.pick(Object.keys(at)) : draw.pick(KEYS);
  if (draw.chance(0.2)) Reflect.deleteProperty(at, key);
  else {
    const value = structuredClone(draw.pick(ODD_VALUES));
    Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
  }
}
