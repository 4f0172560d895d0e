import type { KubernetesObject } from '../../../meta/object.ts';
import type { KubernetesFeature } from '../../../meta/releases/kubernetes-features.ts';
import type { KindDefinition } from './kind-definition.ts';
import type { StrategyOptions } from './strategy.ts';
import type { TableCell } from './table-columns.ts';

/** The cells of one object in the order of the columns of its kind. It gets any object that a client stored, and must not throw. */
export type RowCells = (object: KubernetesObject, nowMs: number) => readonly TableCell[];

/** The cells of the objects of one list, where they depend on the others. */
export type ListCells = (objects: Iterable<KubernetesObject>) => RowCells;

/**
 * Facts of a built-in kind that the tables do not have.
 *
 * Names, scope, short names, verbs, subresources, and the columns of the table come from the recorded surface of kube-apiserver
 * (`meta/surface`, `kinds/columns`), so a kind needs no rules to be served. Rules add what is particular to it: the cells of its
 * columns, defaults, the status of a new object, validation, selectable fields, hooks, and subresources besides `status`
 * (`newSubresources`). Resources without stored objects are no kinds: see `VirtualResource`.
 *
 * The rules of a group stand in the folder of the group, `kinds/GROUP`, and are listed in `kind-rules-list.ts`.
 */
export interface KindRules
  extends Omit<Partial<KindDefinition>, 'describe' | 'strategy' | 'table' | 'deletesCollections'> {
  /** @defaultValue the core group */
  readonly group?: string | undefined;
  /** Lower-case plural. */
  readonly resource: string;
  /** Only for this version of the resource. @defaultValue every version */
  readonly version?: string | undefined;
  /**
   * Laid over what `kindTraits` says: whether there is a generation, which names are allowed, whether a PUT may create. That
   * there is a status subresource is known from the surface.
   */
  readonly strategy?: StrategyOptions | undefined;
  /** Selectable fields that older versions do not have. */
  readonly selectableSince?: Readonly<Record<string, KubernetesFeature>> | undefined;
  /** @defaultValue those of `kinds/cells` */
  readonly cells?: RowCells | undefined;
}
