import { expect } from 'chai';
import {
  DeliveryTurns,
  type Slice,
} from '../../../../lib/cache/informer/handlers/delivery-turns.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';

/** Time passes on command, and reads of the clock are counted. */
class Setup {
  nowMs = 0;
  looks = 0;
  readonly tasks: (() => void)[] = [];
  readonly turns: DeliveryTurns;

  constructor() {
    const virtual = new VirtualRuntime();
    this.turns = new DeliveryTurns({
      wallMs: () => this.nowMs,
      monotonicMs: () => {
        this.looks += 1;
        return this.nowMs;
      },
      random: () => 0,
      setTimer: (delayMs, callback) => virtual.setTimer(delayMs, callback),
      queueTask: (task) => this.tasks.push(task),
    });
  }

  /** Delivers until the slice is over, or nothing is left; each delivery takes `eachMs`. */
  slice(deliveries: number, eachMs: number, log: number[] = []): Slice {
    return {
      deliverSlice: (): void => {
        const endMs = this.turns.nowMs + this.turns.sliceMs;
        let done = 0;
        do {
          this.nowMs += eachMs;
          done += 1;
        } while (done < deliveries && !this.turns.isOver(endMs));
        log.push(done);
      },
    };
  }

  turn(...slices: readonly Slice[]): void {
    for (const slice of slices) this.turns.queue(slice);
    this.tasks.shift()?.();
  }
}

describe('DeliveryTurns', () => {
  it('gives all that ask in one task their slice in the next one, in their order', () => {
    const { turns, tasks } = new Setup();
    const log: string[] = [];
    const slice = (name: string): Slice => ({ deliverSlice: () => log.push(name) });
    for (const name of ['a', 'b', 'c']) turns.queue(slice(name));
    expect(tasks).to.have.length(1);
    expect(log).to.deep.equal([]);
    tasks.shift()?.();
    expect(log).to.deep.equal(['a', 'b', 'c']);
    expect(tasks).to.have.length(0);
  });

  it('lets a slice that asks again during a turn wait for the next one', () => {
    const { turns, tasks } = new Setup();
    let slices = 0;
    const again: Slice = {
      deliverSlice: (): void => {
        slices += 1;
        if (slices < 3) turns.queue(again);
      },
    };
    turns.queue(again);
    for (let turn = 1; turn <= 3; turn += 1) {
      expect(tasks).to.have.length(1);
      tasks.shift()?.();
      expect(slices).to.equal(turn);
    }
    expect(tasks).to.have.length(0);
  });

  it('lets a slice that throws cost no other one its turn', () => {
    const { turns, tasks } = new Setup();
    const log: string[] = [];
    turns.queue({
      deliverSlice: (): void => {
        throw new Error('broken');
      },
    });
    turns.queue({ deliverSlice: () => log.push('fine') });
    expect(() => tasks.shift()?.()).to.throw('broken');
    tasks.shift()?.();
    expect(log).to.deep.equal(['fine']);
    turns.queue({ deliverSlice: () => log.push('later') });
    tasks.shift()?.();
    expect(log).to.deep.equal(['fine', 'later']);
  });

  it('shares a turn out among all, and looks at the clock once in many deliveries that are fast', () => {
    const setup = new Setup();
    setup.turns.share(100);
    expect(setup.turns.sliceMs).to.equal(0.05);
    const slices = Array.from({ length: 100 }, () => setup.slice(16, 0.0001));
    setup.turn(...slices);
    const { looks } = setup;
    setup.turn(...slices);
    expect(setup.looks - looks).to.be.at.most((100 * 16) / 32 + 2);
  });

  for (const eachMs of [0.02, 0.3, 1, 2.4, 20]) {
    it(`ends a slice in time when each delivery takes ${eachMs} ms`, () => {
      const setup = new Setup();
      setup.turn(setup.slice(100_000, eachMs));
      expect(setup.nowMs).to.be.within(5, 5 + Math.max(0.5, eachMs));
    });
  }

  for (const size of [1, 16, 21, 31, 32, 33]) {
    it(`notices that turns of ${size} deliveries have become slow`, () => {
      const setup = new Setup();
      setup.turn(setup.slice(1000, 0.0001));
      setup.turn(setup.slice(size, 1));
      if (size > 1) setup.turn(setup.slice(size, 1));
      const log: number[] = [];
      setup.turn(setup.slice(100, 1, log));
      expect(log[0]).to.be.at.most(size === 1 ? 32 : 7);
    });
  }
});
