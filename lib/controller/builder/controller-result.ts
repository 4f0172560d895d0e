import type { KubernetesObject } from '../../meta/object.ts';

/** The status of a kind; of a kind without a known one, any object. */
export type StatusOf<T extends KubernetesObject> = T extends {
  readonly status?: infer Status | undefined;
}
  ? Status
  : object;

/** Fields to merge: null removes one, a list is replaced whole. */
export type MergePart<T> = T extends readonly unknown[] | Date | string | number | boolean
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: MergePart<T[Field]> | null | undefined }
    : T;

/** What a reconcile asks for. Nothing: the object is as it should be until the next change. */
export interface ControllerResult<T extends KubernetesObject> {
  /**
   * Fields of the status, which are merged into the stored ones; null removes a field, a list is replaced whole. Nothing is sent if
   * the stored status has these values already.
   */
  readonly status?: MergePart<StatusOf<T>> | undefined;
  /** Reconciles again after this time. 0 or left out: only after the next change. */
  readonly requeueAfterMs?: number | undefined;
}
