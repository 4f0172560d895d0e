import { jsonEqual, type JsonRecord } from '../../../meta/json-value.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type {
  AdmissionOperation,
  AdmissionRequest,
  AdmittedVersions,
} from '../contract/admission.ts';
import type { DeleteRequest, RequestContext, WriteOptions } from '../contract/rest-storage.ts';
import { SERVER_USER } from '../contract/server-context.ts';
import { userNamed } from '../contract/user-info.ts';
import { decodeEntries } from '../managed-fields/managed-entry.ts';
import { toMutableObject, type MutableObject } from '../rules/mutable-object.ts';
import { servedForm, type StoreAdmission, type StoreParts } from './store-parts.ts';
import { dropRepeatedOwners } from './typed-body.ts';

/** The admitted request. Objects are in the stored form. */
export interface AdmittedWrite {
  readonly operation: AdmissionOperation;
  readonly context: RequestContext;
  readonly name: string;
  readonly subresource: string;
  readonly dryRun: boolean;
  readonly options: JsonRecord;
  readonly object: UnstructuredObject | undefined;
  readonly oldObject: UnstructuredObject | undefined;
}

/** The admission of a request; undefined when nothing looks at it. What the server itself does is not admitted. */
export function admissionOf(
  { chain, kind: { describe } }: StoreParts,
  { user }: RequestContext,
  operation: AdmissionOperation,
  subresource: string,
): StoreAdmission | undefined {
  if (chain === undefined || user === SERVER_USER) return undefined;
  const { group, resource } = describe;
  return chain.plugins.wants({ operation, group, resource, subresource }) ? chain : undefined;
}

/** Lets plug-ins change an object, and returns it. It is read anew as its kind if they have. @throws {ApiError} */
export async function mutated(
  parts: StoreParts,
  { plugins, versions }: StoreAdmission,
  write: AdmittedWrite & { readonly object: MutableObject },
): Promise<MutableObject> {
  const { conversion } = parts.kind;
  const { context, object } = write;
  const before = object.metadata['managedFields'];
  const request = requestOf(parts, versions, write);
  await plugins.mutate(request);
  const given = request.object ?? object;
  const result = toMutableObject(conversion === undefined ? given : conversion.toStored(given));
  result.apiVersion = parts.storedApiVersion;
  keepManagedFields(result, before, context);
  dropRepeatedOwners(result, context, true);
  return result;
}

/** Asks plug-ins about an object as it will be written. @throws {ApiError} */
export async function validated(
  parts: StoreParts,
  { plugins, versions }: StoreAdmission,
  write: AdmittedWrite,
): Promise<void> {
  await plugins.validate(requestOf(parts, versions, write));
}

/** The admission of one deletion: plug-ins may also change what they know, but not the object. @throws {ApiError} */
export async function admitDeletion(
  parts: StoreParts,
  context: RequestContext,
  existing: UnstructuredObject,
  request: DeleteRequest,
): Promise<void> {
  if (request.admission === 'done') return;
  const admission = admissionOf(parts, context, 'DELETE', '');
  if (admission === undefined) return;
  const { name = '' } = existing.metadata ?? {};
  const deletion = requestOf(parts, admission.versions, {
    operation: 'DELETE',
    context,
    name: request.admission === 'collection' ? '' : name,
    subresource: '',
    dryRun: request.dryRun === true,
    options: deleteOptions(parts, existing, request),
    object: undefined,
    oldObject: existing,
  });
  await admission.plugins.mutate(deletion);
  await admission.plugins.validate(deletion);
}

/** The options of a write as webhooks see them. */
export function writtenOptions(
  kind: 'CreateOptions' | 'UpdateOptions',
  { asked, dryRun }: WriteOptions,
): JsonRecord {
  return {
    kind,
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
    ...asked,
  };
}

function deleteOptions(
  { kind }: StoreParts,
  existing: UnstructuredObject,
  { gracePeriodSeconds, preconditions, propagationPolicy, dryRun }: DeleteRequest,
): JsonRecord {
  const { strategy } = kind;
  const seconds =
    strategy.gracePeriodSeconds?.(existing as MutableObject, gracePeriodSeconds) ??
    gracePeriodSeconds;
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
    ...(preconditions === undefined ? {} : { preconditions: { ...preconditions } }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}

function requestOf(
  parts: StoreParts,
  versions: AdmittedVersions,
  { context, object, oldObject, ...write }: AdmittedWrite,
): AdmissionRequest {
  const { describe } = parts.kind;
  const { namespaced, group, version, resource, kind } = describe;
  const isNamespace = group === '' && resource === 'namespaces';
  const own = object?.metadata?.namespace ?? oldObject?.metadata?.namespace ?? '';
  const clusterNamespace = isNamespace
    ? write.name || (object ?? oldObject)?.metadata?.name || ''
    : '';
  return {
    ...write,
    target: { group, version, resource, kind },
    namespace: namespaced ? context.namespace || own : clusterNamespace,
    user: context.identity ?? userNamed(context.user),
    object: object && inRequestedVersion(parts, object),
    oldObject: oldObject && inRequestedVersion(parts, oldObject),
    versions,
    context,
  };
}

function inRequestedVersion(parts: StoreParts, object: UnstructuredObject): UnstructuredObject {
  const { apiVersion, kind } = parts;
  const served = servedForm(parts, object);
  return { ...served, apiVersion, kind: kind.describe.kind, metadata: { ...served.metadata } };
}

/** Managed fields that no server could read are set back. */
function keepManagedFields(
  { metadata }: MutableObject,
  before: unknown,
  { warn }: RequestContext,
): void {
  const after = metadata['managedFields'];
  if (jsonEqual(before, after) || decodeEntries(after) !== undefined) return;
  metadata['managedFields'] = before;
  warn(
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: metadata.managedFields: Invalid value: it cannot be read',
  );
}
