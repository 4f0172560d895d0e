import type { Status } from '../../../meta/failure/status.ts';
import { badRequest, type FieldCause } from '../../../meta/failure/failures.ts';
import {
  deletionCauses,
  policyOf,
  type DeletionOptions,
} from '../../registry/contract/deletion-options.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { deletionStatus, type DeleteRequest } from '../../registry/contract/rest-storage.ts';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { bytesResponse } from '../../http/responses/api-response.ts';
import { encodeDocument } from '../../http/responses/document-response.ts';
import { decodeOptions } from '../../http/body/body.ts';
import { noTypeMeta, wrongType } from '../../http/body/body-failures.ts';
import type { Exchange } from './exchange.ts';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../../http/body/json-tree.ts';
import { queryFlag, queryNumber, queryText, parseListOptions } from '../../http/query-options.ts';
import { objectResponse, listResponse } from './render.ts';
import { includeObject } from './shape.ts';
import { invalidOptions, methodNotAllowed } from '../../http/request-failures.ts';

/** DELETE of all matching objects of a collection; responds with the deleted objects. */
export async function serveDeleteCollection(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, query, sharded } = exchange;
  if (storage.deleteCollection === undefined) throw methodNotAllowed();
  const options = parseListOptions(query, { sharded });
  storage.checkSelectors?.(options);
  const { deletion } = parseDeleteRequest(exchange);
  if (deletion.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
    const rule = 'is not allowed with DELETECOLLECTION, try again after removing the option';
    throw invalidOptions('DeleteOptions', [fieldInvalid(IGNORE_READ_ERROR, true, rule)]);
  }
  const deleted = await storage.deleteCollection(context, options, deletion);
  return listResponse(exchange, deleted, options.shardSelector);
}

/** DELETE of one object. */
export async function serveDelete(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info } = exchange;
  if (storage.delete === undefined) throw methodNotAllowed();
  const name = info.name ?? '';
  const { deletion, orphanDependents } = parseDeleteRequest(exchange);
  const { result, done } = await storage.delete(context, name, deletion);
  if (storage.returnsDeletedObject !== true && done) {
    const status =
      deletion.ignoreStoreReadErrorWithClusterBreakingPotential === true
        ? unreadDeletionStatus(storage.describe.kind, name)
        : deletionStatus(storage.describe, name, result.metadata.uid);
    const { mediaType, pretty, as } = exchange.representation;
    if (as === 'Table') includeObject(exchange.query);
    return bytesResponse(200, mediaType, encodeDocument(status, mediaType, pretty));
  }
  // Only an explicit request gets the status that says that the deletion continues.
  const continues = !done && orphanDependents === false;
  return objectResponse(exchange, continues ? 202 : 200, result);
}

/** kube-apiserver has no object to make the usual Status of, so that this one names the kind. */
function unreadDeletionStatus(kind: string, name: string): Status {
  const details = { name, kind };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 };
}

export interface ParsedDeleteRequest {
  readonly deletion: DeleteRequest;
  /** The predecessor of the propagation policy, as in the request. */
  readonly orphanDependents: boolean | undefined;
}

const DELETE_OPTIONS = { group: '', version: 'v1', kind: 'DeleteOptions' } as const;

/**
 * Reads the options of a deletion: from the body if there is one, otherwise from the query.
 * @throws {ApiError} 400, 415, or 422 for contradictory options.
 */
export function parseDeleteRequest({
  request,
  query,
  unsafeObjectDeletion,
}: Pick<Exchange, 'request' | 'query' | 'unsafeObjectDeletion'>): ParsedDeleteRequest {
  const given = request.body.byteLength > 0 ? optionsOfBody(request) : optionsOfQuery(query);
  const options = unsafeObjectDeletion ? given : { ...given, ignoreReadError: undefined };
  const causes = [...deletionCauses(options), ...unsafeCauses(options)];
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  return {
    orphanDependents: options.orphanDependents,
    deletion: {
      ignoreStoreReadErrorWithClusterBreakingPotential: options.ignoreReadError,
      preconditions: options.preconditions,
      gracePeriodSeconds: options.gracePeriodSeconds,
      propagationPolicy: policyOf(options),
      dryRun: options.dryRun.length > 0,
    },
  };
}

/** The option for removing unreadable objects. */
export const IGNORE_READ_ERROR = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/**
 * The option for unreadable objects excludes every option that reads the object.
 * @see apimachinery pkg/apis/meta/v1/validation ValidateIgnoreStoreReadError @ eed236c
 */
