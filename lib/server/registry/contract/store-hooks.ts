import type { WriteResult } from './rest-storage.ts';
import type { MutableObject } from '../rules/mutable-object.ts';

/** Ends what a `begin` hook started: `success` tells whether the object was written. */
export type FinishWrite = (success: boolean) => void;

/**
 * Hooks around the writes of one kind, in this process. `begin` hooks run before the write, on the object about to be
 * written, and may change or refuse it; `after` hooks cannot fail a write that has happened, so they must not throw.
 * Writes of other processes on the same storage do not pass here.
 * @see apiserver pkg/registry/generic/registry/store.go Store @ 24a394e
 */
export interface StoreHooks {
  beginCreate?(object: MutableObject): Promise<FinishWrite>;
  beginUpdate?(object: MutableObject, existing: MutableObject): Promise<FinishWrite>;
  afterCreate?(result: WriteResult): void;
  afterUpdate?(result: WriteResult): void;
  afterDelete?(result: WriteResult): void;
}
