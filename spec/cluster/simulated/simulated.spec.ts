import { expect } from 'chai';
import { WORKLOAD_CONTROLLERS } from '../../../lib/cluster/cluster-controller-names.ts';
import { partSimulations, simulatePart } from './simulations.ts';

/** `npm run check -- simulate-cluster` runs more seeds, and more operations of users. */
const SEEDS = 1;

describe('simulated controllers of workloads', () => {
  it('are all of them', () => {
    const names = partSimulations.map(({ name }) => name);
    expect(names.toSorted()).to.deep.equal([...WORKLOAD_CONTROLLERS].toSorted());
  });

  for (const part of partSimulations) {
    it(`pass the first seed: ${part.name}`, async () => {
      const { report, failures } = await simulatePart(part, 0, {
        seeds: SEEDS,
        systematic: false,
      });
      expect(failures.map(({ story }) => story)).to.deep.equal([]);
      expect(report.plans['random seeds']?.run).to.equal(SEEDS);
    });
  }
});
