import type { UnstructuredObject } from '../../../meta/object.ts';
import type { RequestContext, WriteResult } from './rest-storage.ts';
import type { MutableObject } from '../rules/mutable-object.ts';

/** Called after a `prepare` or `begin` hook; `success` says whether the object was written. The request waits for its promise. */
export type FinishWrite = (success: boolean) => void | Promise<void>;

/** The object that a write concerns. */
export interface WriteTarget {
  /** The name in the URL; empty for a creation. */
  readonly name: string;
  /** The stored object; undefined when the write creates it. */
  readonly existing: UnstructuredObject | undefined;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/**
 * Hooks around the writes of one kind in this process. `prepare` hooks run before the strategy and the validation, also in a dry
 * run, in which they must take nothing; they do not run for subresources. `begin` hooks run before the write, with the object to be
 * written. Both may change or refuse the object. `after` hooks run after the write and cannot make it fail: an error that they throw
 * is logged.
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
  /**
   * Called after `authorize` with a new object: reads what its strategy needs of other stored objects, which gets the result as
   * `found`. @throws {ApiError} 403.
   */
  lookUp?(object: UnstructuredObject): Promise<unknown>;
  prepareCreate?(object: MutableObject, dryRun: boolean): Promise<FinishWrite>;
  prepareUpdate?(
    object: MutableObject,
    existing: MutableObject,
    dryRun: boolean,
  ): Promise<FinishWrite>;
  beginCreate?(object: MutableObject): Promise<FinishWrite>;
  beginUpdate?(object: MutableObject, existing: MutableObject): Promise<FinishWrite>;
  afterCreate?(result: WriteResult): void;
  afterUpdate?(result: WriteResult): void;
  /** The request waits for the promise. */
  afterDelete?(result: WriteResult): void | Promise<void>;
  /** Called after stored objects were replaced without these hooks: state that comes from them has to be read again. */
  reload?(): void;
}
