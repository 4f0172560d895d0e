import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { StreamBody } from '../../../../lib/client/transport/body/stream-body.ts';
import { unpackedStream } from '../../../../lib/client/transport/body/unpacked-stream.ts';
import type { BodyReader } from '../../../../lib/client/transport/contract/transport.ts';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';
import { IdleWatchdog } from '../../../../lib/kernel/time/idle-watchdog.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { until } from '../../../support/until.ts';
import { rejectionOf } from '../../support/failure-of.ts';

const MIB = 1024 * 1024;
const TARGET = { server: 'https://far', method: 'GET', path: '/api/v1/pods' };

describe('unpackedStream', () => {
  let controller: AbortController;

  const open = (packed: Readable, encoding: string = 'gzip'): BodyReader => {
    controller = new AbortController();
    const { signal } = controller;
    const unpacked = unpackedStream({ packed, encoding, target: TARGET, signal });
    if (unpacked === undefined) throw new Error(`${encoding} is unknown`);
    const { stream, failureOf } = unpacked;
    return new StreamBody({
      stream,
      decoding: unpacked,
      runtime: realRuntime,
      guard: new IdleWatchdog(new VirtualRuntime()),
      signal,
      explain: (error) => failureOf(error) ?? error,
    })[Symbol.asyncIterator]();
  };

  const textUntil = async (body: BodyReader, length: number): Promise<string> => {
    let text = '';
    while (text.length < length) {
      const { done, value } = await body.next();
      if (done === true) break;
      text += Buffer.from(value).toString();
    }
    return text;
  };

  /** The failure of a body, after everything before it. */
  const failureOf = async (body: BodyReader): Promise<{ bytes: number; error: TransportError }> => {
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await body.next();
        if (done === true) throw new Error('it has ended');
        bytes += value.length;
      }
    } catch (error) {
      expect(error).to.be.instanceOf(TransportError);
      return { bytes, error: error as TransportError };
    }
  };

  it('has at once what the server has flushed', async () => {
    const gzip = createGzip();
    const packed = gzip.pipe(new PassThrough());
    const body = open(packed);
    for (const text of ['one\n', 'two\n']) {
      gzip.write(text);
      gzip.flush(constants.Z_SYNC_FLUSH);
      expect(await textUntil(body, text.length)).to.equal(text);
    }
    await body.return?.();
  });

  it('reads members one after the other, wherever the pieces end', async () => {
    const members = ['one\n', 'two\n', 'three\n'].map((text) => gzipSync(text));
    for (const size of [1, 7, 1000]) {
      const packed = new PassThrough();
      const body = open(packed);
      for (const [index, text] of ['one\n', 'two\n', 'three\n'].entries()) {
        const member = members[index] ?? Buffer.alloc(0);
        for (let at = 0; at < member.length; at += size) {
          packed.write(member.subarray(at, at + size));
        }
        expect(await textUntil(body, text.length), `pieces of ${size}`).to.equal(text);
      }
      packed.end();
      expect(await body.next()).to.deep.equal({ done: true, value: undefined });
    }
  });

  it('knows gzip, deflate and br, and leaves other bodies alone', async () => {
    const codings = { gzip: gzipSync, 'X-Gzip': gzipSync, deflate: deflateSync };
    for (const [encoding, pack] of Object.entries({ ...codings, br: brotliCompressSync })) {
      const body = open(Readable.from([pack(Buffer.from('text'))]), encoding);
      expect(await textUntil(body, 4), encoding).to.equal('text');
    }
    const signal = new AbortController().signal;
    for (const encoding of [undefined, 'identity', 'other', ['gzip']]) {
      const packed = new PassThrough();
      expect(unpackedStream({ packed, encoding, target: TARGET, signal })).to.equal(undefined);
    }
  });

  it('decodes a bounded part of a body that is not read', async () => {
    const member = gzipSync(Buffer.alloc(MIB, 'x'));
    let sent = 0;
    const packed = Readable.from(
      (function* (): Generator<Buffer> {
        for (; sent < 1000; sent += 1) yield member;
      })(),
      { highWaterMark: 1 },
    );
    const body = open(packed);
    await body.next();
    let seen = -1;
    while (seen !== sent) {
      seen = sent;
      for (let turns = 0; turns < 50; turns += 1) await new Promise((r) => setImmediate(r));
    }
    // The decoder takes 64 KiB ahead from Node 22 on: 63 members.
    expect(sent).to.be.below(100);
    await body.return?.();
    await until('the packed stream is destroyed', () => packed.destroyed);
  });

  it('hands out what came before the connection broke, and then what broke it', async () => {
    const packed = new PassThrough();
    const body = open(packed);
    const whole = gzipSync('one\ntwo\n');
    packed.write(gzipSync('zero\n'));
    packed.write(whole.subarray(0, whole.length - 9));
    const text = textUntil(body, 13);
    await until('all of it was taken', () => packed.readableLength === 0);
    const broken = new Error('broken');
    packed.destroy(broken);
    expect(await text).to.match(/^zero\n/);
    expect(await rejectionOf(body.next())).to.equal(broken);
  });

  it('ends in the middle of a member as a body that is not compressed', async () => {
    const packed = new PassThrough();
    const body = open(packed);
    const whole = gzipSync('one\n');
    packed.end(whole.subarray(0, whole.length - 4));
    expect(await textUntil(body, 4)).to.equal('one\n');
    expect((await body.next()).done).to.equal(true);
  });

  it('ends at once when the exchange is aborted', async () => {
    const packed = new PassThrough();
    const body = open(packed);
    packed.write(gzipSync('one\n'));
    await textUntil(body, 4);
    const next = rejectionOf(body.next());
    const reason = new Error('enough');
    controller.abort(reason);
    packed.destroy(reason);
    expect(await next).to.equal(reason);
  });

  it('is released when the exchange is aborted before its first piece is read', async () => {
    const packed = Readable.from([gzipSync(Buffer.alloc(MIB, 'x'))]);
    controller = new AbortController();
    const { signal } = controller;
    const unpacked = unpackedStream({ packed, encoding: 'gzip', target: TARGET, signal });
    let failure: unknown;
    unpacked?.stream.on('error', (error) => {
      failure = error;
    });
    await until('the packed stream has ended', () => packed.destroyed);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(unpacked?.stream.destroyed).to.equal(true);
    await until('the reason to arrive', () => failure === reason);
  });

  it('fails with a code when its bytes are damaged, and destroys the connection', async () => {
    const packed = new PassThrough();
    const body = open(packed);
    packed.write(gzipSync('one\n'));
    packed.write('two\n');
    const { bytes, error } = await failureOf(body);
    expect(bytes).to.equal(4);
    expect(error.code).to.equal('CONNECTION_FAILED');
    expect(error.message).to.match(
      /^GET https:\/\/far\/api\/v1\/pods: the compressed answer is damaged after \d+ bytes: incorrect header check; check the proxies/,
    );
    await until('the packed stream is destroyed', () => packed.destroyed);
  });

  it('fails with a code when it grows without bounds', async () => {
    const member = gzipSync(Buffer.alloc(8 * MIB));
    let sent = 0;
    const packed = Readable.from(
      (function* (): Generator<Buffer> {
        for (;;) {
          sent += member.length;
          yield member;
        }
      })(),
      { highWaterMark: 1 },
    );
    const { bytes, error } = await failureOf(open(packed));
    expect(error.code).to.equal('RESPONSE_TOO_LARGE');
    expect(error.message).to.match(/has grown to \d+ bytes from \d+, more than 256 times/);
    expect(bytes).to.be.within(64 * MIB, 100 * MIB);
    expect(sent).to.be.below(MIB);
    await until('the packed stream is destroyed', () => packed.destroyed);
  });

  it('may grow a hundred times to any size', async () => {
    const block = randomBytes(2 * 1024);
    const member = gzipSync(Buffer.concat(Array.from({ length: 512 }, () => block)));
    expect(MIB / member.length).to.be.above(90);
    const packed = Readable.from(Array.from({ length: 200 }, () => member));
    const body = open(packed);
    let bytes = 0;
    for (;;) {
      const { done, value } = await body.next();
      if (done === true) break;
      bytes += value.length;
    }
    expect(bytes).to.equal(200 * MIB);
  });
});
