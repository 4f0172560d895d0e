import { isStatus } from '../../../meta/failure/status.ts';
import { readBodyStart } from '../body/read-body.ts';
import type { ResponseBody, TransportRequest, TransportResponse } from '../contract/transport.ts';

/** A Status of a refusal is smaller; bytes. */
const LONGEST_BODY_BYTES = 64 * 1024;

/**
 * Whether a server, or a proxy before it, has refused a request because it gets too many: 429, or 503 with `Retry-After`.
 *
 * A Status in the body is another case: the part that serves the resource was reached, and answers about this object, for
 * example an eviction that a disruption budget forbids, or a cache that is being filled. The filters of kube-apiserver that
 * limit requests answer in plain text (apiserver pkg/server/filters/maxinflight.go tooManyRequests; recorded from 1.36.3).
 */
export function mayBeLoad(
  { method, path }: TransportRequest,
  response: TransportResponse,
): boolean {
  const { status, headers } = response;
  if (status !== 429 && (status !== 503 || headers['retry-after'] === undefined)) return false;
  return !(method === 'POST' && /\/eviction(?:\?|$)/.test(path));
}

/** Reads a refusal for which `mayBeLoad` holds. The returned response has the same body, kept in memory. */
export async function readRefusal(
  response: TransportResponse,
): Promise<{ readonly load: boolean; readonly response: TransportResponse }> {
  if (response.headers['content-type']?.startsWith('application/json') !== true) {
    return { load: true, response };
  }
  const bytes = await readBodyStart(response.body, LONGEST_BODY_BYTES);
  return { load: !isStatusText(bytes), response: { ...response, body: bodyOf(bytes) } };
}

function isStatusText(bytes: Buffer): boolean {
  try {
    return isStatus(JSON.parse(bytes.toString('utf8')));
  } catch {
    return false;
  }
}

function bodyOf(bytes: Buffer): ResponseBody {
  return {
    [Symbol.asyncIterator]: () => {
      let read = false;
      return {
        next: () => {
          if (read) return Promise.resolve({ done: true, value: undefined });
          read = true;
          return Promise.resolve({ done: false, value: bytes });
        },
        return: () => Promise.resolve({ done: true, value: undefined }),
      };
    },
  };
}
