import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { TurnQueue, type Lane } from '../../../../lib/client/transport/flow/turn-queue.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { rejectionOf, thrownBy } from '../../support/failure-of.ts';

describe('TurnQueue', () => {
  let runtime: VirtualRuntime;
  let queue: TurnQueue;
  /** The requests that went, and when. */
  let went: [name: string, ms: number][];
  /** The length of the queue at each report. */
  let sizes: number[];

  const ask = (name: string, lane: Lane = 'regular', signal?: AbortSignal): void => {
    const go = (): void => {
      went.push([name, Math.round(runtime.monotonicMs())]);
    };
    const waiting = queue.turn(lane, signal);
    if (waiting === undefined) go();
    else void waiting.then(go, () => {});
  };
  const settled = (): Promise<void> => runtime.advance(0);

  beforeEach(() => {
    runtime = new VirtualRuntime();
    went = [];
    sizes = [];
    queue = new TurnQueue({
      runtime,
      maxQueued: 3,
      describe: () => 'for a spec',
      onChange: () => sizes.push(queue.size),
    });
  });

  it('lets each request go at once without a rate', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) ask(name);
    expect(went).to.have.length(5);
    await runtime.advance(1_000);
    queue.limit(1, 5);
    // The time before is no credit.
    ask('f');
    expect([queue.size, sizes]).to.deep.equal([1, [1]]);
  });

  it('starts with an empty bucket, and with a full one where that is asked for', async () => {
    queue.limit(10, 2);
    ask('a');
    await runtime.advance(100);
    expect(went).to.deep.equal([['a', 100]]);
    queue.limit(10, 2, true);
    for (const name of ['b', 'c', 'd']) ask(name);
    expect(went.slice(1)).to.deep.equal([
      ['b', 100],
      ['c', 100],
    ]);
    await runtime.advance(100);
    expect(went.at(-1)).to.deep.equal(['d', 200]);
  });

  it('saves turns of a pause up to the burst', async () => {
    queue.limit(10, 2);
    await runtime.advance(10_000);
    for (const name of ['a', 'b', 'c']) ask(name);
    expect(went).to.have.length(2);
    await runtime.advance(99);
    expect(went).to.have.length(2);
    await runtime.advance(1);
    expect(went).to.have.length(3);
    expect(runtime.pending).to.equal(0);
  });

  it('lets requests that wait go at a new rate, and keeps the part of a turn that is saved', async () => {
    queue.limit(1, 1);
    ask('a');
    ask('b');
    await runtime.advance(500);
    queue.limit(10, 1);
    await runtime.advance(50);
    expect(went).to.deep.equal([['a', 550]]);
    await runtime.advance(100);
    expect(went.at(-1)).to.deep.equal(['b', 650]);
  });

  it('saves no more than a burst that has become smaller', async () => {
    queue.limit(10, 3, true);
    queue.limit(10, 1);
    ask('a');
    ask('b');
    expect(went).to.have.length(1);
    await settled();
    expect(went).to.have.length(1);
  });

  it('lets all that wait go when there is no rate any more, and forgets what was saved', async () => {
    queue.limit(1, 1);
    for (const name of ['a', 'b', 'c']) ask(name);
    queue.limit(Infinity, 1);
    await settled();
    expect(went.map(([name]) => name)).to.deep.equal(['a', 'b', 'c']);
    expect([queue.size, runtime.pending]).to.deep.equal([0, 0]);
    await runtime.advance(10_000);
    queue.limit(1, 1);
    ask('d');
    expect(queue.size).to.equal(1);
    await runtime.advance(1_000);
    expect(went.at(-1)).to.deep.equal(['d', 11_000]);

    await runtime.advance(10_000);
    queue.limit(Infinity, 1);
    queue.limit(1, 1);
    ask('e');
    expect(queue.size).to.equal(1);
  });

  it('lets no request pass those of its lane that wait, also when a timer is late', async () => {
    let lateMs = 0;
    queue = new TurnQueue({
      runtime: {
        wallMs: () => runtime.wallMs(),
        monotonicMs: () => runtime.monotonicMs() + lateMs,
        random: () => 0,
        setTimer: (delayMs, callback) => runtime.setTimer(delayMs, callback),
        queueTask: (task) => runtime.queueTask(task),
      },
      maxQueued: 10,
      describe: () => '',
    });
    queue.limit(10, 2);
    ask('a');
    // As after the process was stopped.
    lateMs = 10_000;
    ask('b');
    expect([queue.size, went]).to.deep.equal([2, []]);
    await runtime.advance(100);
    expect(went.map(([name]) => name)).to.deep.equal(['a', 'b']);
  });

  it('sets one timer for requests that come while one waits', async () => {
    let timers = 0;
    queue = new TurnQueue({
      runtime: {
        wallMs: () => runtime.wallMs(),
        monotonicMs: () => runtime.monotonicMs(),
        random: () => 0,
        setTimer: (delayMs, callback) => {
          timers += 1;
          return runtime.setTimer(delayMs, callback);
        },
        queueTask: (task) => runtime.queueTask(task),
      },
      maxQueued: 10,
      describe: () => '',
    });
    queue.limit(10, 1);
    for (const name of ['a', 'b', 'c']) ask(name);
    expect(timers).to.equal(1);
    await runtime.advance(300);
    expect([went.length, timers]).to.deep.equal([3, 3]);
  });

  it('gives every second turn to each lane while both wait, and all turns to one alone', async () => {
    queue = new TurnQueue({ runtime, maxQueued: 10, describe: () => '' });
    queue.limit(10, 1);
    for (const name of ['r1', 'r2', 'r3']) ask(name);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask(name, 'ahead');
    await runtime.advance(800);
    expect(went.map(([name]) => name).join(' ')).to.equal('a1 r1 a2 r2 a3 r3 a4 a5');
  });

  it('refuses a request when as many wait as may, in both lanes together', () => {
    queue.limit(1, 1);
    ask('a');
    ask('b', 'ahead');
    ask('c');
    const error = thrownBy(() => queue.turn('ahead', undefined));
    expect(error).to.include({ code: 'BUFFER_FULL' });
    expect(error.message).to.contain('3 requests wait for a spec');
    expect(queue.size).to.equal(3);
  });

  it('reports each change of its length, and keeps one timer while a request waits', async () => {
    queue.limit(10, 1);
    const controller = new AbortController();
    ask('a');
    ask('b', 'regular', controller.signal);
    expect([sizes, runtime.pending]).to.deep.equal([[1, 2], 1]);
    controller.abort();
    expect([sizes, runtime.pending]).to.deep.equal([[1, 2, 1], 1]);
    const going = new AbortController();
    ask('c', 'regular', going.signal);
    await runtime.advance(200);
    expect([sizes, runtime.pending]).to.deep.equal([[1, 2, 1, 2, 1, 0], 0]);
    // One that went has left nothing behind.
    expect(getEventListeners(going.signal, 'abort')).to.deep.equal([]);
  });

  it('fails a request with the reason of its signal, and cancels the timer after the last one', async () => {
    queue.limit(10, 1);
    const controller = new AbortController();
    const reason = new Error('enough');
    const failed = rejectionOf(queue.turn('ahead', controller.signal)!);
    controller.abort(reason);
    expect(await failed).to.equal(reason);
    expect([queue.size, runtime.pending]).to.deep.equal([0, 0]);
    expect(await rejectionOf(queue.turn('regular', AbortSignal.abort(reason))!)).to.equal(reason);
    expect([queue.size, runtime.pending]).to.deep.equal([0, 0]);
  });

  it('fails all that wait when it is closed', async () => {
    queue.limit(10, 1);
    const reason = new Error('closed');
    const failed = [
      rejectionOf(queue.turn('regular', undefined)!),
      rejectionOf(queue.turn('ahead', undefined)!),
    ];
    queue.close(reason);
    expect(await Promise.all(failed)).to.deep.equal([reason, reason]);
    expect([queue.size, runtime.pending]).to.deep.equal([0, 0]);
  });
});
