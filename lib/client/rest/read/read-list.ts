import { asBuffer } from '../../../kernel/data/as-buffer.ts';
import type { ItemsTaker, ListPage } from '../../../cache/reflector/contract/lister-watcher.ts';
import { abortable } from '../../../kernel/time/abort.ts';
import { ApiError } from '../../../meta/failure/api-error.ts';
import type { ApiCall } from '../../../meta/api-call.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { responseTooLarge } from '../../transport/body/read-body.ts';
import type { ExchangeTarget } from '../../transport/contract/transport-error.ts';
import type { BodyReader, ResponseBody } from '../../transport/contract/transport.ts';
import type { ListDecoder } from '../decode/list-decoder.ts';
import { statusError } from '../request/response-error.ts';
import { located } from '../request/rest-client.ts';

export interface ReadListOptions<T extends KubernetesObject> {
  readonly body: ResponseBody;
  readonly list: ListDecoder<T>;
  /** The exchange, for messages. */
  readonly target: ExchangeTarget;
  readonly call?: ApiCall | undefined;
  readonly maxBytes: number;
  readonly onItems?: ItemsTaker<ObjectView<T>> | undefined;
  /** Also ends the wait for `onItems`. */
  readonly signal?: AbortSignal | undefined;
}

/** Pieces are joined until they have this length, bytes. */
const JOINED_BYTES = 16 * 1024;

/**
 * Reads one page of a list while it arrives, and passes each item to `onItems` when it is complete.
 * @throws {TransportError} code RESPONSE_TOO_LARGE above `maxBytes`, MALFORMED_RESPONSE; {ApiError} when the page is a Status; errors of the body and of `onItems`. In
 * each case the rest of the body is not read.
 */
export async function readList<T extends KubernetesObject>(
  options: ReadListOptions<T>,
): Promise<ListPage<ObjectView<T>>> {
  const { body, list, target, call, maxBytes, onItems, signal } = options;
  const reader = body[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    for (;;) {
      const next = await reader.next();
      if (next.done === true) return decoded(() => list.end(), target, call);
      const piece = joined(next.value, reader);
      bytes += piece.length;
      if (bytes > maxBytes) throw responseTooLarge(maxBytes, target);
      decoded(() => list.push(piece), target, call);
      if (onItems === undefined) continue;
      const items = list.takeItems();
      if (items.length === 0) continue;
      const taken = onItems(items);
      if (taken instanceof Promise) await abortable(taken, signal);
    }
  } catch (error) {
    await reader.return?.();
    throw error;
  }
}

/**
 * Joins pieces that have arrived: a server may send each item as an HTTP chunk of its own. Large pieces are not copied, because
 * their bytes would be in memory twice until the garbage collector runs.
 */
function joined(first: Uint8Array, reader: BodyReader): Buffer {
  let bytes = first.length;
  if (bytes >= JOINED_BYTES) return asBuffer(first);
  const pieces = [first];
  while (bytes < JOINED_BYTES) {
    const piece = reader.poll?.();
    if (piece === undefined) break;
    pieces.push(piece);
    bytes += piece.length;
  }
  return pieces.length === 1 ? asBuffer(first) : Buffer.concat(pieces, bytes);
}

function decoded<R>(decode: () => R, target: ExchangeTarget, call: ApiCall | undefined): R {
  try {
    return decode();
  } catch (error) {
    if (error instanceof ApiError) throw statusError(error.status, { target, call });
    throw located(error, target);
  }
}
