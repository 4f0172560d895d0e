import type { FieldCause } from '../../../meta/failure/failures.ts';
import type { WriteOptions } from '../../registry/contract/rest-storage.ts';
import { parseWriteOptions } from '../../http/query-options.ts';
import type { Exchange } from './exchange.ts';

/** @see apiserver pkg/endpoints/handlers/create.go prefixFromUserAgent @ 24a394e */
const LONGEST_MANAGER = 128;

/**
 * The options of a create, update or patch, with the field manager: that of the query, else the first part of the user agent.
 * @param kind the name of the options in a failure: `CreateOptions`, `UpdateOptions`, `PatchOptions`
 * @throws {ApiError} 422.
 */
export function writeOptionsOf(
  { query, request, info }: Exchange,
  kind: string,
  first: readonly FieldCause[] = [],
): WriteOptions {
  const options = parseWriteOptions(query, kind, first);
  const fieldManager = options.fieldManager ?? managerOf(request.headers['user-agent'] ?? '');
  return { ...options, fieldManager, subresource: info.subresource ?? '' };
}

/** The printable part of ASCII; the classes of Unicode take much longer to match. */
const ASCII = /^[\x20-\x7e]*$/;
const NOT_PRINTED = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function managerOf(userAgent: string): string {
  const [first = ''] = userAgent.split('/', 1);
  const printed = ASCII.test(first) ? first : first.replaceAll(NOT_PRINTED, '');
  return printed.slice(0, LONGEST_MANAGER);
}
