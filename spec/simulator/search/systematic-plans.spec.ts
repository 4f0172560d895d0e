import { expect } from 'chai';
import { controller, SharedInformerFactory, type Client } from '../../../lib/index.ts';
import { FAULT_KINDS, type PlannedFault } from '../../../lib/simulator/contract/fault.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import { Simulation } from '../../../lib/simulator/run/simulation.ts';
import { simulationParts } from '../../../lib/simulator/run/simulation-parts.ts';
import { pointOf, recordingOf, type Recording } from '../../../lib/simulator/search/recording.ts';
import { shrinkPlan } from '../../../lib/simulator/search/shrink-plan.ts';
import { swarmPlan } from '../../../lib/simulator/search/swarm-plan.ts';
import { systematicPlans } from '../../../lib/simulator/search/systematic-plans.ts';
import { simulate } from '../../../lib/simulator/simulate.ts';
import { createOnce, deletesByName, recreate, twoWrites } from '../support/toys.ts';

async function recorded(): Promise<Recording> {
  const simulation = await Simulation.of(
    simulationParts({ controllers: [deletesByName({ fixed: true })], workload: recreate }),
  );
  const [record] = (await simulation.baseline()).records;
  if (record === undefined) throw new Error('no run');
  return recordingOf(record, ['by-name']);
}

/** Deletes the secret of a config map, and makes it again; its informers begin as `firstList` says. */
function wiper(firstList: 'any' | 'newest'): SimulatedController {
  return {
    name: 'wiper',
    run: async ({ client, runtime, signal, logger }) => {
      const options = { runtime, logger, firstList } as const;
      await using informers = new SharedInformerFactory(client, options);
      await controller(client, 'v1', 'configmaps', { runtime, logger, informers })
        .reconcile(async ({ metadata: { name }, data }, { resource }) => {
          const secrets = resource('v1', 'secrets');
          if (data?.['keep'] === 'no') await secrets.delete(name, { ignoreNotFound: true });
          else await secrets.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
        })
        .run({ signal });
    },
  };
}

/** The stale plans of a recording, and those that a search tries. */
async function stalePlans(firstList: 'any' | 'newest'): Promise<readonly [number, number]> {
  const maps = (user: Client) => user.resource('v1', 'configmaps', { namespace: 'default' });
  const keep = (value: string): WorkloadStep => ({
    title: `keep ${value}`,
    act: async (user) => void (await maps(user).patch('page', { data: { keep: value } })),
  });
  const create: WorkloadStep = {
    title: 'create a page',
    act: async (user) => void (await maps(user).create({ metadata: { name: 'page' } })),
  };
  const controllers = [wiper(firstList)];
  const workload = [create, keep('no'), keep('yes')];
  const simulation = await Simulation.of(simulationParts({ controllers, workload }));
  const [record] = (await simulation.baseline()).records;
  if (record === undefined) throw new Error('no run');
  const plans = systematicPlans(recordingOf(record, ['wiper']));
  const all = plans.filter(({ origin }) => origin === 'stale state');
  const report = await simulate({ controllers, workload, seeds: 0, onFailure: 'return' });
  return [all.length, report.plans['stale state']?.planned ?? 0];
}

describe('plans with old caches', () => {
  it('are all tried for a process whose lists may be of the past', async () => {
    const [all, tried] = await stalePlans('any');
    expect(tried).to.equal(all).and.to.be.greaterThan(4);
  });

  it('are one for each moment for a process that reads no past: they differ in nothing else', async () => {
    const [all, tried] = await stalePlans('newest');
    expect(tried)
      .to.be.lessThan(all / 3)
      .and.to.be.greaterThan(0);
  });
});

