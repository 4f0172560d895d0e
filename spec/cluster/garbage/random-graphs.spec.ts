import { expect } from 'chai';
import { isNotFound } from '../../../lib/meta/failure/failures.ts';
import { shareOf } from '../../support/share.ts';
import { ownedBy, VirtualClusterWorld, type Thing } from '../support/virtual-cluster-world.ts';
import { OwnerModel, type Policy } from './owner-model.ts';

const OBJECTS = 30;
const DELETIONS = 8;
/** More than any back-off of these runs. */
const QUIET_MS = 120_000;

interface Plan {
  readonly seed: number;
  readonly policies: readonly Policy[];
  /** Longest pause between two deletions, milliseconds. */
  readonly pauseMs: number;
  readonly cycles: boolean;
  readonly restarts: boolean;
}

/** The state of the cluster and that of the model after a random graph and random deletions. */
async function play(plan: Plan): Promise<{ found: object; expected: object }> {
  return await VirtualClusterWorld.run(
    async (world) => {
      const random = (limit: number): number => Math.floor(world.runtime.random() * limit);
      const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T;
      let stop = await world.startControllers(['garbage-collector']);
      const model = new OwnerModel();
      const made: Thing[] = [];
      for (let index = 0; index < OBJECTS; index += 1) {
        const candidates = made.filter(() => random(made.length) < 2);
        const owners = candidates.map((one) =>
          ownedBy(one, { blockOwnerDeletion: random(2) === 0 }),
        );
        made.push(await world.map(`m${index}`, owners));
        model.add(
          `m${index}`,
          owners.map(({ name }) => name),
        );
      }
      if (plan.cycles) await closeCycles(world, model, made);
      for (let count = 0; count < DELETIONS; count += 1) {
        const name = pick(made).metadata.name;
        const policy = pick(plan.policies);
        try {
          await world.maps().delete(name, { propagationPolicy: policy });
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
        model.delete(name, policy);
        await world.sleep(random(plan.pauseMs));
        if (!plan.restarts || random(3) > 0) continue;
        await stop();
        await world.sleep(random(1000));
        stop = await world.startControllers(['garbage-collector']);
      }
      await world.sleep(QUIET_MS);
      await stop();
      return { found: await stateOf(world), expected: model.state };
    },
    { controllers: 'none' },
    plan.seed,
  );
}

/** Some first objects get an owner that they own themselves. */
async function closeCycles(
  world: VirtualClusterWorld,
  model: OwnerModel,
  made: readonly Thing[],
): Promise<void> {
  for (const first of made.slice(0, 4)) {
    const last = made[made.length - 1 - Number(first.metadata.name.slice(1))] as Thing;
    const { name } = first.metadata;
    const present = model.state[name] ?? [];
    const owners = made.filter((one) => present.includes(one.metadata.name));
    const references = [...owners, last].map((one) => ownedBy(one, { blockOwnerDeletion: true }));
    await world.maps().patch(name, { metadata: { ownerReferences: references } });
    model.add(name, [...present, last.metadata.name]);
  }
}

async function stateOf(world: VirtualClusterWorld): Promise<object> {
  const { items } = await world.maps().list();
  const state: Record<string, string[]> = {};
  for (const { metadata } of items) {
    const { ownerReferences = [], finalizers = [] } = metadata as Thing['metadata'] & {
      readonly ownerReferences?: readonly { readonly name: string }[];
      readonly finalizers?: readonly string[];
    };
    state[metadata.name] = [...ownerReferences.map(({ name }) => name), ...finalizers].toSorted();
  }
  return state;
}

describe('garbage collection of random graphs', () => {
  for (const seed of shareOf([1, 2, 3], 3)) {
    it(`leaves what the model leaves, each deletion after the other: seed ${seed}`, async () => {
      const policies = ['Background', 'Foreground', 'Orphan'] as const;
      const plan = { seed, policies, pauseMs: 1, cycles: false, restarts: false };
      const { found, expected } = await play({ ...plan, pauseMs: 60_000 });
      expect(found).to.deep.equal(expected);
    });

    it(`leaves what the model leaves, with deletions at once, cycles and restarts: seed ${seed}`, async () => {
      const policies = ['Background', 'Foreground'] as const;
      const plan = { seed, policies, pauseMs: 200, cycles: true, restarts: true };
      const { found, expected } = await play(plan);
      expect(found).to.deep.equal(expected);
    });
  }
});

describe('garbage collection of many objects', () => {
  it('deletes 1,000 owned objects after their owner, with a bounded graph', async () => {
    await VirtualClusterWorld.run(async (world) => {
      const owner = await world.map('owner');
      for (let index = 0; index < 1000; index += 1) {
        await world.map(`owned-${index}`, [ownedBy(owner)]);
      }
      await world.sleep(5000);
      const before = world.cluster.inspect().garbageCollector?.objects ?? 0;
      const startMs = world.runtime.monotonicMs();
      await world.maps().delete('owner');
      await world.until('all are gone', async () => (await world.names()).length === 0);
      await world.sleep(1000);
      const after = world.cluster.inspect().garbageCollector;
      expect(before - (after?.objects ?? 0)).to.equal(1001);
      expect(after).to.include({ toDelete: 0, toOrphan: 0 });
      expect(world.runtime.monotonicMs() - startMs).to.be.below(10_000);
    });
  });
});
