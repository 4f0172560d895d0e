import type { UnstructuredObject } from '../../../meta/object.ts';
import type { RequestContext, WriteResult } from './rest-storage.ts';
import type { MutableObject } from '../rules/mutable-object.ts';

/** Called after a `begin` hook; `success` tells whether the object was written. */
export type FinishWrite = (success: boolean) => void;

/** What a write is of. */
export interface WriteTarget {
  /** The name in the URL; empty for a creation. */
  readonly name: string;
  /** The stored object; undefined when the write creates it. */
  readonly existing: UnstructuredObject | undefined;
}

/**
 * Hooks around the writes of one kind in this process. `begin` hooks run before the write, with the object to be written, and
 * may change or refuse it. `after` hooks run after the write and cannot make it fail: an error that they throw is logged.
 * Writes of other processes on the same storage do not call them.
 * @see apiserver pkg/registry/generic/registry/store.go Store @ 24a394e
 */
export interface StoreHooks {
  /**
   * Called before everything else with the object of a creation or update, read as its kind; it may refuse what the user may not
   * write. @throws {ApiError} 403.
   */
  authorize?(
    context: RequestContext,
    object: UnstructuredObject,
    write: WriteTarget,
  ): Promise<void>;
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
