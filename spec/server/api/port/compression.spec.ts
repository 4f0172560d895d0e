import { constants, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import type { ApiResponse } from '../../../../lib/server/http/api-request.ts';
import { apiResponse, bytesResponse } from '../../../../lib/server/http/responses/api-response.ts';
import { compressed } from '../../../../lib/server/api/port/compression.ts';
import { GzipMembers } from '../../../../lib/server/api/port/gzip-members.ts';

const GZIP = { headers: { 'accept-encoding': 'deflate, gzip' } };
const LIMIT = 128 * 1024;

async function* pieces(count: number, onEnd: () => void = () => {}): AsyncGenerator<Uint8Array> {
  try {
    for (let index = 0; index < count; index += 1) yield Buffer.from(`${index} `.repeat(2_000));
  } finally {
    onEnd();
  }
}

async function bytesOf({ body }: ApiResponse): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const all: Uint8Array[] = [];
  for await (const piece of body) all.push(piece);
  return Buffer.concat(all);
}

describe('compression of an answer', () => {
  it('begins above 128 KiB', async () => {
    const json = (size: number): ApiResponse =>
      apiResponse(200, 'application/json', Buffer.alloc(size, 'a'));
    const small = json(LIMIT);
    expect(await compressed(small, GZIP)).to.equal(small);
    const large = await compressed(json(LIMIT + 1), GZIP);
    expect(large.headers).to.include({ 'content-encoding': 'gzip' });
    expect(large.headers['vary']).to.deep.equal(['Accept-Encoding']);
    const bytes = await bytesOf(large);
    expect(bytes.length).to.be.below(10_000);
    expect(gunzipSync(bytes)).to.have.length(LIMIT + 1);
  });

  it('is for documents of the API, and for clients that name gzip', async () => {
    const other = bytesResponse(200, 'text/plain', Buffer.alloc(2 * LIMIT));
    expect(await compressed(other, GZIP)).to.equal(other);
    const document = { ...other, mayCompress: true };
    for (const header of [undefined, 'br', 'gzip;q=1', 'x-gzip', '*']) {
      const request = { headers: { 'accept-encoding': header } };
      expect(await compressed(document, request), header).to.equal(document);
    }
  });

  it('keeps the other names of the Vary header', async () => {
    const body = Buffer.alloc(2 * LIMIT);
    const response = apiResponse(200, 'application/json', body, { vary: 'Accept' });
    const { headers } = await compressed(response, GZIP);
    expect(headers['vary']).to.deep.equal(['Accept', 'Accept-Encoding']);
  });

  it('is done with streams piece by piece, once they are large enough', async () => {
    for (const [count, isCompressed] of [
      [1, false],
      [200, true],
    ] as const) {
      const plain = await bytesOf(apiResponse(200, 'application/json', pieces(count)));
      const response = await compressed(apiResponse(200, 'application/json', pieces(count)), GZIP);
      expect('content-encoding' in response.headers).to.equal(isCompressed);
      const bytes = await bytesOf(response);
      expect(isCompressed ? gunzipSync(bytes) : bytes).to.deep.equal(plain);
    }
  });

  it('leaves a stream whose reader leaves', async () => {
    const left = new Promise<void>((resolve) => {
      void compressed(apiResponse(200, 'application/json', pieces(1_000_000, resolve)), GZIP).then(
        async ({ body }) => {
          const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
          await iterator.next();
          await iterator.return?.();
        },
      );
    });
    await left;
  });

  describe('of a watch', () => {
    /** A body that brings these pieces, and then waits until it is left. */
    function waiting(events: readonly Uint8Array[]): {
      readonly watch: ApiResponse;
      readonly isLeft: () => boolean;
    } {
      const left = deferred<IteratorResult<Uint8Array, undefined>>();
      const done = { done: true, value: undefined } as const;
      let isLeft = false;
      let next = 0;
      const body: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          next: () => {
            const value = events[next++];
            return value === undefined ? left.promise : Promise.resolve({ done: false, value });
          },
          return: () => {
            isLeft = true;
            left.resolve(done);
            return Promise.resolve(done);
          },
        }),
      };
      const watch = { ...apiResponse(200, 'application/json', body), isWatch: true };
      return { watch, isLeft: () => isLeft };
    }

    const event = (name: string): Buffer => Buffer.from(`{"type":"ADDED","object":"${name}"}\n`);

    function piecesOf({ body }: ApiResponse): AsyncIterator<Uint8Array, undefined> {
      return (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    }

    it('makes each piece a whole gzip member, before the next piece is there', async () => {
      const { watch } = waiting([event('a'), event('b')]);
      const response = await compressed(watch, GZIP);
      expect(response.headers).to.include({ 'content-encoding': 'gzip' });
      expect(response.headers['vary']).to.deep.equal(['Accept-Encoding']);
      const pieces = piecesOf(response);
      for (const name of ['a', 'b']) {
        const { value } = await pieces.next();
        expect(gunzipSync(value ?? Buffer.alloc(0))).to.deep.equal(event(name));
      }
      await pieces.return?.();
    });

    it('flushes a piece before the end of its member, where Go looks for the next member first', async () => {
      const { watch } = waiting([event('a')]);
      const pieces = piecesOf(await compressed(watch, GZIP));
      const { value = Buffer.alloc(0) } = await pieces.next();
      // The last block, without data, and the sum and the size.
      const flushed = value.subarray(0, -10);
      expect([...flushed.subarray(-4)]).to.deep.equal([0, 0, 0xff, 0xff]);
      const options = { finishFlush: constants.Z_SYNC_FLUSH };
      expect(gunzipSync(flushed, options)).to.deep.equal(event('a'));
      await pieces.return?.();
    });

    it('leaves the watch while no event comes', async () => {
      const { watch, isLeft } = waiting([]);
      const pieces = piecesOf(await compressed(watch, GZIP));
      const next = pieces.next();
      await pieces.return?.();
      expect(isLeft()).to.equal(true);
      expect((await next).done).to.equal(true);
    });

    it('compresses a piece once for all watches that send it, and forgets old ones', async () => {
      const members = new GzipMembers();
      const events = Array.from({ length: 9 }, (_, index) => event(String(index)));
      const read = async (sent: readonly Buffer[]): Promise<(Uint8Array | undefined)[]> => {
        const pieces = piecesOf(await compressed(waiting(sent).watch, GZIP, members));
        const all: (Uint8Array | undefined)[] = [];
        for (const _ of sent) all.push((await pieces.next()).value);
        return all;
      };
      const [first, ...others] = await read(events);
      expect(await read(events.slice(1))).to.have.ordered.members(others);
      expect((await read(events.slice(0, 1)))[0]).to.not.equal(first);
    });

    it('compresses a failure that is sent instead of events', async () => {
      const body = event('none');
      const watch = { ...apiResponse(200, 'application/json', body), isWatch: true };
      const response = await compressed(watch, GZIP);
      expect(gunzipSync(await bytesOf(response))).to.deep.equal(body);
    });
  });
});
