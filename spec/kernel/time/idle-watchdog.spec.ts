import { expect } from 'chai';
import { IdleWatchdog } from '../../../lib/kernel/time/idle-watchdog.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

describe('IdleWatchdog', () => {
  let runtime: VirtualRuntime;
  let idle: number[];
  let watchdog: IdleWatchdog;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    idle = [];
    watchdog = new IdleWatchdog(runtime);
    watchdog.limit({ limitMs: 100, onIdle: () => idle.push(runtime.monotonicMs()) });
  });

  it('fires once, when what is expected has not come for the limit', async () => {
    watchdog.expect();
    await runtime.advance(1_000);
    expect(idle).to.deep.equal([100]);
  });

  it('counts anew from each time something is expected', async () => {
    for (let piece = 0; piece < 5; piece += 1) {
      watchdog.expect();
      await runtime.advance(90);
      watchdog.pause();
    }
    watchdog.expect();
    await runtime.advance(99);
    expect(idle).to.deep.equal([]);
    await runtime.advance(1);
    expect(idle).to.deep.equal([550]);
  });

  it('does not count while nothing is expected, and starts again afterwards', async () => {
    watchdog.expect();
    watchdog.pause();
    await runtime.advance(1_000);
    expect(runtime.pending).to.equal(0);
    watchdog.expect();
    await runtime.advance(100);
    expect(idle).to.deep.equal([1_100]);
  });

  it('has one timer for any number of events, and none after stop', async () => {
    for (let piece = 0; piece < 1_000; piece += 1) {
      watchdog.expect();
      watchdog.pause();
    }
    expect(runtime.pending).to.equal(1);
    watchdog.stop();
    watchdog.expect();
    expect(runtime.pending).to.equal(0);
    await runtime.advance(1_000);
    expect(idle).to.deep.equal([]);
  });

  it('stays stopped when something is expected for the first time after stop', async () => {
    watchdog.stop();
    watchdog.expect();
    expect(runtime.pending).to.equal(0);
    await runtime.advance(1_000);
    expect(idle).to.deep.equal([]);
  });

  it('has no timer without a limit', () => {
    const endless = new IdleWatchdog(runtime);
    endless.limit({ limitMs: Infinity, onIdle: () => {} });
    endless.expect();
    expect(runtime.pending).to.equal(0);
  });

  it('has several limits beside each other, which can be taken back', async () => {
    watchdog.limit({ limitMs: 30, onIdle: (waitedMs) => idle.push(-waitedMs) });
    const gone = watchdog.limit({ limitMs: 50, onIdle: () => idle.push(0) });
    watchdog.expect();
    await runtime.advance(40);
    gone.cancel();
    await runtime.advance(1_000);
    expect(idle).to.deep.equal([-30, 100]);
    expect(runtime.pending).to.equal(0);
  });

  it('looks at a wait that is on already once the time of a new limit has passed', async () => {
    watchdog.expect();
    await runtime.advance(90);
    watchdog.limit({ limitMs: 20, onIdle: (waitedMs) => idle.push(waitedMs) });
    await runtime.advance(20);
    expect(idle).to.deep.equal([100, 110]);
  });
});
