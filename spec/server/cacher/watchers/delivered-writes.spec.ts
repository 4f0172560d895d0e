import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/virtual-runtime.ts';
import { DeliveredWrites } from '../../../../lib/server/cacher/watchers/delivered-writes.ts';

describe('DeliveredWrites', () => {
  let runtime: VirtualRuntime;
  let writes: DeliveredWrites;
  let deliveries: number;
  beforeEach(() => {
    runtime = new VirtualRuntime();
    deliveries = 0;
    writes = new DeliveredWrites({
      runtime,
      deliver: () => {
        deliveries += 1;
        return undefined;
      },
    });
  });

  it('waits until the event was offered to the watchers, and then for its delivery', async () => {
    await runtime.run(async () => {
      const written = writes.wait(7n);
      writes.reach(6n);
      await Promise.resolve();
      expect(deliveries).to.equal(0);
      writes.reach(8n);
      await written;
      expect([deliveries, runtime.monotonicMs()]).to.deep.equal([1, 0]);
    });
  });

  it('waits only for the delivery if the event was offered before', async () => {
    writes.reach(7n);
    await writes.wait(7n);
    expect(deliveries).to.equal(1);
  });

  it('gives up after 50 ms, and at a release', async () => {
    await runtime.run(async () => {
      await writes.wait(7n);
      expect(runtime.monotonicMs()).to.equal(50);
      const written = writes.wait(7n);
      writes.release();
      await written;
      expect(runtime.monotonicMs()).to.equal(50);
    });
  });
});
