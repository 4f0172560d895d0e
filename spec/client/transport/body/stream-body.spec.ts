import { PassThrough, type Readable } from 'node:stream';
import { expect } from 'chai';
import { StreamBody } from '../../../../lib/client/transport/body/stream-body.ts';
import type { BodyReader } from '../../../../lib/client/transport/contract/transport.ts';
import { IdleWatchdog } from '../../../../lib/kernel/time/idle-watchdog.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { rejectionOf } from '../../support/failure-of.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('StreamBody', () => {
  let controller: AbortController;
  const bodyOf = (stream: Readable, runtime: Runtime = realRuntime): BodyReader => {
    controller = new AbortController();
    const guard = new IdleWatchdog(new VirtualRuntime());
    const explain = (error: unknown): unknown => error;
    const { signal } = controller;
    return new StreamBody({ stream, runtime, guard, signal, explain })[Symbol.asyncIterator]();
  };
  const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && String(bytes);

  it('has at once what came together, piece by piece and uncopied', async () => {
    const stream = new PassThrough();
    const body = bodyOf(stream);
    const first = body.next();
    const pieces = ['one', 'two', 'three'].map((text) => Buffer.from(text));
    for (const piece of pieces) stream.push(piece);
    expect((await first).value).to.equal(pieces[0]);
    await turn();
    expect([body.poll?.(), body.poll?.()]).to.deep.equal(pieces.slice(1));
    expect(body.poll?.()).to.equal(undefined);
    stream.end();
    expect(await body.next()).to.deep.equal({ done: true, value: undefined });
  });

  it('hands out what came before the stream broke, and then what broke it, each time', async () => {
    const stream = new PassThrough();
    const body = bodyOf(stream);
    const first = body.next();
    stream.write('one');
    stream.write('two');
    await first;
    await turn();
    const broken = new Error('broken');
    stream.destroy(broken);
    await turn();
    expect(textOf((await body.next()).value)).to.equal('two');
    expect(await rejectionOf(body.next())).to.equal(broken);
    expect(await rejectionOf(body.next())).to.equal(broken);
  });

  it('hands out nothing more once the exchange was aborted', async () => {
    const stream = new PassThrough();
    const body = bodyOf(stream);
    const first = body.next();
    stream.write('one');
    stream.write('two');
    await first;
    await turn();
    const reason = new Error('enough');
    controller.abort(reason);
    stream.destroy(reason);
    expect(await rejectionOf(body.next())).to.equal(reason);
  });

  it('keeps a bounded part of an unread body, and goes on when it is read', async () => {
    const stream = new PassThrough();
    const body = bodyOf(stream);
    const piece = Buffer.alloc(16 * 1024, 'x');
    const reading = body.next();
    let written = 0;
    const total = 200 * piece.length;
    const write = async (): Promise<void> => {
      for (; written < total; written += piece.length) {
        if (stream.write(piece)) continue;
        await new Promise((resolve) => stream.once('drain', resolve));
      }
      stream.end();
    };
    const writing = write();
    await reading;
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(written).to.be.within(256 * 1024, 400 * 1024);
    let read = piece.length;
    for (;;) {
      const { value } = await body.next();
      if (value === undefined) break;
      read += value.length;
    }
    await writing;
    expect(read).to.equal(total);
  });

  it('lets other tasks run after a millisecond of reading', async () => {
    const stream = new PassThrough({ objectMode: true, highWaterMark: 100 });
    let looks = 0;
    const tasks: (() => void)[] = [];
    const virtual = new VirtualRuntime();
    // Each look at the clock is a quarter of a millisecond later than the one before.
    const body = bodyOf(stream, {
      wallMs: () => 0,
      monotonicMs: () => looks++ / 4,
      random: () => 0,
      setTimer: (delayMs, callback) => virtual.setTimer(delayMs, callback),
      queueTask: (task) => tasks.push(task),
    });
    let read = 0;
    const readAll = async (): Promise<void> => {
      while ((await body.next()).value !== undefined) read += 1;
    };
    const reading = readAll();
    for (let index = 0; index < 15; index += 1) stream.write(Buffer.from('piece'));
    stream.end();
    for (const expected of [5, 10, 15]) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect(read).to.equal(expected);
      expect(tasks).to.have.length(1);
      tasks.pop()?.();
    }
    await reading;
  });

  it('ends a read that is under way, and closes the stream, when it is left', async () => {
    const stream = new PassThrough();
    const body = bodyOf(stream);
    const reading = body.next();
    await body.return?.();
    expect((await reading).done).to.equal(true);
    expect(stream.destroyed).to.equal(true);
    expect((await body.next()).done).to.equal(true);
    const untouched = new PassThrough();
    await bodyOf(untouched).return?.();
    expect(untouched.destroyed).to.equal(true);
  });
});
