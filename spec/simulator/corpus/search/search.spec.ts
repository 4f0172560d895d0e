import { expect } from 'chai';
import { shareOf } from '../../../support/share.ts';
import { knownBugs } from '../index.ts';
import { alarmsOf, firstFailing, searched } from './first-plans.ts';
import { bugOf } from './search-bug.ts';

/** Bugs that few plans find, with the pattern of the first of them. `npm run check -- simulate-corpus` searches all. */
const FOUND_BY: readonly (readonly [name: string, pattern: string])[] = [
  ['kubernetes-120649', 'intermediate state'],
  ['nifikop-49', 'intermediate state'],
  ['psmdb-578', 'intermediate state'],
  ['strimzi-8401', 'intermediate state'],
  ['xtradb-896', 'intermediate state'],
  ['argo-workflows-4583', 'intermediate state'],
  ['cert-manager-4956', 'intermediate state'],
  ['external-provisioner-311', 'intermediate state'],
  ['cluster-api-10655', 'unobserved state'],
  ['cassandra-operator-400', 'list order'],
  ['casskop-321', 'stale state'],
  ['rabbitmq-648', 'stale state'],
  ['rabbitmq-782', 'stale state'],
  ['zookeeper-312', 'stale state'],
  ['zookeeper-314', 'stale state'],
];

/** Plans of each fixed version. */
const MOST_PLANS = 3;

describe('the systematic plans', () => {
  for (const [name, pattern] of shareOf(FOUND_BY, 3)) {
    it(`find ${name} by a plan of "${pattern}", and nothing in its fixed version`, async () => {
      const bug = bugOf(name);
      const plan = await firstFailing(await searched(bug, bug.wrong));
      expect(plan?.origin).to.equal(pattern);
      const { simulation } = await searched(bug, bug.fixed);
      expect(plan && (await alarmsOf(simulation, plan))).to.deep.equal([]);
    });
  }

  for (const bug of shareOf(knownBugs, 3)) {
    it(`find nothing in ${bug.name}, fixed, with the first ones`, async () => {
      const { simulation, plans } = await searched(bug, bug.fixed);
      expect((await simulation.baseline()).findings).to.deep.equal([]);
      expect(plans).to.have.length.above(0);
      for (const plan of plans.slice(0, MOST_PLANS)) {
        expect(await alarmsOf(simulation, plan), JSON.stringify(plan)).to.deep.equal([]);
      }
    });
  }
});
