import { expect } from 'chai';
import { LeaseClock } from '../../../lib/controller/election/lease-clock.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ReplicaRuntime } from '../../election/replica-runtime.ts';

describe('LeaseClock', () => {
  let world: VirtualRuntime;
  let runtime: ReplicaRuntime;
  let clock: LeaseClock;

  beforeEach(() => {
    world = new VirtualRuntime({ startWallMs: 1_000_000 });
    runtime = new ReplicaRuntime(world, { skewMs: 0, speed: 1 });
    clock = new LeaseClock(runtime);
  });

  it('reads both clocks', async () => {
    await world.advance(250);
    expect(clock.now()).to.deep.equal({ monotonicMs: 250, wallMs: 1_000_250 });
  });

  it('counts the larger difference of both clocks at most, and the monotonic one at least', async () => {
    const then = clock.now();
    await world.advance(3000);
    expect([clock.atMostMs(then), clock.atLeastMs(then)]).to.deep.equal([3000, 3000]);
    runtime.setClock(60_000);
    expect([clock.atMostMs(then), clock.atLeastMs(then)]).to.deep.equal([63_000, 3000]);
    runtime.setClock(-60_000);
    expect([clock.atMostMs(then), clock.atLeastMs(then)]).to.deep.equal([3000, 3000]);
  });
});
