import { objectKey } from '../../../meta/key.ts';

/** An object of the controller's own kind: `namespace/name`, or name alone of a cluster-scoped one. */
export type Target = string | { readonly namespace?: string | undefined; readonly name: string };

/** The result of a mapping: the objects to reconcile. */
export type Targets = Target | readonly Target[] | undefined;

/** A name, or a namespace and a name. */
const KEY = /^([^/\s]+\/)?[^/\s]+$/;

/** @throws {TypeError} for anything else than targets. */
export function keysOf(targets: Targets, verb: 'return' | 'emit' = 'return'): readonly string[] {
  if (targets === undefined) return [];
  return isList(targets) ? targets.map((one) => keyOf(one, verb)) : [keyOf(targets, verb)];
}

function isList(targets: Target | readonly Target[]): targets is readonly Target[] {
  return Array.isArray(targets);
}

function keyOf(target: Target, verb: 'return' | 'emit'): string {
  if (typeof target === 'string' && KEY.test(target)) return target;
  if (typeof target === 'object' && target !== null) {
    const { name, namespace = '' } = target;
    if (typeof name === 'string' && name !== '') return objectKey({ namespace, name });
  }
  throw new TypeError(
    `it ${verb === 'emit' ? 'emitted' : 'returned'} ${described(target)}: ${verb} "namespace/name", { namespace, name }, an array of them, or undefined`,
  );
}

function described(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object without a name';
  if (typeof value === 'string') return `${JSON.stringify(value.slice(0, 60))}, which is no key`;
  return `a ${typeof value}`;
}
