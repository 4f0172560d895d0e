import type { UnstructuredObject } from '../../../meta/object.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';

/** How readers and writers see the objects of a storage. */
export interface StoredForm {
  /** Whether readers may get another form of this state. It is not parsed for the answer. */
  differs(stored: StoredObject<UnstructuredObject>): boolean;
  /** The objects as readers get them, in their order; an object that does not change is itself. Stored objects are not changed. */
  read(
    objects: readonly UnstructuredObject[],
    signal: AbortSignal | undefined,
  ): Promise<readonly UnstructuredObject[]>;
  /** An object of a writer as it is stored; may change it. */
  store(object: UnstructuredObject, signal: AbortSignal | undefined): Promise<UnstructuredObject>;
}
