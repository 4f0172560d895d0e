import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { DeliveredWrites } from '../../../../lib/server/cacher/watchers/delivered-writes.ts';

describe('DeliveredWrites', () => {
  let runtime: VirtualRuntime;
  let writes: DeliveredWrites;
  let steps: string[];
  const watchOf = (
    client: string | undefined,
  ): { client: string | undefined; deliver(): void } => ({
    client,
    deliver: () => {
      steps.push(`deliver ${client}`);
      void Promise.resolve().then(() => steps.push(`read ${client}`));
    },
  });
  beforeEach(() => {
    runtime = new VirtualRuntime();
    writes = new DeliveredWrites(runtime);
    steps = [];
    writes.add(watchOf('a'));
  });

  it('waits until the event was offered to the watchers, and then until the reader has it', async () => {
    await runtime.run(async () => {
      const written = writes.wait(7n, 'a').then(() => steps.push('answer'));
      writes.reach(6n);
      await Promise.resolve();
      expect(steps).to.deep.equal([]);
      writes.reach(8n);
      await written;
      expect(steps).to.deep.equal(['deliver a', 'read a', 'answer']);
      expect(runtime.monotonicMs()).to.equal(0);
    });
  });

  it('wakes the watches of the clients that write, once for all writes of a turn', async () => {
    writes.add(watchOf('b'));
    writes.add(watchOf('c'));
    writes.add(watchOf(undefined));
    writes.reach(9n);
    await runtime.run(async () => {
      await Promise.all([writes.wait(7n, 'a'), writes.wait(8n, 'b'), writes.wait(9n, 'a')]);
    });
    expect(steps).to.deep.equal(['deliver a', 'deliver b', 'read a', 'read b']);
  });

  it('wakes the watches of the process at the write of any client', async () => {
    writes.add(watchOf(''));
    writes.reach(9n);
    expect([undefined, 'c'].map((one) => writes.hasWatches(one))).to.deep.equal([true, true]);
    await runtime.run(async () => {
      await Promise.all([writes.wait(7n, 'c'), writes.wait(8n, undefined)]);
    });
    expect(steps).to.deep.equal(['deliver ', 'read ']);
  });

  it('knows which clients have watches', () => {
    const watch = watchOf('b');
    writes.add(watch);
    writes.add(watchOf(undefined));
    expect(['a', 'b', 'c', undefined].map((one) => writes.hasWatches(one))).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
    writes.remove(watch);
    expect(writes.hasWatches('b')).to.equal(false);
  });

  it('gives up after 50 ms, and at a release', async () => {
    await runtime.run(async () => {
      await writes.wait(7n, 'a');
      expect(runtime.monotonicMs()).to.equal(50);
      const written = writes.wait(7n, 'a');
      writes.release();
      await written;
      expect(runtime.monotonicMs()).to.equal(50);
    });
  });
});
