import type { UnstructuredObject } from '../../../meta/object.ts';
import type { WriteOptions, WriteResult } from '../../registry/contract/rest-storage.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { decodeBody } from '../../http/body/body.ts';
import { inputType } from '../../http/body/content-type.ts';
import type { Exchange } from './exchange.ts';
import { writeOptionsOf } from './write-options.ts';
import { objectResponse } from './render.ts';
import { methodNotAllowed } from '../../http/request-failures.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import { asJson, asObject, cloneJson } from '../../http/body/json-tree.ts';
import { nameMissing } from '../../registry/rules/name-validation.ts';

/** PUT of one object. */
export async function serveUpdate(exchange: Exchange): Promise<ApiResponse> {
  const { storage, context, info, request } = exchange;
  if (storage.update === undefined) throw methodNotAllowed();
  const options = writeOptionsOf(exchange, 'UpdateOptions');
  const name = info.name ?? '';
  const { object, faults } = decodeBody(request, storage.describe);
  checkAddress(object, name, context.namespace);
  context.step?.('body decoded');
  // Each attempt gets its own object, so that its changes do not reach the next attempt.
  const update = (): UnstructuredObject => asObject(cloneJson(asJson(object)));
  const { result, created } = await storage.update(context, name, update, {
    ...options,
    bodyFaults: () => faults,
  });
  return objectResponse(exchange, created ? 201 : 200, result);
}

/** The object must have the name and namespace of the URL. @throws {ApiError} 400. */
export function checkAddress(
  { metadata }: UnstructuredObject,
  name: string,
  namespace: string,
): void {
  const found: unknown = metadata?.name ?? '';
  // A value that is not a text is refused when the object is read as its kind.
  if (typeof found !== 'string') return;
  const given = metadata?.namespace ?? '';
  if (given !== '' && namespace !== '' && given !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (found === '') throw nameMissing(name);
  if (found !== name) {
    throw badRequest(
      `the name of the object (${found}) does not match the name on the URL (${name})`,
    );
  }
}

/** POST to a collection, or to a subresource of one object. */
export async function serveCreate(exchange: Exchange): Promise<ApiResponse> {
  const { storage, info } = exchange;
  const verb = info.name === undefined ? 'create' : 'createNamed';
  if (storage[verb] === undefined) throw methodNotAllowed();
  inputType(exchange.request.headers['content-type']);
  const options = writeOptionsOf(exchange, 'CreateOptions');
  const { object, faults } = decodeBody(
    exchange.request,
    storage.describe,
    storage.acceptedVersions,
  );
  exchange.context.step?.('body decoded');
  return objectResponse(
    exchange,
    201,
    await creation(exchange, object, { ...options, bodyFaults: returning(faults) }),
  );
}

function returning<T>(value: T): () => T {
  return () => value;
}

/** @throws {ApiError} 405. */
async function creation(
  { storage, context, info: { name } }: Exchange,
  object: UnstructuredObject,
  options: WriteOptions,
): Promise<WriteResult> {
  const created =
    name === undefined
      ? storage.create?.(context, object, options)
      : storage.createNamed?.(context, name, object, options);
  if (created === undefined) throw methodNotAllowed();
  return await created;
}
