import { BUILT_IN_GROUPS } from '../http/built-in-groups.ts';
import { internalName } from '../http/declared-kind.ts';
import { otherShape } from '../http/request-failures.ts';
import type { Exchange } from './exchange.ts';

type Asked = Pick<Exchange, 'representation' | 'storage'>;

/**
 * Refuses the shape of a list for an object. Writes check it before they write, so that a refused request changes nothing.
 * @throws {ApiError} 406.
 */
export function checkObjectShape({ representation, storage }: Asked): void {
  const { as } = representation;
  if (as !== 'PartialObjectMetadataList') return;
  const { group, kind } = storage.describe;
  const type = BUILT_IN_GROUPS.has(group)
    ? internalName({ group, kind })
    : 'unstructured.Unstructured';
  throw otherShape(`you requested ${as}, but the requested object is not a list (*${type})`);
}

/** Refuses the shape of an object for a list. @throws {ApiError} 406. */
export function checkListShape({ representation, storage }: Asked): void {
  const { as } = representation;
  if (as !== 'PartialObjectMetadata') return;
  const { group, listKind } = storage.describe;
  const type = BUILT_IN_GROUPS.has(group)
    ? internalName({ group, kind: listKind })
    : 'unstructured.UnstructuredList';
  throw otherShape(`you requested ${as}, but the requested object is a list (*${type})`);
}
