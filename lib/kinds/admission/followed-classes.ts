import type { UnstructuredObject } from '../../meta/object.ts';
import { numberAt, textAt, valueAt } from '../../meta/json-value.ts';
import type { PlugInParts } from '../../server/registry/contract/plug-in.ts';

/** The fields of a class of storage, ingresses or priorities that admission needs. */
export interface ClassFacts {
  readonly name: string;
  readonly isDefault: boolean;
  /** RFC 3339, whole seconds. */
  readonly createdAt: string;
  /** Of a priority class. */
  readonly value: number;
  /** Of a storage class: whether its claims may grow. */
  readonly mayGrow: boolean;
}

export interface FollowedClassesOptions {
  readonly group: string;
  /** The plural of the classes. */
  readonly resource: string;
  /** Whether a class is one for objects that name none. */
  readonly isDefault: (object: UnstructuredObject) => boolean;
  /** The order of several default classes: the first one counts. */
  readonly order: (left: ClassFacts, right: ClassFacts) => number;
}

/** The stored classes of one kind, and which of them is the default. */
export class FollowedClasses {
  #byName: ReadonlyMap<string, ClassFacts> = new Map();
  #default: ClassFacts | undefined;

  constructor(
    { follow }: Pick<PlugInParts, 'follow'>,
    { isDefault, order, group, resource }: FollowedClassesOptions,
  ) {
    const objects = follow<ClassFacts>({
      group,
      resource,
      read: (object) => ({
        name: textAt(object, 'metadata', 'name'),
        isDefault: isDefault(object),
        createdAt: textAt(object, 'metadata', 'creationTimestamp'),
        value: numberAt(object, 'value'),
        mayGrow: valueAt(object, 'allowVolumeExpansion') === true,
      }),
      onChange: () => {
        const all = objects.in('');
        this.#byName = new Map(all.map((one) => [one.name, one]));
        [this.#default] = all.filter((one) => one.isDefault).toSorted(order);
      },
    });
  }

  /** The class of objects that name none. */
  get default(): ClassFacts | undefined {
    return this.#default;
  }

  named(name: string): ClassFacts | undefined {
    return this.#byName.get(name);
  }
}

/** The newest first, and of one second by name. @see kubernetes pkg/volume/util/storageclass.go GetDefaultClass @ v1.36.3 */
export function newestFirst(left: ClassFacts, right: ClassFacts): number {
  if (left.createdAt !== right.createdAt) return left.createdAt > right.createdAt ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

/** @see plugin/pkg/admission/priority/admission.go getDefaultPriorityClass @ v1.36.3 */
export function lowestFirst(left: ClassFacts, right: ClassFacts): number {
  return left.value - right.value;
}

/** Whether one of these annotations says `true`. */
export function annotatedDefault(
  ...annotations: readonly string[]
): (object: UnstructuredObject) => boolean {
  return ({ metadata }) => annotations.some((name) => metadata?.annotations?.[name] === 'true');
}
