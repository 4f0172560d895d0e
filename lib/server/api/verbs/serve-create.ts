import type { UnstructuredObject } from '../../../meta/object.ts';
import type { WriteOptions, WriteResult } from '../../registry/contract/rest-storage.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { decodeBody } from '../../http/body/body.ts';
import { inputType } from '../../http/body/content-type.ts';
import type { Exchange } from './exchange.ts';
import { writeOptionsOf } from './write-options.ts';
import { objectResponse } from './render.ts';
import { methodNotAllowed } from '../../http/request-failures.ts';

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
