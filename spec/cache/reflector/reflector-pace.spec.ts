import { expect } from 'chai';
import type { ServerGate } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { ReflectorPace } from '../../../lib/cache/reflector/reflector-pace.ts';
import type { BackingOffState } from '../../../lib/cache/reflector/table/reflector-state.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const BACKOFF = { baseMs: 1000, capMs: 30_000, factor: 2, jitter: 0, resetAfterMs: 120_000 };
const closed: ServerGate = {
  waitingFor: 'the server',
  turn: () => undefined,
  doubt: () => {},
};

function paceWith(gate?: ServerGate): {
  readonly pace: ReflectorPace;
  readonly next: (pace: BackingOffState['pace'], retryAfterMs?: number) => number;
} {
  const pace = new ReflectorPace(new VirtualRuntime(), BACKOFF, gate);
  return {
    pace,
    next: (wanted, retryAfterMs = 0) =>
      pace.next({ pace: wanted, retryAfterMs } as BackingOffState),
  };
}

describe('ReflectorPace', () => {
  it('says the last delay of the back-off, 0 before the first one and after a reset', () => {
    const { pace, next } = paceWith();
    expect(pace.presentMs).to.equal(0);
    expect([next('retry'), next('retry')]).to.deep.equal([1000, 2000]);
    expect(pace.presentMs).to.equal(2000);
    pace.reset();
    expect(pace.presentMs).to.equal(0);
    expect(next('retry')).to.equal(1000);
  });

  it('waits as long as the server asks, five minutes at most', () => {
    const { next } = paceWith();
    expect(next('retry', 7000)).to.equal(7000);
    expect(next('retry', 3_600_000)).to.equal(300_000);
    expect(next('retry', 3000)).to.equal(4000);
  });

  it('waits a quarter of the back-off before it opens a watch again', () => {
    const { next } = paceWith();
    expect([next('reopen'), next('reopen')]).to.deep.equal([250, 500]);
  });

  it('has no back-off where none is asked for, and waits a quarter of the first delay at most', () => {
    const { pace, next } = paceWith();
    expect(next('none')).to.equal(0);
    expect(next('none', 100)).to.equal(100);
    expect(next('none', 9000)).to.equal(250);
    expect(pace.presentMs).to.equal(0);
  });

  it('waits five seconds at most while the gate of the server is closed', () => {
    const { next } = paceWith(closed);
    expect(Array.from({ length: 5 }, () => next('retry'))).to.deep.equal([
      1000, 2000, 4000, 5000, 5000,
    ]);
  });
});
