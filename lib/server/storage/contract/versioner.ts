import { badRequest, withoutReason } from '../../../meta/failure/failures.ts';
import type { HasMetadata } from '../../../meta/object.ts';
import { isResourceVersion } from '../../../meta/versions/resource-version.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';

const LARGEST = 2n ** 64n - 1n;

/**
 * Converts engine revisions to resource versions and back. No other code depends on resource versions being numbers.
 * @see apiserver pkg/storage/api_object_versioner.go @ 24a394e
 * @experimental
 */
export interface Versioner {
  /** The resource version of a revision: its decimal digits. */
  resourceVersionOf(revision: Revision): string;
  /**
   * The revision of a resource version; 0 if it is left out, empty or `"0"`.
   * @throws {ApiError} 500 without a reason, as kube-apiserver, for anything else than a 64-bit decimal number.
   */
  parseResourceVersion(resourceVersion: string | undefined): Revision;
  /** The revision in the metadata of an object; 0 if it has none. @throws {ApiError} 500. */
  revisionOf(object: HasMetadata): Revision;
}

function parseResourceVersion(resourceVersion: string | undefined): Revision {
  if (resourceVersion === undefined || resourceVersion === '') return 0n;
  const failure = resourceVersionFailure(resourceVersion);
  if (failure !== undefined) {
    throw withoutReason(
      `resourceVersion: Invalid value: ${JSON.stringify(resourceVersion)}: ${failure}`,
    );
  }
  return BigInt(resourceVersion);
}

/** The words of an API server for a text that is no resource version; undefined for one that is. */
export function resourceVersionFailure(text: string): string | undefined {
  if (!isResourceVersion(text)) {
    return `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  if (BigInt(text) <= LARGEST) return undefined;
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`;
}

/** The same of the resource version of a get or a list. @throws {ApiError} 400. */
export function parseListVersion(versioner: Versioner, resourceVersion: string): Revision {
  try {
    return versioner.parseResourceVersion(resourceVersion);
  } catch (error) {
    throw badRequest(`invalid resource version: ${errorMessage(error)}`, error);
  }
}

export const apiObjectVersioner: Versioner = {
  resourceVersionOf: (revision: Revision): string => revision.toString(),
  parseResourceVersion,
  revisionOf: (object: HasMetadata): Revision =>
    parseResourceVersion(object.metadata?.resourceVersion),
};
