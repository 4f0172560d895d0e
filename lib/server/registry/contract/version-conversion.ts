import type { UnstructuredObject } from '../../../meta/object.ts';

/**
 * How the objects of a served version become those of the stored version, and back. Both functions leave their argument unchanged,
 * accept whatever a client may have stored, and do not throw. The apiVersion is set by their caller.
 */
export interface VersionConversion {
  readonly toStored: (object: UnstructuredObject) => UnstructuredObject;
  readonly fromStored: (object: UnstructuredObject) => UnstructuredObject;
}
