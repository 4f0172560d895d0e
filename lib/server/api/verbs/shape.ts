import { badRequest } from '../../../meta/failure/failures.ts';
import { BUILT_IN_GROUPS } from '../../http/built-in-groups.ts';
import { internalName } from '../../http/body/declared-kind.ts';
import { notAcceptable, otherShape } from '../../http/request-failures.ts';
import { MEDIA_TYPES } from '../../http/media/media-type.ts';
import { queryText } from '../../http/query-options.ts';
import type { RestStorage, TableConvertor } from '../../registry/contract/rest-storage.ts';
import type { Exchange } from './exchange.ts';
import type { IncludeObject } from './answer/table.ts';

type Asked = Pick<Exchange, 'representation' | 'storage' | 'query'>;

/**
 * Refuses the shape of a list for an object, and rows of an unknown kind. As in kube-apiserver it is about the answer: a write has been
 * done when its answer is refused.
 * @throws {ApiError} 400, 406.
 */
export function checkObjectShape({ representation, storage, query }: Asked): void {
  const { as } = representation;
  if (as === 'Table') includeObject(query);
  if (as !== 'PartialObjectMetadataList') return;
  const { group, kind } = storage.describe;
  const type = BUILT_IN_GROUPS.has(group)
    ? internalName({ group, kind })
    : 'unstructured.Unstructured';
  throw otherShape(`you requested ${as}, but the requested object is not a list (*${type})`);
}

/** Refuses the shape of an object for a list. @throws {ApiError} 406. */
export function checkListShape({ representation, storage, query }: Asked): void {
  const { as } = representation;
  if (as === 'Table') includeObject(query);
  if (as !== 'PartialObjectMetadata') return;
  const { group, listKind } = storage.describe;
  const type = BUILT_IN_GROUPS.has(group)
    ? internalName({ group, kind: listKind })
    : 'unstructured.UnstructuredList';
  throw otherShape(`you requested ${as}, but the requested object is a list (*${type})`);
}

/** The table form of the objects. A request for it has been refused where there is none. @throws {ApiError} 406. */
export function tableConvertorOf({ table }: Pick<RestStorage, 'table'>): TableConvertor {
  if (table === undefined) throw notAcceptable(MEDIA_TYPES);
  return table;
}

/** The part of an object in each row of a table. @throws {ApiError} 400 for an unknown value. */
export function includeObject(query: URLSearchParams): IncludeObject {
  const text = queryText(query, 'includeObject') ?? '';
  if (text === '') return 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text.slice(0, 200))}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
