import { expect } from 'chai';
import type { Runtime } from '../../../../lib/kernel/time/runtime.ts';
import { NextTurn } from '../../../../lib/server/cacher/watchers/next-turn.ts';

/** A clock and a queue of tasks that are moved by hand. */
class Hand {
  nowMs = 0;
  readonly tasks: (() => void)[] = [];
  readonly timers: { readonly atMs: number; readonly callback: () => void; cancelled: boolean }[] =
    [];
  readonly runtime: Runtime = {
    wallMs: () => this.nowMs,
    monotonicMs: () => this.nowMs,
    random: () => 0,
    setTimer: (delayMs, callback) => {
      const timer = { atMs: this.nowMs + delayMs, callback, cancelled: false };
      this.timers.push(timer);
      return {
        cancel: () => {
          timer.cancelled = true;
        },
      };
    },
    queueTask: (task) => {
      this.tasks.push(task);
    },
  };

  /** One turn of the event loop, which takes some time. */
  turn(tookMs: number = 0): void {
    for (const task of this.tasks.splice(0)) task();
    this.nowMs += tookMs;
  }
}

describe('NextTurn', () => {
  let hand: Hand;
  let turn: NextTurn;
  let notified: number[];
  const ask = (count: number, from: number = 0): void => {
    for (let index = from; index < from + count; index += 1) turn.run(() => notified.push(index));
  };
  beforeEach(() => {
    hand = new Hand();
    turn = new NextTurn(hand.runtime);
    notified = [];
  });

  it('runs all that was asked for in one task, in order, when the turn is over', () => {
    ask(3);
    expect([notified, hand.tasks.length]).to.deep.equal([[], 1]);
    hand.turn();
    expect(notified).to.deep.equal([0, 1, 2]);
  });

  it('gives others a turn after 250 callbacks', () => {
    ask(600);
    const seen: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      hand.turn();
      seen.push(notified.length);
    }
    expect(seen).to.deep.equal([250, 500, 600]);
  });

  it('rests for as long as the last run took, and gathers what is asked for meanwhile', () => {
    ask(500);
    hand.turn(2);
    ask(1, 500);
    hand.turn(2);
    expect(notified).to.have.length(500);
    hand.turn();
    ask(1, 501);
    expect(hand.timers.map(({ atMs }) => atMs)).to.deep.equal([8]);
    expect(hand.tasks).to.have.length(0);
    hand.nowMs = 8;
    hand.timers[0]?.callback();
    expect(notified.slice(500)).to.deep.equal([500, 501]);
  });

  it('waits for no timer any more once it is flushed', () => {
    ask(1);
    hand.turn(5);
    hand.turn();
    ask(2, 1);
    expect(hand.timers.map(({ cancelled }) => cancelled)).to.deep.equal([false]);
    turn.flush();
    expect(hand.timers.map(({ cancelled }) => cancelled)).to.deep.equal([true]);
    expect(notified).to.deep.equal([0, 1, 2]);
    turn.flush();
    expect(notified).to.have.length(3);
  });

  it('rests 25 ms at most', () => {
    ask(1);
    hand.turn(300);
    hand.turn();
    ask(1, 1);
    expect(hand.timers.map(({ atMs }) => atMs)).to.deep.equal([325]);
  });

  it('does not pause longer than that time', () => {
    ask(1);
    hand.turn(5);
    hand.turn();
    hand.nowMs += 5;
    ask(1, 1);
    hand.turn();
    expect(notified).to.deep.equal([0, 1]);
    expect(hand.timers).to.have.length(0);
  });

  /** Asks for a run that takes 4 ms, and for another one, at 4 ms. */
  const runAndAsk = (): void => {
    turn.notice(1);
    ask(1);
    hand.turn(4);
    hand.turn();
    turn.notice(1);
    ask(1, 1);
  };
  const endOfRest = (): void => {
    const { atMs = 0, callback } = hand.timers.shift() ?? {};
    hand.nowMs = atMs;
    callback?.();
  };

  it('rests on while events come in, for three times as long as the run took at most', () => {
    runAndAsk();
    const ends: number[] = [];
    while (hand.timers.length > 0) {
      turn.notice(1);
      endOfRest();
      ends.push(hand.nowMs);
    }
    expect(ends).to.deep.equal([8, 12, 16]);
    expect(notified).to.deep.equal([0, 1]);
  });

  it('ends its rest as soon as no further event has come in', () => {
    runAndAsk();
    turn.notice(1);
    endOfRest();
    expect(notified).to.deep.equal([0]);
    endOfRest();
    expect([notified, hand.nowMs]).to.deep.equal([[0, 1], 12]);
  });

  it('leaves out the next rests after one in which no event came in, until several come together', () => {
    runAndAsk();
    const rests: number[] = [];
    for (let run = 0; run < 9; run += 1) {
      if (hand.timers.length === 0) {
        hand.turn(4);
      } else {
        endOfRest();
        hand.nowMs += 4;
      }
      hand.turn();
      turn.notice(run === 8 ? 2 : 1);
      ask(1, 2 + run);
      rests.push(hand.timers.length);
    }
    expect(rests).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 1, 1]);
    expect(notified).to.have.length(10);
  });

  it('ends its pause for a caller that waits for the delivery, and is done after the tasks of the run', async () => {
    ask(1);
    hand.turn(5);
    hand.turn();
    ask(2, 1);
    const steps: string[] = [];
    void turn.delivered()?.then(() => steps.push(`delivered ${notified.length}`));
    expect(hand.timers.map(({ cancelled }) => cancelled)).to.deep.equal([true]);
    hand.turn();
    await Promise.resolve();
    expect([notified, steps]).to.deep.equal([[0, 1, 2], []]);
    hand.turn();
    await Promise.resolve();
    expect(steps).to.deep.equal(['delivered 3']);
  });

  it('runs what was asked for during a run without a pause, if a caller waits for it', async () => {
    ask(500);
    hand.turn(4);
    ask(1, 500);
    let delivered = 0;
    void turn.delivered()?.then(() => (delivered = notified.length));
    for (let task = 0; task < 4; task += 1) hand.turn();
    await Promise.resolve();
    expect([delivered, hand.timers.length]).to.deep.equal([501, 0]);
  });

  it('has nothing to deliver when it is idle', () => {
    expect(turn.delivered()).to.equal(undefined);
    ask(1);
    hand.turn();
    hand.turn();
    expect(turn.delivered()).to.equal(undefined);
  });
});
