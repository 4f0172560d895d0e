import { isNotFound } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { GetListOptions, StorageList } from '../../storage/contract/storage-interface.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { deleteObject, deleteStored, warnOfDefaultPropagation } from './delete-object.ts';
import type { DeleteRequest, RequestContext, WriteResult } from '../contract/rest-storage.ts';
import { storageFailure } from './storage-failures.ts';
import { present, type StoreParts } from './store-parts.ts';

/** Number of objects in one page, that is, in memory at a time besides the response. */
const PAGE_SIZE = 500;
/** Number of concurrent deletions. */
const WORKERS = 8;

export interface CollectionDeletion {
  readonly context: RequestContext;
  /** Prefix or key to list. */
  readonly key: string;
  readonly list: GetListOptions<UnstructuredObject>;
  readonly request: DeleteRequest;
}

/**
 * Deletes all objects of a list, several at a time, page by page. If another client deletes an object first, that is not an error.
 * The first other error ends the deletion, and the objects deleted so far stay deleted.
 * @returns the objects as they were listed, before their deletion, in key order: what kube-apiserver returns.
 */
export async function deleteCollection(
  parts: StoreParts,
  { context, key, list, request }: CollectionDeletion,
): Promise<StorageList<UnstructuredObject>> {
  const deleted: WriteResult[] = [];
  const one: DeleteRequest = { ...request, admission: request.admission ?? 'collection' };
  warnOfDefaultPropagation(parts, context, request);
  let next: GetListOptions<UnstructuredObject> = { ...list, limit: list.limit ?? PAGE_SIZE };
  let continueToken: string | undefined;
  let resourceVersion: string | undefined;
  let remainingItemCount: number | undefined;
  try {
    do {
      const page = await parts.storage.getList(key, next);
      resourceVersion ??= page.resourceVersion;
      await deletePage(parts, context, page.items, one);
      deleted.push(...page.items.map((item) => present(parts, item)));
      ({ continueToken, remainingItemCount } = page);
      // The token contains the version of the list; a request with both is refused.
      const version = { resourceVersion: undefined, resourceVersionMatch: undefined };
      next = { ...next, ...version, continueToken };
    } while (continueToken !== undefined && list.limit === undefined);
  } catch (error) {
    throw storageFailure(error, 'delete', parts.kind.describe, '');
  }
  return { items: deleted, resourceVersion, continueToken, remainingItemCount };
}

async function deletePage(
  parts: StoreParts,
  context: RequestContext,
  items: readonly StoredObject<UnstructuredObject>[],
  request: DeleteRequest,
): Promise<void> {
  let next = 0;
  let failed = false;
  const work = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const item = items[next] as StoredObject<UnstructuredObject>;
      next += 1;
      try {
        await deleteListed(parts, context, item, request);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(WORKERS, items.length) }, work));
}

/** No failure when another client deleted the object first. */
async function deleteListed(
  parts: StoreParts,
  context: RequestContext,
  item: StoredObject<UnstructuredObject>,
  request: DeleteRequest,
): Promise<void> {
  const { name = '', namespace = '' } = item.metadata;
  try {
    const answer = await deleteStored(parts, context, item, request);
    if (answer !== undefined) return;
    await deleteObject(parts, { ...context, namespace }, name, request);
  } catch (error) {
    const reported = storageFailure(error, 'delete', parts.kind.describe, name);
    if (!isNotFound(reported)) throw reported;
  }
}
