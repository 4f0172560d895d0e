import type { Scenario } from './scenario.ts';
import { HOLD, outcome, type Found, type ScenarioWorld, type Thing } from './scenario-world.ts';

const NAMESPACES = 'v1/namespaces';

/** Deletion of namespaces. Each scenario deletes its own. */
export const namespaces: readonly Scenario[] = [
  {
    title: 'a namespace goes with what is in it',
    run: async (world) => {
      await world.map('a');
      await secret(world, 'b');
      const answer = await deleted(world);
      await untilDeleted(world);
      return shown(answer as Found);
    },
  },
  {
    title: 'a namespace waits for an object with a finalizer, and says so',
    run: async (world) => {
      await world.map('held', [], { finalizers: [HOLD] });
      await world.map('free');
      await deleted(world);
      await world.untilGone('free');
      const waiting = await untilCondition(world, 'NamespaceContentRemaining');
      const refused = await outcome(world.map('late'));
      await world.release('held');
      await untilDeleted(world);
      return { waiting, refused };
    },
  },
  {
    title: 'a namespace goes with custom objects',
    run: async (world) => {
      const gadgets = `${world.group}/v1/gadgets`;
      await world.gadget('a');
      await world.gadget('held');
      await world.of(gadgets).patch('held', { metadata: { finalizers: [HOLD] } });
      await deleted(world);
      await world.untilGone('a', gadgets);
      const waiting = await untilCondition(world, 'NamespaceContentRemaining');
      await world.release('held', gadgets);
      await untilDeleted(world);
      return waiting;
    },
  },
  {
    title: 'a namespace with a finalizer of its own stays, empty',
    run: async (world) => {
      await world.map('a');
      const all = world.global(NAMESPACES);
      await all.patch(world.namespace, { metadata: { finalizers: [HOLD] } });
      await deleted(world);
      await world.until('the content is gone', async () => {
        const { spec } = await all.get(world.namespace);
        return JSON.stringify(spec ?? {}) === '{}';
      });
      const found = shown(await all.get(world.namespace));
      const maps = await world.of('v1/configmaps').list();
      await all.patch(world.namespace, { metadata: { finalizers: null } });
      await untilDeleted(world);
      return { found, maps: maps.items.length };
    },
  },
  {
    title: 'pods go before what they may need',
    run: async (world) => {
      await world.map('needed');
      const containers = [{ name: 'web', image: 'web:1' }];
      const metadata = { name: 'held', finalizers: [HOLD] };
      const pod: Thing = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } };
      await world.of('v1/pods').create(pod);
      await deleted(world);
      await world.untilIs('held', (one) => goes(one), 'v1/pods');
      await world.sleep(8000);
      const kept = await world.gone('v1/configmaps', 'needed');
      await world.release('held', 'v1/pods');
      await untilDeleted(world);
      return { neededWasGone: kept };
    },
  },
  {
    title: 'an empty namespace goes',
    run: async (world) => {
      await deleted(world);
      await untilDeleted(world);
      return 'gone';
    },
  },
];

async function secret(world: ScenarioWorld, name: string): Promise<void> {
  await world.of('v1/secrets').create({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
}

async function deleted(world: ScenarioWorld): Promise<unknown> {
  return await world.global(NAMESPACES).delete(world.namespace);
}

async function untilDeleted(world: ScenarioWorld): Promise<void> {
  const all = world.global(NAMESPACES);
  await world.until('the namespace is gone', async () => {
    const found = await outcome(all.get(world.namespace));
    return (found as { readonly reason?: string }).reason === 'NotFound';
  });
}

/** The namespace once a condition of this type is true. */
async function untilCondition(world: ScenarioWorld, type: string): Promise<unknown> {
  let found: Found | undefined;
  await world.until(`${type} is true`, async () => {
    found = await world.global(NAMESPACES).get(world.namespace);
    return conditionsOf(found).some((one) => one['type'] === type && one['status'] === 'True');
  });
  return shown(found as Found);
}

function conditionsOf({ status }: Thing): readonly Record<string, unknown>[] {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly Record<string, unknown>[];
  };
  return conditions;
}

function shown(namespace: Thing): object {
  const { spec, status, metadata } = namespace;
  const { phase } = (status ?? {}) as { readonly phase?: unknown };
  return { spec, phase, conditions: conditionsOf(namespace), goes: goes({ metadata }) };
}

function goes({ metadata }: Thing): boolean {
  return metadata?.deletionTimestamp !== undefined;
}