function unsafeCauses(options: RawDeleteOptions): FieldCause[] {
  if (options.ignoreReadError !== true) return [];
  const others = {
    dryRun: options.dryRun.length > 0,
    propagationPolicy: options.propagationPolicy !== undefined,
    orphanDependents: options.orphanDependents !== undefined,
    gracePeriodSeconds: options.gracePeriodSeconds !== undefined,
    preconditions: options.preconditions !== undefined,
  };
  return Object.entries(others).flatMap(([name, given]) =>
    given ? [fieldInvalid(IGNORE_READ_ERROR, true, `cannot be set together with .${name}`)] : [],
  );
}

interface RawDeleteOptions extends DeletionOptions {
  readonly preconditions: DeleteRequest['preconditions'];
  readonly gracePeriodSeconds: number | undefined;
  readonly ignoreReadError: boolean | undefined;
}

function optionsOfQuery(query: URLSearchParams): RawDeleteOptions {
  return {
    preconditions: preconditionsOfQuery(query),
    gracePeriodSeconds: queryNumber(query, 'gracePeriodSeconds'),
    propagationPolicy: queryText(query, 'propagationPolicy'),
    orphanDependents: queryFlag(query, 'orphanDependents'),
    dryRun: query.getAll('dryRun'),
    ignoreReadError: queryFlag(query, IGNORE_READ_ERROR),
  };
}

/** @see apimachinery pkg/apis/meta/v1/conversion.go Convert_url_Values_To_v1_DeleteOptions @ v0.36.3 */
function preconditionsOfQuery(query: URLSearchParams): DeleteRequest['preconditions'] {
  const [uid, resourceVersion] = [queryText(query, 'uid'), queryText(query, 'resourceVersion')];
  return uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
}

function optionsOfBody(request: ApiRequest): RawDeleteOptions {
  const body = decodeOptions(request, DELETE_OPTIONS);
  checkKind(body);
  const grace = member(body, 'gracePeriodSeconds', 'int64', isNumber);
  return {
    preconditions: preconditionsOf(body),
    gracePeriodSeconds: grace === undefined ? undefined : gracePeriod(grace),
    propagationPolicy: member(body, 'propagationPolicy', 'v1.DeletionPropagation', isText),
    orphanDependents: member(body, 'orphanDependents', 'bool', isFlag),
    dryRun: member(body, 'dryRun', '[]string', isTextList) ?? [],
    ignoreReadError: member(body, IGNORE_READ_ERROR, 'bool', isFlag),
  };
}

/** The options may be of any version. */
function checkKind(body: JsonObject): void {
  const kind = text(body, 'kind') || DELETE_OPTIONS.kind;
  const apiVersion = text(body, 'apiVersion') || DELETE_OPTIONS.version;
  if (kind === DELETE_OPTIONS.kind) return;
  throw badRequest(
    `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

function text(body: JsonObject, name: string): string {
  const value = getOwn(body, name) ?? '';
  if (typeof value === 'string') return value;
  throw badRequest(noTypeMeta(wrongType(value, `struct field .${name} of type string`)));
}

function preconditionsOf(body: JsonObject): DeleteRequest['preconditions'] {
  const given = member(body, 'preconditions', 'v1.Preconditions', isJsonObject);
  if (given === undefined) return undefined;
  const owner = 'Preconditions.preconditions';
  return {
    uid: member(given, 'uid', 'types.UID', isText, owner),
    resourceVersion: member(given, 'resourceVersion', 'string', isText, owner),
  };
}

/** A member of an options object; null counts as absent. @throws {ApiError} 400 when it has another type. */
function member<T extends Json>(
  object: JsonObject,
  name: string,
  type: string,
  fits: (value: Json) => value is T,
  owner: string = DELETE_OPTIONS.kind,
): T | undefined {
  const value = getOwn(object, name) ?? null;
  if (value === null) return undefined;
  if (!fits(value)) {
    throw badRequest(wrongType(value, `struct field ${owner}.${name} of type ${type}`));
  }
  return value;
}

function isNumber(value: Json): value is number {
  return typeof value === 'number';
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

function isFlag(value: Json): value is boolean {
  return typeof value === 'boolean';
}

function isTextList(value: Json): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** A negative grace period means the shortest one. */
function gracePeriod(value: number): number {
  if (!Number.isSafeInteger(value)) {
    const place = 'struct field DeleteOptions.gracePeriodSeconds of type int64';
    throw badRequest(`json: cannot unmarshal number ${value} into Go ${place}`);
  }
  return value < 0 ? 1 : value;
}
