import { expect } from 'chai';
import { PODS_AT_THE_END, runVirtualCluster } from './support/virtual-cluster.ts';
import type { VirtualClusterRun } from './support/virtual-cluster.ts';

function podKeys({ pods }: VirtualClusterRun): string[] {
  return pods.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).toSorted();
}

describe('a cluster and its controller in one virtual runtime', () => {
  for (const order of ['fifo', 'random'] as const) {
    it(`replays from its seed to the byte, tasks in order "${order}"`, async () => {
      const first = await runVirtualCluster({ seed: 7, order });
      const second = await runVirtualCluster({ seed: 7, order });
      expect(second.trace.join('\n')).to.equal(first.trace.join('\n'));
      expect(JSON.stringify(second.pods)).to.equal(JSON.stringify(first.pods));
      expect(first.failures, 'retries are part of the story').to.be.greaterThan(0);
      expect(first.relists, 'lost history is part of the story').to.be.greaterThan(0);
    });
  }

  it('takes another course from another seed, to the same end', async () => {
    const courses = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const run = await runVirtualCluster({ seed, order: 'random' });
      expect(podKeys(run), `seed ${seed}\n${run.trace.join('\n')}`).to.deep.equal(PODS_AT_THE_END);
      courses.add(run.trace.map((line) => line.replace(/^\S+ /, '')).join('\n'));
    }
    expect(courses.size).to.equal(20);
  });
});
