import { expect } from 'chai';
import { SessionPulse } from '../../../../../lib/client/transport/connection/http2/session-pulse.ts';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';

describe('SessionPulse', () => {
  const start = (): {
    runtime: VirtualRuntime;
    pulse: SessionPulse;
    seen: [ms: number, what: string][];
    answer: () => void;
  } => {
    const runtime = new VirtualRuntime();
    const seen: [number, string][] = [];
    let answer = (): void => {};
    const pulse = new SessionPulse({
      runtime,
      ping: (answered) => {
        seen.push([runtime.monotonicMs(), 'ping']);
        answer = answered;
      },
      onEnd: (reason) => seen.push([runtime.monotonicMs(), reason]),
    });
    return { runtime, pulse, seen, answer: () => answer() };
  };

  it('pings after 30 s of silence, and reports a dead session 34 s after the last data', async () => {
    const { runtime, pulse, seen } = start();
    pulse.used();
    await runtime.advance(20_000);
    pulse.heard();
    await runtime.advance(100_000);
    expect(seen).to.deep.equal([
      [50_000, 'ping'],
      [54_000, 'unanswered'],
    ]);
  });

  it('keeps a session that answers, at one ping for 30 s', async () => {
    const { runtime, pulse, seen, answer } = start();
    pulse.used();
    for (let round = 0; round < 10; round += 1) {
      await runtime.advance(30_000);
      answer();
    }
    expect(seen).to.have.length(10);
    expect(seen.every(([, what]) => what === 'ping')).to.equal(true);
  });

  it('keeps a session whose answer comes in the last second, or that carries data instead', async () => {
    const { runtime, pulse, seen, answer } = start();
    pulse.used();
    await runtime.advance(33_999);
    answer();
    await runtime.advance(33_000);
    pulse.heard();
    await runtime.advance(29_999);
    expect(seen).to.deep.equal([
      [30_000, 'ping'],
      [63_999, 'ping'],
    ]);
  });

  it('pings no session that is busy', async () => {
    const { runtime, pulse, seen } = start();
    pulse.used();
    for (let round = 0; round < 100; round += 1) {
      await runtime.advance(29_000);
      pulse.heard();
    }
    expect(seen).to.deep.equal([]);
  });

  it('reports a session that had no stream for 60 s, and no other', async () => {
    const { runtime, pulse, seen, answer } = start();
    await runtime.advance(30_000);
    answer();
    pulse.used();
    await runtime.advance(30_000);
    answer();
    pulse.unused();
    await runtime.advance(30_000);
    answer();
    await runtime.advance(29_999);
    expect(seen.filter(([, what]) => what !== 'ping')).to.deep.equal([]);
    await runtime.advance(1);
    expect(seen.at(-1)).to.deep.equal([120_000, 'idle']);
  });

  it('sets no timer again when its ping stops it', async () => {
    const runtime = new VirtualRuntime();
    const seen: string[] = [];
    const pulse = new SessionPulse({
      runtime,
      ping: () => {
        seen.push('ping');
        pulse.stop();
      },
      onEnd: (reason) => seen.push(reason),
    });
    pulse.used();
    await runtime.advance(200_000);
    expect(seen).to.deep.equal(['ping']);
  });

  it('is silent after stop', async () => {
    const { runtime, pulse, seen } = start();
    pulse.stop();
    pulse.heard();
    await runtime.advance(200_000);
    expect(seen).to.deep.equal([]);
  });
});
