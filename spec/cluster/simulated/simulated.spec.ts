import { expect } from 'chai';
import { WORKLOAD_CONTROLLERS } from '../../../lib/cluster/cluster-controller-names.ts';
import { partSimulations, simulatePart } from './simulations.ts';

/** Those whose runs are short. `npm run check -- simulate-cluster` runs all, with more seeds and more operations of users. */
const SHORT = ['endpoint', 'service-load-balancer', 'ingress-address'];

describe('simulated controllers of workloads', () => {
  it('are all of them', () => {
    const names = partSimulations.map(({ name }) => name);
    expect(names.toSorted()).to.deep.equal([...WORKLOAD_CONTROLLERS].toSorted());
    expect(names).to.include.members(SHORT);
  });

  for (const part of partSimulations.filter(({ name }) => SHORT.includes(name))) {
    it(`pass the first seed: ${part.name}`, async () => {
      const { report, failures } = await simulatePart(part, 0, { seeds: 1, systematic: false });
      expect(failures.map(({ story }) => story)).to.deep.equal([]);
      expect(report.plans['random seeds']?.run).to.equal(1);
    });
  }
});
