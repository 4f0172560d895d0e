import { expect } from 'chai';
import { controller } from '../../../lib/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import { withoutUids } from '../../../lib/simulator/record/uids.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { recordingOf } from '../../../lib/simulator/search/recording.ts';
import { systematicPlans } from '../../../lib/simulator/search/systematic-plans.ts';

/** Each config map gets a secret that is named after its uid. */
const named: SimulatedController = {
  name: 'named',
  async run({ client, runtime, signal, logger }) {
    await using operator = controller(client, 'v1', 'configmaps', {
      runtime,
      logger,
      labelSelector: 'kind=shop',
    })
      .owns('v1', 'secrets')
      .reconcile(async ({ metadata: { uid } }, { resource, own }) => {
        const metadata = { name: `shop-${uid}`, labels: { of: `x-${uid}` } };
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata } as const;
        await resource('v1', 'secrets').apply(own(secret));
      });
    await operator.run({ signal });
  },
};

const workload: readonly WorkloadStep[] = [
  {
    title: 'open two shops',
    act: async (user) => {
      const maps = user.resource('v1', 'configmaps', { namespace: 'default' });
      for (const name of ['bakery', 'florist'])
        await maps.create({ metadata: { name, labels: { kind: 'shop' } } });
    },
    until: (state) => state.list('v1', 'secrets').length === 2,
  },
  {
    title: 'close one',
    act: async (user) => {
      await user.resource('v1', 'configmaps', { namespace: 'default' }).delete('bakery');
    },
    until: (state) => state.list('v1', 'secrets').length === 1,
  },
];

describe('objects that are named after uids', () => {
  it('have a name without uid in plans, which meet them in every run, and are compared by what the uid is of', async () => {
    const simulation = await Simulation.of(simulationParts({ controllers: [named], workload }));
    const { records, findings } = await simulation.baseline();
    expect(findings).to.deep.equal([]);
    const [record] = records;
    if (record === undefined) throw new Error('no run');
    const recording = recordingOf(record, ['named']);
    expect(recording.writes.map(({ at }) => `${at.object} ${at.occurrence}`)).to.deep.equal([
      'default/shop-{uid} 1',
      'default/shop-{uid} 2',
    ]);
    for (const plan of systematicPlans(recording)) {
      const verdict = await simulation.evaluate(plan);
      expect(verdict.findings, JSON.stringify(plan)).to.deep.equal([]);
      if (plan.faults[0]?.kind === 'crash') expect(verdict.record.struck).to.have.length(1);
    }
  });

  it('keep the rest of their names', () => {
    const uid = '3f097f12-286d-4a28-ae1c-36df74492b3f';
    expect(withoutUids(`default/disk-${uid}-of-${uid}`)).to.equal('default/disk-{uid}-of-{uid}');
    expect(withoutUids('default/disk')).to.equal('default/disk');
    expect(withoutUids(`default/${uid.slice(1)}`)).to.equal(`default/${uid.slice(1)}`);
  });
});
