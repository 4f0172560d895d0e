import { conflict, forbidden, invalid } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { planDeletion, type DeletionPlan } from './deletion-plan.ts';
import { fieldInvalid } from '../rules/field-causes.ts';
import { isStorageError } from '../../storage/contract/storage-error.ts';
import { DerivedObject } from '../rules/derived-object.ts';
import type { MutableObject } from '../rules/mutable-object.ts';
import type { DeleteRequest, RequestContext, WriteResult } from '../contract/rest-storage.ts';
import { serverContext } from '../contract/server-context.ts';
import { storageFailure } from './storage-failures.ts';
import { objectKey, present, type StoreParts } from './store-parts.ts';
import { admitDeletion } from './write-admission.ts';

export interface DeleteAnswer {
  readonly result: WriteResult;
  /** False while finalizers or a grace period keep the object. */
  readonly done: boolean;
}

/** The verb of the right to remove an object that cannot be read. */
const UNSAFE_DELETE = 'unsafe-delete-ignore-read-errors';

const READABLE =
  'is exclusively used to delete corrupt object(s), try again by removing this option';

/** Thrown to leave a storage call: the object has changed and needs another plan. */
class PlanChanged extends Error {}

/**
 * Deletes an object, or marks it as being deleted when a grace period or finalizers keep it.
 *
 * Pods on a node get their grace period, as on every cluster. But no kubelet here confirms that the containers have stopped, so
 * the server itself removes the pod after the period (see `GracePeriodReaper`), unless a client does so first in place of the
 * kubelet. A propagation policy adds its finalizer; the garbage collector, which is no part of an API server, would remove it.
 *
 * Awaits between read and write; the storage's compare-and-swap makes that safe.
 * @throws {ApiError} 400, 403, 404, 409; 500 with reason StorageReadError for an object that cannot be read.
 */
export async function deleteObject(
  parts: StoreParts,
  context: RequestContext,
  name: string,
  request: DeleteRequest,
): Promise<DeleteAnswer> {
  const key = objectKey(parts, context.namespace, name);
  warnOfDefaultPropagation(parts, context, request);
  try {
    if (request.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
      await context.authorize?.(UNSAFE_DELETE, (reason) => {
        const text = `not permitted to do ${JSON.stringify(UNSAFE_DELETE)}, reason: ${reason}`;
        return forbidden(parts.kind.describe, name, text);
      });
      return await removeUnreadable(parts, context, key, name);
    }
    for (;;) {
      const stored = await parts.storage.get(key, { signal: context.signal });
      const answer = await deleteStored(parts, context, stored as WriteResult, request);
      if (answer !== undefined) return answer;
    }
  } catch (error) {
    throw storageFailure(error, 'delete', parts.kind.describe, name);
  }
}

/** Some kinds keep their dependents unless the request says otherwise, which surprises. */
export function warnOfDefaultPropagation(
  { kind }: StoreParts,
  { warn }: RequestContext,
  { propagationPolicy }: DeleteRequest,
): void {
  const { defaultPropagationWarning } = kind.strategy;
  if (propagationPolicy !== undefined || defaultPropagationWarning === undefined) return;
  warn(defaultPropagationWarning);
}

/** Deletes an object that was read before; undefined when it has changed and has to be read again. */
export async function deleteStored(
  parts: StoreParts,
  context: RequestContext,
  stored: StoredObject<UnstructuredObject>,
  request: DeleteRequest,
): Promise<DeleteAnswer | undefined> {
  checkPreconditions(parts, stored, request);
  const { action, object } = plan(parts, stored.object, request);
  const done = action === 'remove' || action === 'mark and remove';
  if (action === 'wait') return { result: present(parts, stored), done };
  if (request.dryRun === true) {
    await admitDeletion(parts, context, stored.object, request);
    return { result: present(parts, new DerivedObject(stored.key, object)), done };
  }
  try {
    if (action === 'remove') {
      return { result: present(parts, await remove(parts, context, stored, request)), done };
    }
    const marked = await mark(parts, context, stored, request);
    if (!done) return { result: present(parts, marked), done };
    return await deleteStored(parts, context, marked, afterMark(request, marked));
  } catch (error) {
    if (error instanceof PlanChanged) return undefined;
    throw error;
  }
}

/** The version that a request asks for is that before the mark. */
function afterMark(request: DeleteRequest, { resourceVersion }: WriteResult): DeleteRequest {
  if (request.preconditions?.resourceVersion === undefined) return request;
  return { ...request, preconditions: { ...request.preconditions, resourceVersion } };
}

