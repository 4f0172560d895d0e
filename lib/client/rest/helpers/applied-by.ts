import type { ApplyConfiguration } from '../../../meta/apply-configuration.ts';
import { type FieldSet, isEmptySet, isFieldSet } from '../../../meta/fields/field-set.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { sameContent } from '../../../meta/content/same-content.ts';

export interface AppliedByOptions {
  /** Fields that were applied through this subresource, such as `status`. @defaultValue the object itself */
  readonly subresource?: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const SELF = '.';

/**
 * The part of an object that a manager has applied: what the next apply starts from. Undefined when it has applied nothing.
 *
 * @example
 * const mine = appliedBy(await deployments.get('web'), 'shop');
 * if (mine !== undefined) await deployments.apply({ ...mine, spec: { ...mine.spec, replicas: 3 } });
 */
export function appliedBy<T extends KubernetesObject>(
  object: T,
  manager: string,
  { subresource = '' }: AppliedByOptions = {},
): ApplyConfiguration<T> | undefined {
  const fields = fieldsOf(object, manager, subresource);
  if (fields === undefined) return undefined;
  const { apiVersion, kind, metadata: { name, namespace } = {} } = object;
  const part = (partOf(object, fields) ?? {}) as Json;
  const own = isObject(part['metadata']) ? part['metadata'] : {};
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), ...own };
  return { apiVersion, kind, ...part, metadata } as unknown as ApplyConfiguration<T>;
}

/** The entry of an apply: those of updates have another operation. */
function fieldsOf(
  { metadata }: KubernetesObject,
  manager: string,
  subresource: string,
): FieldSet | undefined {
  const { managedFields } = (metadata ?? {}) as { readonly managedFields?: unknown };
  if (!Array.isArray(managedFields)) return undefined;
  const entry = managedFields.find(
    (one: unknown) =>
      isObject(one) &&
      one['manager'] === manager &&
      one['operation'] === 'Apply' &&
      (one['subresource'] ?? '') === subresource,
  ) as Json | undefined;
  const fields = entry?.['fieldsV1'];
  return isFieldSet(fields) ? fields : undefined;
}

/** The part of a value that a set has; undefined when the value has none of it. */
function partOf(value: unknown, fields: FieldSet): unknown {
  const names = Object.keys(fields).filter((name) => name !== SELF);
  if (names.length === 0) return isEmptySet(fields) ? value : emptyOf(value);
  if (Array.isArray(value)) return itemsOf(value, fields, names);
  if (!isObject(value)) return undefined;
  const members = names
    .filter((name) => name.startsWith('f:') && Object.hasOwn(value, name.slice(2)))
    .map((name) => [name.slice(2), partOf(value[name.slice(2)], below(fields, name))] as const)
    .filter(([, member]) => member !== undefined);
  return Object.fromEntries(members);
}

/** The items that the set names, in the order of the list; items with keys keep their keys. */
function itemsOf(
  items: readonly unknown[],
  fields: FieldSet,
  names: readonly string[],
): readonly unknown[] {
  return items.flatMap((item) => {
    const name = names.find((one) => isNamed(one, item));
    if (name === undefined) return [];
    if (!name.startsWith('k:') || !isObject(item)) return [item];
    const part = partOf(item, below(fields, name));
    return [{ ...keyOf(name), ...(isObject(part) ? part : {}) }];
  });
}

/** Whether a name of a set is the one of this item. */
function isNamed(name: string, item: unknown): boolean {
  if (name.startsWith('v:')) return name === `v:${JSON.stringify(item)}`;
  if (!name.startsWith('k:') || !isObject(item)) return false;
  return Object.entries(keyOf(name)).every(([key, value]) => item[key] === value);
}

function keyOf(name: string): Json {
  const key: unknown = JSON.parse(name.slice(2));
  return isObject(key) ? key : {};
}

function below(fields: FieldSet, name: string): FieldSet {
  return fields[name] ?? {};
}

/** A field that the manager has without anything inside it. */
function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface IsAppliedOptions {
  readonly manager: string;
  /** @defaultValue the object itself */
  readonly subresource?: string | undefined;
}

/**
 * Whether an apply of `part` would change nothing: the manager has applied these fields of the object and no others, and they still
 * have these values. An object without managed fields, as a cache of some fields has it, counts as not applied.
 */
export function isApplied<T extends KubernetesObject>(
  object: T,
  part: ApplyConfiguration<T>,
  { manager, subresource }: IsAppliedOptions,
): boolean {
  const applied = appliedBy(object, manager, { subresource });
  if (applied === undefined) return false;
  const { namespace } = object.metadata ?? {};
  const metadata = namespace === undefined ? part.metadata : { namespace, ...part.metadata };
  return sameContent({ ...part, metadata }, applied);
}
