import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { withHeaders } from '../../http/responses/api-response.ts';
import { GZIP_OPTIONS, gzipOf, GzipMembers } from './gzip-members.ts';

/**
 * Documents up to this size are not worth the time.
 * @see apiserver pkg/endpoints/handlers/responsewriters/writers.go @ v0.37.2
 */
const SMALLEST_BYTES = 128 * 1024;

/**
 * The response, compressed if its kind allows it and the client accepts gzip: a document if it is large, and a watch from its first event
 * to its end, because its head goes out before them. Runs in other threads; a stream is compressed at the pace of its reader.
 * @see apiserver pkg/endpoints/handlers/watch.go perFlushGzipWriter @ v0.37.2
 */
export async function compressed(
  response: ApiResponse,
  { headers }: Pick<ApiRequest, 'headers'>,
  members: GzipMembers = new GzipMembers(),
): Promise<ApiResponse> {
  if (response.mayCompress !== true || !acceptsGzip(headers['accept-encoding'])) return response;
  const { body, isWatch = false } = response;
  if (body instanceof Uint8Array) {
    if (body.byteLength <= SMALLEST_BYTES && !isWatch) return response;
    return encoded(response, await gzipOf(body));
  }
  if (isWatch) return encoded(response, members.body(body));
  const pieces = body[Symbol.asyncIterator]();
  const begun: Uint8Array[] = [];
  let size = 0;
  while (size <= SMALLEST_BYTES) {
    const { done, value } = await pieces.next();
    if (done === true) return { ...response, body: Buffer.concat(begun) };
    begun.push(value);
    size += value.byteLength;
  }
  return encoded(response, gzipped(begun, pieces));
}

/** As kube-apiserver: the name alone, without regard to qualities. */
function acceptsGzip(header: string | undefined): boolean {
  return header?.split(',').some((one) => one.trim() === 'gzip') ?? false;
}

function encoded(response: ApiResponse, body: ApiResponse['body']): ApiResponse {
  const vary = [response.headers['vary'] ?? [], 'Accept-Encoding'].flat();
  const whole = { ...response, body, headers: { ...response.headers, vary } };
  return withHeaders(whole, { 'content-encoding': 'gzip' });
}

async function* gzipped(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const zipper = createGzip(GZIP_OPTIONS);
  // An error of the source destroys the zipper, whose reader gets it.
  pipeline(Readable.from(joined(begun, rest), { objectMode: true }), zipper, () => {});
  for await (const chunk of zipper) yield chunk as Buffer;
}

async function* joined(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* begun;
    for (;;) {
      const { done, value } = await rest.next();
      if (done === true) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
