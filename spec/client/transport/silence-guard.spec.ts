import { expect } from 'chai';
import { SilenceGuard } from '../../../lib/client/transport/silence-guard.ts';
import { VirtualRuntime } from '../../../lib/kernel/virtual-runtime.ts';

describe('SilenceGuard', () => {
  let runtime: VirtualRuntime;
  let silences: number[];
  let guard: SilenceGuard;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    silences = [];
    guard = new SilenceGuard({
      runtime,
      limitMs: 100,
      onSilent: () => silences.push(runtime.monotonicMs()),
    });
  });

  it('fires once, when what is expected has not come for the limit', async () => {
    guard.expect();
    await runtime.advance(1_000);
    expect(silences).to.deep.equal([100]);
  });

  it('counts anew from each time something is expected', async () => {
    for (let piece = 0; piece < 5; piece += 1) {
      guard.expect();
      await runtime.advance(90);
      guard.pause();
    }
    guard.expect();
    await runtime.advance(99);
    expect(silences).to.deep.equal([]);
    await runtime.advance(1);
    expect(silences).to.deep.equal([550]);
  });

  it('does not count while nothing is expected, and starts again afterwards', async () => {
    guard.expect();
    guard.pause();
    await runtime.advance(1_000);
    expect(runtime.pending).to.equal(0);
    guard.expect();
    await runtime.advance(100);
    expect(silences).to.deep.equal([1_100]);
  });

  it('has one timer however often something comes, and none after stop', async () => {
    for (let piece = 0; piece < 1_000; piece += 1) {
      guard.expect();
      guard.pause();
    }
    expect(runtime.pending).to.equal(1);
    guard.stop();
    guard.expect();
    expect(runtime.pending).to.equal(0);
    await runtime.advance(1_000);
    expect(silences).to.deep.equal([]);
  });

  it('has no timer without a limit', () => {
    new SilenceGuard({ runtime, limitMs: Infinity, onSilent: () => {} }).expect();
    expect(runtime.pending).to.equal(0);
  });
});
