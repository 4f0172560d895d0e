import { badRequest } from '../../../meta/failures.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { isResourceVersion } from '../../../meta/resource-version.ts';
import type { Revision } from '../../mvcc/key-value-store.ts';

const LARGEST = 2n ** 64n - 1n;

/**
 * Converts engine revisions to resource versions and back. No other code depends on resource versions being numbers.
 * @see apiserver pkg/storage/api_object_versioner.go @ 24a394e
 */
export interface Versioner {
  /** The resource version of a revision: its decimal digits. */
  resourceVersionOf(revision: Revision): string;
  /**
   * The revision of a resource version; 0 if it is left out, empty or `"0"`.
   * @throws {ApiError} 400 for anything else than a 64-bit decimal number.
   */
  parseResourceVersion(resourceVersion: string | undefined): Revision;
  /** The revision in the metadata of an object; 0 if it has none. @throws {ApiError} 400. */
  revisionOf(object: HasMetadata): Revision;
}

function parseResourceVersion(resourceVersion: string | undefined): Revision {
  if (resourceVersion === undefined || resourceVersion === '') return 0n;
  const revision = isResourceVersion(resourceVersion) ? BigInt(resourceVersion) : undefined;
  if (revision === undefined || revision > LARGEST) {
    throw badRequest(
      `Invalid value: "${resourceVersion}": resourceVersion must be a decimal number`,
    );
  }
  return revision;
}

export const apiObjectVersioner: Versioner = {
  resourceVersionOf: (revision: Revision): string => revision.toString(),
  parseResourceVersion,
  revisionOf: (object: HasMetadata): Revision =>
    parseResourceVersion(object.metadata?.resourceVersion),
};
