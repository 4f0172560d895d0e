import { logLine } from '../../../../lib/kernel/report/log-line.ts';
import { assert, expect } from 'chai';
import { DeliveryTurns } from '../../../../lib/cache/informer/handlers/delivery-turns.ts';
import {
  HandlerQueue,
  type HandlerQueueOptions,
} from '../../../../lib/cache/informer/handlers/handler-queue.ts';
import {
  AddNotification,
  UpdateNotification,
  type Notification,
  type NotificationBatch,
} from '../../../../lib/cache/informer/handlers/notification.ts';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { unreadableThenables } from '../../../support/hostile-values.ts';
import { LedgerRuntime } from '../../../soak/ledger-runtime.ts';
import { pod, type Pod } from '../../support/objects.ts';

function add(key: string, initial = false): Notification<Pod> {
  return new AddNotification(key, pod(key), initial, 'other');
}

function batch(keys: readonly string[], initial = false): NotificationBatch<Pod> {
  return { notifications: keys.map((key) => add(key, initial)), initial, audience: 'all' };
}

function numbered(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `k${from + index}`);
}

class Setup {
  runtime = new VirtualRuntime();
  readonly seen: string[] = [];
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  readonly queue: HandlerQueue<Pod>;

  constructor(options: Partial<HandlerQueueOptions<Pod>> = {}) {
    this.queue = new HandlerQueue<Pod>({
      name: 'handler',
      runtime: this.runtime,
      deliver: ({ key }) => {
        this.seen.push(key);
      },
      turns: new DeliveryTurns(options.runtime ?? this.runtime),
      limit: () => 1000,
      whenFull: 'coalesce',
      onFull: (pending) => this.warnings.push(`full with ${pending}`),
      onError: (error, { key }) => this.errors.push(`${key}: ${(error as Error).message}`),
      onWarning: (message, fields) => this.warnings.push(logLine(message, fields).line),
      ...options,
    });
  }
}

