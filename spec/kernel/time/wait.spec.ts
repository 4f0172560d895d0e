import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { Latch } from '../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { nextTask, sleep, untilOpen, withDeadline } from '../../../lib/kernel/time/wait.ts';
import { heapUsed } from '../../support/heap-used.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('sleep', () => {
  it('ends after its time, with neither timer nor listener left', async () => {
    const runtime = new VirtualRuntime();
    const { signal } = new AbortController();
    await runtime.run(sleep(runtime, 250, { signal }));
    expect(runtime.monotonicMs()).to.equal(250);
    expect(listeners(signal)).to.equal(0);
  });

  it('ends early with the reason of its signal, with neither timer nor listener left', async () => {
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const failure = failureOf(sleep(runtime, 250, controller));
    const reason = new Error('stop');
    controller.abort(reason);
    expect(await failure).to.equal(reason);
    expect(runtime.pending).to.equal(0);
    expect(listeners(controller.signal)).to.equal(0);
    expect(await failureOf(sleep(runtime, 250, controller))).to.equal(reason);
    expect(runtime.pending).to.equal(0);
  });

  it('does not count as pending in the background', async () => {
    const runtime = new VirtualRuntime();
    const slept = sleep(runtime, 5, { background: true });
    expect(runtime.pending).to.equal(0);
    await runtime.run(slept);
  });
});

describe('nextTask', () => {
  it('lets what is queued already have its turn first', async () => {
    const runtime = new VirtualRuntime();
    const order: string[] = [];
    runtime.queueTask(() => order.push('queued before'));
    await runtime.run(nextTask(runtime).then(() => order.push('after the task')));
    expect(order).to.deep.equal(['queued before', 'after the task']);
  });
});

describe('withDeadline', () => {
  const describeIt = (): string => 'the initial list of pods';

  it('settles as the work does, with neither timer nor listener left', async () => {
    const runtime = new VirtualRuntime();
    const { signal } = new AbortController();
    const options = { timeoutMs: 100, signal, describe: describeIt };
    expect(await withDeadline(runtime, Promise.resolve(1), options)).to.equal(1);
    const failure = new Error('no');
    expect(await failureOf(withDeadline(runtime, Promise.reject(failure), options))).to.equal(
      failure,
    );
    expect(runtime.pending).to.equal(0);
    expect(listeners(signal)).to.equal(0);
  });

  it('says after its time what it was waiting for', async () => {
    const runtime = new VirtualRuntime();
    const { signal } = new AbortController();
    const never = new Promise<never>(() => {});
    const options = { timeoutMs: 100, signal, describe: describeIt };
    const failure = await runtime.run(failureOf(withDeadline(runtime, never, options)));
    expect(failure).to.include({
      code: 'TIMEOUT',
      message: 'gave up after 100 ms waiting for the initial list of pods',
    });
    expect(listeners(signal)).to.equal(0);
  });

  it('rejects with the reason of its signal, before and while waiting', async () => {
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const { signal } = controller;
    const never = new Promise<never>(() => {});
    const options = { timeoutMs: 100, signal, describe: describeIt };
    const waiting = failureOf(withDeadline(runtime, never, options));
    const reason = new Error('stop');
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(await failureOf(withDeadline(runtime, never, options))).to.equal(reason);
    expect(runtime.pending).to.equal(0);
    expect(listeners(signal)).to.equal(0);
  });

  it('is the work itself when there is nothing to wait for', () => {
    const work = Promise.resolve(1);
    expect(withDeadline(new VirtualRuntime(), work, { describe: describeIt })).to.equal(work);
  });

  it('fails with what the description throws, at the deadline', async () => {
    const runtime = new VirtualRuntime();
    const describeIt = (): string => {
      throw new Error('no words');
    };
    const waiting = failureOf(
      withDeadline(runtime, new Promise(() => {}), { timeoutMs: 5, describe: describeIt }),
    );
    expect(await runtime.run(waiting)).to.have.property('message', 'no words');
    expect(runtime.pending).to.equal(0);
  });
});

describe('untilOpen', () => {
  const describeIt = (): string => 'the door';

  it('resolves as soon as one of the latches opens, also one that is open already', async () => {
    const runtime = new VirtualRuntime();
    const [first, second] = [new Latch('first'), new Latch('second')];
    const options = { describe: describeIt, timeoutMs: 10 };
    const waiting = untilOpen(runtime, [first, second], options);
    second.open();
    await runtime.run(waiting);
    await runtime.run(untilOpen(runtime, [first, second], options));
    expect([runtime.monotonicMs(), runtime.pending]).to.deep.equal([0, 0]);
  });

  it('fails at the deadline with the description, and with the reason of the signal', async () => {
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const latches = [new Latch('never')];
    const late = untilOpen(runtime, latches, { timeoutMs: 10, describe: describeIt });
    expect(await runtime.run(failureOf(late))).to.include({
      code: 'TIMEOUT',
      message: 'gave up after 10 ms waiting for the door',
    });
    const { signal } = controller;
    const aborted = failureOf(untilOpen(runtime, latches, { signal, describe: describeIt }));
    const reason = new Error('stop');
    controller.abort(reason);
    expect(await aborted).to.equal(reason);
  });

  it('leaves nothing on latches that stay shut, for any number of calls', async () => {
    const runtime = new VirtualRuntime();
    const [open, shut] = [new Latch('open'), new Latch('shut')];
    open.open();
    const wait = async (): Promise<void> => {
      await untilOpen(runtime, [shut, open], { describe: describeIt });
      await failureOf(untilOpen(runtime, [shut], { signal: aborted, describe: describeIt }));
    };
    const aborted = AbortSignal.abort(new Error('stop'));
    await wait();
    const heapAtStart = heapUsed();
    for (let index = 0; index < 10_000; index += 1) await wait();
    expect(heapUsed() - heapAtStart).to.be.below(1e6);
    expect(shut.isOpen).to.equal(false);
  });
});
