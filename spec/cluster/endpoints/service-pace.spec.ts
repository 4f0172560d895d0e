import { expect } from 'chai';
import { ServicePace } from '../../../lib/cluster/endpoints/service-pace.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';

describe('ServicePace', () => {
  it('puts a service with many pods off, and says so while it does', async () => {
    const runtime = new VirtualRuntime({ seed: 1 });
    await runtime.run(async () => {
      const pace = new ServicePace(runtime, 100);
      const idle = { start: () => {}, [Symbol.asyncDispose]: () => Promise.resolve() };
      const part = pace.part(idle);
      expect(pace.waitMs('a')).to.equal(0);
      pace.computed('a', 10_000);
      expect(pace.waitMs('a')).to.equal(2000);
      expect(part.pending?.()).to.equal('1 services with many pods');
      await sleep(runtime, 2000);
      expect(pace.waitMs('a')).to.equal(0);
      expect(part.pending?.()).to.equal(undefined);
    });
  });

  it('leaves services with few pods to the queue', () => {
    const pace = new ServicePace(new VirtualRuntime({ seed: 1 }), 100);
    pace.computed('a', 501);
    pace.computed('b', 500);
    expect([pace.waitMs('a') > 0, pace.waitMs('b')]).to.deep.equal([true, 0]);
    pace.computed('a', 3);
    expect(pace.waitMs('a')).to.equal(0);
  });

  it('forgets a service', () => {
    const pace = new ServicePace(new VirtualRuntime({ seed: 1 }), 100);
    pace.computed('a', 10_000);
    expect(pace.waitMs('a')).to.be.greaterThan(0);
    pace.forget('a');
    const idle = { start: () => {}, [Symbol.asyncDispose]: () => Promise.resolve() };
    expect(pace.part(idle).pending?.()).to.equal(undefined);
    expect(pace.waitMs('a')).to.equal(0);
  });
});
