import type { KubernetesObject } from '../../../meta/object.ts';
import type { Revision } from '../../mvcc/contract/key-value-store.ts';
import { decodeContinue } from '../../storage/reads/continue-token.ts';
import type { GetListOptions } from '../../storage/contract/storage-interface.ts';
import { parseListVersion, type Versioner } from '../../storage/contract/versioner.ts';
import type { KeyScope } from '../window/key-scope.ts';

/** Where a list is answered from. */
export type ListRoute =
  /** From the storage: the cache cannot answer, or the request is invalid and the storage returns the error. */
  | { readonly source: 'storage' }
  /** From the cache, once it has reached the most recent revision of the storage. */
  | { readonly source: 'latest'; readonly startKey: string | undefined }
  /** From the cache, once it has reached `revision` (0: at once). */
  | { readonly source: 'cache'; readonly revision: Revision }
  /** From the state at `revision`. */
  | {
      readonly source: 'exact';
      readonly revision: Revision;
      readonly startKey: string | undefined;
    };

const STORAGE: ListRoute = { source: 'storage' };

/**
 * Decides where a list is answered from.
 * @throws {ApiError} 400 for a resource version or continue token that is not valid.
 * @see apiserver pkg/storage/cacher/delegator.go ShouldDelegateList @ 24a394e
 */
export function routeList<T extends KubernetesObject>(
  { path, recursive }: KeyScope,
  options: GetListOptions<T>,
  versioner: Versioner,
): ListRoute {
  const { resourceVersion = '', resourceVersionMatch, limit = 0, continueToken = '' } = options;
  if (continueToken !== '') {
    const isFirstPage = resourceVersion !== '' && resourceVersion !== '0';
    if (isFirstPage || resourceVersionMatch !== undefined || !recursive) return STORAGE;
    const position = decodeContinue(continueToken, path);
    const { startKey } = position;
    if (position.revision < 0n) return { source: 'latest', startKey };
    return { source: 'exact', revision: position.revision, startKey };
  }
  const revision = parseListVersion(versioner, resourceVersion);
  switch (resourceVersionMatch) {
    case 'Exact':
      return exactly(revision, recursive);
    case 'NotOlderThan':
      return resourceVersion === '' ? STORAGE : { source: 'cache', revision };
    case undefined:
      if (resourceVersion === '') return { source: 'latest', startKey: undefined };
      // Before match rules existed, a version with a limit meant exactly that version.
      return limit > 0 && revision > 0n
        ? exactly(revision, recursive)
        : { source: 'cache', revision };
    default:
      return STORAGE;
  }
}

function exactly(revision: Revision, recursive: boolean): ListRoute {
  const servable = recursive && revision > 0n;
  return servable ? { source: 'exact', revision, startKey: undefined } : STORAGE;
}
