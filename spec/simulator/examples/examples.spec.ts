import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SimulationPlan } from '../../../lib/simulator/contract/fault.ts';
import { plainProgram } from '../../support/plain-programs.ts';
import type * as Simulations from './simulations.ts';

/** `npm run check -- simulate-examples --seeds N` runs all plans, and more seeds. */
const SEEDS = 2;
const EXAMPLES = join(import.meta.dirname, '../../../examples');

/** Files and folders of examples without a controller, or whose controller is served over sockets. */
const OTHERS = [
  'events',
  'manifests',
  'namespaces',
  'quickstart',
  'support',
  'watch-pods',
  'webhook',
];
const PATTERNS = 'failure-patterns';
const OF_PATTERNS = ['crash-between-writes', 'stale-cache', 'unobserved-change'];
/** The spec of the guide simulates it, in a process of its own. */
const OF_GUIDE = 'expiry';
const SIMULATED = [
  'site-operator',
  ...OF_PATTERNS,
  'clusters',
  'leader-election',
  'sharded-controller',
  'work-queue',
];

/** Plans that have found something in the examples, or in this package. */
const FOUND: readonly (readonly [example: string, what: string, plan: SimulationPlan])[] = [
  [
    'crash-between-writes',
    'a dependent is not made again and again while the cache shows an owner that is gone',
    {
      version: '1',
      seed: 11,
      origin: 'seed 11',
      faults: [
        {
          kind: 'hide',
          process: 'crash-between-writes',
          at: {
            resource: 'databases.example.com',
            object: 'default/shop',
            change: 'deleted',
            occurrence: 1,
          },
          until: {
            resource: 'databases.example.com',
            object: 'default/shop',
            change: 'changed',
            occurrence: 3,
          },
          mode: 'late',
        },
      ],
    },
  ],
];

describe('the controllers of examples/', () => {
  let simulations: (typeof Simulations)['exampleSimulations'];

  before(async () => {
    const program = await plainProgram('spec/simulator/examples/simulations.ts');
    simulations = ((await import(program)) as typeof Simulations).exampleSimulations;
  });

  it('are all simulated', () => {
    const names = readdirSync(EXAMPLES).map((file) => file.replace(/(\.simulation)?\.ts$/, ''));
    const expected = names.filter((name) => !OTHERS.includes(name) && name !== PATTERNS);
    const keys = [...simulations.keys()].toSorted();
    expect(keys).to.deep.equal([...expected, ...OF_PATTERNS].toSorted());
    expect(keys).to.deep.equal([...SIMULATED, OF_GUIDE].toSorted());
  });

  for (const name of SIMULATED) {
    it(`pass the first seeds: ${name}`, async () => {
      const report = await simulations.get(name)?.({ seeds: SEEDS, systematic: false });
      expect(report?.failures.map(({ story }) => story)).to.deep.equal([]);
      expect(report?.plans['random seeds']?.run).to.equal(SEEDS);
    });
  }

  for (const [name, what, replay] of FOUND) {
    it(`pass a plan that failed once: ${name}: ${what}`, async () => {
      const report = await simulations.get(name)?.({ replay });
      expect(report?.failures.map(({ story }) => story)).to.deep.equal([]);
    });
  }
});
