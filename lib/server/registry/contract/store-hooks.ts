import type { WriteResult } from './rest-storage.ts';
import type { MutableObject } from '../rules/mutable-object.ts';

/** Called after a `begin` hook; `success` tells whether the object was written. */
export type FinishWrite = (success: boolean) => void;

/**
 * Hooks around the writes of one kind in this process. `begin` hooks run before the write, with the object to be written, and
 * may change or refuse it. `after` hooks run after the write and cannot make it fail: an error that they throw is logged.
 * Writes of other processes on the same storage do not call them.
 * @see apiserver pkg/registry/generic/registry/store.go Store @ 24a394e
 */
export interface StoreHooks {
  beginCreate?(object: MutableObject): Promise<FinishWrite>;
  /** Shows in the object of a dry run what a creation would allocate; allocates nothing. */
  previewCreate?(object: MutableObject): Promise<void>;
  beginUpdate?(object: MutableObject, existing: MutableObject): Promise<FinishWrite>;
  afterCreate?(result: WriteResult): void;
  afterUpdate?(result: WriteResult): void;
  afterDelete?(result: WriteResult): void;
  /** Called after stored objects were replaced without these hooks: state that comes from them has to be read again. */
  reload?(): void;
}