describe('HandlerQueue', () => {
  it('delivers nothing before it is started, and everything in order after', async () => {
    const { queue, runtime, seen } = new Setup();
    queue.push(batch(['a', 'b']));
    queue.push(batch(['c']));
    await runtime.settle();
    expect(seen).to.deep.equal([]);
    expect(queue.pending).to.equal(3);
    queue.start();
    expect(seen).to.deep.equal([]);
    await runtime.settle();
    expect(seen).to.deep.equal(['a', 'b', 'c']);
    expect(queue).to.include({ pending: 0, delivered: 3, failed: 0 });
  });

  it('awaits the promise of a callback before the next one', async () => {
    const log: string[] = [];
    const setup = new Setup({
      deliver: async ({ key }) => {
        log.push(`${key} begins`);
        await sleep(setup.runtime, 10);
        log.push(`${key} ends`);
      },
    });
    setup.queue.start();
    setup.queue.push(batch(['a', 'b']));
    await setup.runtime.advance(100);
    expect(log).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
    await setup.queue.close();
  });

  it('reports a callback that throws or rejects, and counts it as delivered', async () => {
    const setup = new Setup({
      deliver: ({ key }) => {
        setup.seen.push(key);
        if (key === 'throws') throw new Error('boom');
        // oxlint-disable-next-line unicorn/no-thenable
        if (key === 'bad thenable') return { then: () => assert.fail('worse') };
        return key === 'rejects' ? Promise.reject(new Error('later')) : undefined;
      },
    });
    setup.queue.start();
    setup.queue.push(batch(['throws', 'rejects', 'bad thenable', 'fine'], true));
    setup.queue.tracker.markUpstreamSynced();
    await setup.runtime.settle();
    expect(setup.errors).to.deep.equal(['throws: boom', 'rejects: later', 'bad thenable: worse']);
    expect(setup.seen).to.deep.equal(['throws', 'rejects', 'bad thenable', 'fine']);
    expect(setup.queue).to.include({ delivered: 4, failed: 3, pending: 0 });
    expect(setup.queue.tracker.synced).to.equal(true);
    await setup.queue.close();
  });

  it('takes anything with a then method for a promise', async () => {
    const waiting: (() => void)[] = [];
    const setup = new Setup({
      deliver: ({ key }) => {
        setup.seen.push(key);
        // oxlint-disable-next-line unicorn/no-thenable
        return { then: (done: () => void) => waiting.push(done) };
      },
    });
    setup.queue.start();
    setup.queue.push(batch(['a', 'b']));
    await setup.runtime.settle();
    expect(setup.seen).to.deep.equal(['a']);
    waiting.shift()?.();
    await setup.runtime.settle();
    expect(setup.seen).to.deep.equal(['a', 'b']);
    waiting.shift()?.();
    await setup.queue.close();
  });

  for (const [title, result] of unreadableThenables()) {
    it(`reports a callback that returns ${title}, and goes on`, async () => {
      const setup = new Setup({
        deliver: ({ key }) => {
          setup.seen.push(key);
          return key === 'hostile' ? result : undefined;
        },
      });
      setup.queue.start();
      setup.queue.push(batch(['hostile', 'next']));
      await setup.runtime.settle();
      setup.queue.push(batch(['later']));
      await setup.runtime.settle();
      expect(setup.seen).to.deep.equal(['hostile', 'next', 'later']);
      expect(setup.errors).to.have.length(1);
      expect(setup.queue).to.include({ delivered: 3, failed: 1, pending: 0 });
      await setup.queue.close();
    });
  }

  for (const kind of ['returns', 'awaits'] as const) {
    it(`lets other tasks run between slices of a handler that ${kind}`, async () => {
      let others = 0;
      const setup = new Setup({
        deliver: () => {
          setup.runtime.queueTask(() => {
            others += 1;
          });
          interleaved.push(others);
          return kind === 'awaits' ? Promise.resolve() : undefined;
        },
      });
      const interleaved: number[] = [];
      setup.queue.start();
      setup.queue.push(batch(numbered(0, 5000)));
      await setup.runtime.settle();
      expect(interleaved).to.have.length(5000);
      expect(new Set(interleaved).size, 'slices').to.be.within(4, 10);
      await setup.queue.close();
    });
  }

  it('ends a slice when its time is up', async () => {
    let nowMs = 0;
    const runtime = new VirtualRuntime();
    const slices: number[] = [];
    const tasks: (() => void)[] = [];
    const setup = new Setup({
      runtime: {
        wallMs: () => nowMs,
        monotonicMs: () => nowMs,
        random: () => 0,
        setTimer: (delayMs, callback) => runtime.setTimer(delayMs, callback),
        queueTask: (task) => tasks.push(task),
      },
      deliver: () => {
        nowMs += 2;
      },
    });
    setup.queue.start();
    setup.queue.push(batch(numbered(0, 8)));
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      const before = setup.queue.delivered;
      task();
      slices.push(setup.queue.delivered - before);
    }
    expect(slices).to.deep.equal([3, 3, 2]);
  });

  describe('close', () => {
    it('drops what is pending and takes nothing more', async () => {
      const { queue, runtime, seen } = new Setup();
      queue.start();
      queue.push(batch(['a']));
      await queue.close();
      queue.push(batch(['b']));
      await runtime.settle();
      expect(seen).to.deep.equal([]);
      expect(queue.pending).to.equal(0);
    });

    it('waits for the callback under way', async () => {
      const gate = deferred<void>();
      const { queue, runtime } = new Setup({ deliver: () => gate.promise });
      queue.start();
      queue.push(batch(['a', 'b']));
      await runtime.settle();
      let closed = false;
      const closing = Promise.all([queue.close(), queue.close()]).then(() => {
        closed = true;
      });
      await runtime.settle();
      expect(closed).to.equal(false);
      gate.resolve();
      await closing;
      expect(queue.delivered).to.equal(1);
    });

    it('does not make a callback wait for itself', async () => {
      let closed = false;
      const setup = new Setup({
        deliver: async ({ key }) => {
          setup.seen.push(key);
          await setup.queue.close();
          closed = true;
        },
      });
      setup.queue.start();
      setup.queue.push(batch(['a', 'b']));
      await setup.runtime.settle();
      expect(closed).to.equal(true);
      expect(setup.seen).to.deep.equal(['a']);
    });
  });

  describe('that falls behind', () => {
    function behind(limit: number): { setup: Setup; gate: { resolve(value: void): void } } {
      const gate = deferred<void>();
      const setup: Setup = new Setup({
        limit: () => limit,
        deliver: ({ key }) => {
          setup.seen.push(key);
          return setup.seen.length === 1 ? gate.promise : undefined;
        },
      });
      setup.queue.start();
      return { setup, gate };
    }

    it('merges the notifications of one object, warns once, and loses nothing', async () => {
      const { setup, gate } = behind(10);
      setup.queue.push(batch(['first']));
      await setup.runtime.settle();
      for (let round = 0; round < 1000; round += 1) {
        const old = pod('hot', { resourceVersion: String(round) });
        const object = pod('hot', { resourceVersion: String(round + 1) });
        const notification = new UpdateNotification('hot', old, object, false, 'other');
        setup.queue.push({ notifications: [notification], initial: false, audience: 'all' });
        expect(setup.queue.pending).to.be.at.most(12);
      }
      expect(setup.warnings).to.have.length(1);
      expect(setup.warnings[0]).to.include('(handler=handler pending=11)');
      gate.resolve();
      await setup.runtime.settle();
      expect(setup.queue.pending).to.equal(0);
      expect(setup.queue.delivered + setup.queue.coalesced).to.equal(1001);
      await setup.queue.close();
    });

    it('is given up instead, if it would rather have none than fewer', async () => {
      const setup = new Setup({ limit: () => 10, whenFull: 'close' });
      setup.queue.push(batch(numbered(0, 50), true));
      setup.queue.push(batch(numbered(50, 60)));
      expect(setup.warnings).to.deep.equal([]);
      setup.queue.push(batch(['one too many']));
      expect(setup.warnings).to.deep.equal(['full with 11']);
      expect(setup.queue.coalesced).to.equal(0);
      await setup.queue.close();
    });

    it('keeps initial notifications as they are', async () => {
      const { queue, runtime, seen } = new Setup({ limit: () => 4 });
      queue.push(batch(numbered(0, 20), true));
      queue.tracker.markUpstreamSynced();
      for (let round = 0; round < 100; round += 1) queue.push(batch(['k0', 'k1']));
      expect(queue.coalesced).to.be.greaterThan(100);
      expect(queue.tracker.outstanding).to.equal(20);
      queue.start();
      await runtime.settle();
      expect(queue.tracker.synced).to.equal(true);
      expect(seen.slice(0, 20)).to.deep.equal(numbered(0, 20));
      expect(queue.pending).to.equal(0);
      await queue.close();
    });

    it('merges each notification a few times at most, even when nothing can be merged', async () => {
      const { setup, gate } = behind(100);
      setup.queue.push(batch(['first']));
      await setup.runtime.settle();
      let merged = 0;
      class CountedAdd extends AddNotification<Pod> {
        override get type(): 'add' {
          merged += 1;
          return 'add';
        }
      }
      for (let index = 0; index < 100_000; index += 1) {
        const key = `k${index}`;
        const notifications = [new CountedAdd(key, pod(key), false, 'other')];
        setup.queue.push({ notifications, initial: false, audience: 'all' });
      }
      // A merge at each push would be five billion.
      expect(merged).to.be.within(100_000, 300_000);
      expect(setup.queue.pending).to.equal(100_001);
      gate.resolve();
      await setup.runtime.settle();
      expect(setup.seen).to.have.length(100_001);
      await setup.queue.close();
    });
  });

  it('mentions a callback that does not come back', async () => {
    const gate = deferred<void>();
    const { queue, runtime, warnings } = new Setup({ deliver: () => gate.promise });
    queue.start();
    queue.push(batch(['stuck', 'next']));
    await runtime.advance(65_000);
    expect(warnings).to.have.length(2);
    expect(warnings[0]).to.equal(
      'notifications wait for a call of the handler (handler=handler type=add key=stuck elapsedMs=30000 pending=1)',
    );
    gate.resolve();
    await runtime.settle();
    await queue.close();
    await runtime.advance(100_000);
    expect(warnings).to.have.length(2);
  });

  describe('that is stopped while a callback is under way', () => {
    function stuck(before: () => void = () => {}): {
      setup: Setup;
      ledger: LedgerRuntime;
      gate: { resolve(value: void): void };
    } {
      const gate = deferred<void>();
      const virtual = new VirtualRuntime();
      const ledger = new LedgerRuntime(virtual);
      const setup: Setup = new Setup({
        runtime: ledger,
        turns: new DeliveryTurns(virtual),
        deliver: () => {
          before();
          return gate.promise;
        },
      });
      setup.runtime = virtual;
      setup.queue.start();
      setup.queue.push(batch(['stuck', 'next']));
      return { setup, ledger, gate };
    }

    it('keeps no timer, for no caller waits', async () => {
      const { setup, ledger, gate } = stuck();
      await setup.runtime.settle();
      expect(ledger.timers).to.equal(1);
      setup.queue.stop();
      expect(ledger.timers).to.equal(0);
      gate.resolve();
      await setup.queue.drained();
    });

    it('keeps no timer when that callback stopped it', async () => {
      const { setup, ledger, gate } = stuck(() => {
        setup.queue.stop();
      });
      await setup.runtime.settle();
      expect(ledger.timers).to.equal(0);
      gate.resolve();
      await setup.runtime.settle();
    });

    it('reports how long the removal waits', async () => {
      const { setup, ledger, gate } = stuck();
      await setup.runtime.advance(20_000);
      const closing = setup.queue.close();
      await setup.runtime.advance(30_000);
      expect(setup.warnings).to.deep.equal([
        'the removal of the handler waits for a call (handler=handler type=add key=stuck elapsedMs=50000 pending=0)',
      ]);
      gate.resolve();
      await closing;
      expect(ledger.timers).to.equal(0);
    });
  });
});