/**
 * Removes an unreadable object without validation, finalizers and hooks, because these would have to read it.
 * @see apiserver pkg/registry/generic/registry/corrupt_obj_deleter.go @ 24a394e
 */
async function removeUnreadable(
  { storage, reaper, kind: { describe } }: StoreParts,
  { client, guard, signal }: RequestContext,
  key: string,
  name: string,
): Promise<DeleteAnswer> {
  try {
    const result = await storage.delete(key, { onlyIfUnreadable: true, client, guard, signal });
    reaper.forget(key);
    return { result, done: true };
  } catch (error) {
    if (!isStorageError(error, 'INVALID_OBJECT')) throw error;
    const field = 'ignoreStoreReadErrorWithClusterBreakingPotential';
    const causes = [fieldInvalid(field, true, READABLE)];
    // kube-apiserver names the resource in the place of the kind.
    throw invalid({ group: describe.group, kind: describe.resource }, name, causes);
  }
}

function plan(
  { kind, runtime }: StoreParts,
  object: UnstructuredObject,
  { gracePeriodSeconds, propagationPolicy }: DeleteRequest,
): DeletionPlan {
  return planDeletion(kind.strategy, object as MutableObject, {
    askedSeconds: gracePeriodSeconds,
    policy: propagationPolicy,
    nowMs: runtime.wallMs(),
  });
}

async function remove(
  parts: StoreParts,
  context: RequestContext,
  cachedExisting: StoredObject<UnstructuredObject>,
  request: DeleteRequest,
): Promise<WriteResult> {
  const { client, guard, signal, step } = context;
  const { storage, hooks, reaper } = parts;
  const { key } = cachedExisting;
  const deleted = await storage.delete(key, {
    preconditions: request.preconditions,
    cachedExisting,
    client,
    guard,
    signal,
    validate: async (current) => {
      if (plan(parts, current, request).action !== 'remove') {
        throw new PlanChanged();
      }
      await admitDeletion(parts, context, current, request);
    },
  });
  step?.('removed from storage');
  reaper.forget(key);
  await hooks.afterDelete?.(deleted);
  return deleted;
}

async function mark(
  parts: StoreParts,
  context: RequestContext,
  cachedExisting: StoredObject<UnstructuredObject>,
  request: DeleteRequest,
): Promise<WriteResult> {
  const { client, guard, signal, step } = context;
  const { storage, hooks, kind } = parts;
  const marked = await storage.guaranteedUpdate(
    cachedExisting.key,
    async ({ existing }) => {
      if (existing === undefined) throw new PlanChanged();
      await admitDeletion(parts, context, existing, request);
      const { action, object } = plan(parts, existing, request);
      if (action !== 'mark' && action !== 'mark and remove') throw new PlanChanged();
      return { object, ttlSeconds: kind.ttlSeconds };
    },
    { preconditions: request.preconditions, cachedExisting, client, guard, signal },
  );
  step?.('stored');
  endGracePeriod(parts, marked);
  hooks.afterUpdate?.(marked);
  return marked;
}

/** Schedules the removal of an object for the end of its grace period; no effect for an object without one. */
export function endGracePeriod(parts: StoreParts, marked: WriteResult): void {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, uid } = marked.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === 0) return;
  const { name = '', namespace = '' } = marked.metadata;
  const context = serverContext(namespace);
  parts.reaper.schedule(marked.key, Date.parse(String(deletionTimestamp)), async () => {
    await deleteObject(parts, context, name, { gracePeriodSeconds: 0, preconditions: { uid } });
  });
}

function checkPreconditions(
  { kind: { describe } }: StoreParts,
  { metadata, resourceVersion }: StoredObject<UnstructuredObject>,
  { preconditions }: DeleteRequest,
): void {
  const name = metadata.name ?? '';
  const asked = preconditions ?? {};
  // kube-apiserver names the kind in the place of the resource.
  const subject = { ...describe, resource: describe.kind };
  if (asked.uid !== undefined && asked.uid !== metadata.uid) {
    const reason = `the UID in the precondition (${asked.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, name, reason);
  }
  if (asked.resourceVersion !== undefined && asked.resourceVersion !== resourceVersion) {
    const reason = `the ResourceVersion in the precondition (${asked.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(subject, name, reason);
  }
}
