import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { ApiRequest, ApiResponse } from '../../http/api-request.ts';
import { withHeaders } from '../../http/responses/api-response.ts';

/**
 * Bodies up to this size are not worth the time. Level 1 takes the least time and compresses JSON nearly as well as higher ones.
 * @see apiserver pkg/endpoints/handlers/responsewriters/writers.go @ v0.36.3
 */
const SMALLEST_BYTES = 128 * 1024;
const OPTIONS = { level: constants.Z_BEST_SPEED } as const;

const gzipWhole = promisify(gzip);

/**
 * The response, compressed if its kind allows it, the client accepts gzip and the body is large. Runs in other threads; a stream is
 * compressed at the pace of its reader.
 */
export async function compressed(
  response: ApiResponse,
  { headers }: Pick<ApiRequest, 'headers'>,
): Promise<ApiResponse> {
  if (response.mayCompress !== true || !acceptsGzip(headers['accept-encoding'])) return response;
  const { body } = response;
  if (body instanceof Uint8Array) {
    if (body.byteLength <= SMALLEST_BYTES) return response;
    return encoded(response, await gzipWhole(body, OPTIONS));
  }
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
  const zipper = createGzip(OPTIONS);
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