describe('plans of a recording', () => {
  it('are a crash and a lost answer for each write that changed something, counted by object', async () => {
    const recording = await recorded();
    expect(
      recording.writes.map(({ at }) => `${at.verb} ${at.resource} ${at.object} ${at.occurrence}`),
    ).to.deep.equal([
      'patch configmaps default/app 1',
      'patch secrets default/app-data 1',
      'delete secrets default/app-data 1',
      'patch configmaps default/app 2',
      'patch configmaps default/app 3',
      'patch secrets default/app-data 2',
    ]);
    const plans = systematicPlans(recording);
    const ofKind = (kind: PlannedFault['kind']) =>
      plans.filter(({ faults: [fault] }) => fault?.kind === kind);
    expect(ofKind('crash')).to.have.length(6);
    expect(ofKind('error')).to.have.length(6);
    expect(plans.every(({ faults }) => faults.length === 1)).to.equal(true);
    expect(new Set(plans.map(({ faults }) => JSON.stringify(faults))).size).to.equal(plans.length);
  });

  it('are a restart with old caches for each deletion, and each change hidden until the next one', async () => {
    const recording = await recorded();
    const faults = systematicPlans(recording).flatMap((plan) => plan.faults);
    const deletion = {
      resource: 'configmaps',
      object: 'default/app',
      change: 'changed',
      occurrence: 2,
    };
    const again = {
      resource: 'secrets',
      object: 'default/app-data',
      change: 'created',
      occurrence: 2,
    };
    expect(faults).to.deep.include({
      kind: 'stale',
      process: 'by-name',
      at: again,
      view: deletion,
      side: 'after',
      forMs: 20_000,
    });
    // The first plan begins when the user brings back what was deleted, with the view from just after the deletion.
    const stale = faults.filter(({ kind }) => kind === 'stale');
    const [first] = stale;
    expect(first).to.deep.include({
      at: { resource: 'configmaps', object: 'default/app', change: 'created', occurrence: 2 },
      side: 'after',
    });
    const hidden = faults.filter(({ kind }) => kind === 'hide');
    // Two objects with 6 and 3 changes, each but the last one, in two ways.
    expect(hidden).to.have.length((5 + 2) * 2);
    // After each of the three changes of the user, the process starts again.
    const reordered = faults.filter(({ kind }) => kind === 'reorder');
    expect(reordered.map(({ at }) => at)).to.deep.equal(
      recording.changes.filter(({ writer }) => writer === 'user').map(pointOf),
    );
    expect(reordered).to.have.length(3);
  });
});

describe('the plan of a seed', () => {
  it('is the same at each time, and all kinds of faults come with some seed', async () => {
    const recording = await recorded();
    const kinds = new Set<string>();
    const texts = new Set<string>();
    for (let seed = 1; seed <= 300; seed += 1) {
      const plan = swarmPlan(seed, recording, FAULT_KINDS);
      expect(swarmPlan(seed, recording, FAULT_KINDS)).to.deep.equal(plan);
      expect(JSON.parse(JSON.stringify(plan))).to.deep.equal(plan);
      for (const { kind } of plan.faults) kinds.add(kind);
      texts.add(JSON.stringify(plan.faults));
    }
    expect([...kinds].toSorted()).to.deep.equal([...FAULT_KINDS].toSorted());
    expect(texts.size).to.be.above(200);
    const only = swarmPlan(7, recording, ['slow']);
    expect(only.faults.every(({ kind }) => kind === 'slow')).to.equal(true);
  });
});

describe('a plan that fails', () => {
  it('is made smaller: faults, steps and nothing else', async () => {
    const first = {
      verb: 'patch',
      resource: 'configmaps',
      object: 'default/app',
      occurrence: 1,
    } as const;
    const needed: PlannedFault = {
      kind: 'crash',
      process: 'two-writes',
      at: first,
      moment: 'handled',
    };
    const others: readonly PlannedFault[] = [
      { kind: 'slow', process: 'two-writes', at: { verb: 'any', occurrence: 1 }, delayMs: 300 },
      { kind: 'lost', process: 'two-writes', at: { verb: 'any', occurrence: 90 }, handled: true },
    ];
    const idle = { title: 'nothing', act: () => Promise.resolve() };
    const workload = [...createOnce, idle];
    const simulation = await Simulation.of(
      simulationParts({ controllers: [twoWrites({ fixed: false })], workload }),
    );
    const plan = { version: '1', seed: 5, faults: [...others, needed], origin: 'a spec' };
    const shrunk = await shrinkPlan({
      simulation,
      plan,
      steps: 2,
      replicas: 1,
      mayContinue: () => true,
    });
    expect(shrunk.plan).to.deep.equal({ ...plan, faults: [needed], withoutSteps: [1] });
    const stopped = await shrinkPlan({
      simulation,
      plan,
      steps: 2,
      replicas: 1,
      mayContinue: () => false,
    });
    expect(stopped.plan).to.deep.equal(plan);
  });
});
