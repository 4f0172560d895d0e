import {
  controller,
  Manager,
  RateLimitingQueue,
  ReconcileLoop,
  SharedInformerFactory,
  withLabels,
  type Client,
  type ManagerOptions,
} from '../../../lib/index.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';

const NAMESPACE = 'default';
const COPIES = 'copies';
const labels = { example: 'yes' };
const labelSelector = 'example=yes';

const maps = (client: Client, namespace = NAMESPACE) =>
  client.resource('v1', 'configmaps', { namespace });

function step(
  title: string,
  act: (api: ReturnType<typeof maps>) => Promise<unknown>,
): WorkloadStep {
  return {
    title,
    act: async (user) => {
      await act(maps(user));
    },
  };
}

const workload: readonly WorkloadStep[] = [
  ...['one', 'two'].map((name) =>
    step(`create ${name}`, (api) =>
      api.create({ metadata: { name, labels }, data: { color: 'green' } }),
    ),
  ),
  step('change one', (api) => api.patch('one', { data: { color: 'red' } })),
  {
    ...step('delete one', (api) => api.delete('one')),
    until: (state) => state.get('v1', 'configmaps', 'one', NAMESPACE) === undefined,
  },
  step('create one again', (api) =>
    api.create({ metadata: { name: 'one', labels }, data: { color: 'blue' } }),
  ),
];

/** As in `examples/clusters.ts`, with another namespace for the other cluster. */
const copier: SimulatedController = {
  name: 'clusters',
  run: async ({ client, runtime, signal: stop, logger }) => {
    const copies = maps(client, COPIES);
    const options = { namespace: NAMESPACE, runtime, logger };
    await controller(client, 'v1', 'configmaps', options)
      .where(withLabels(labelSelector))
      .finalizer('example.com/copy', async ({ metadata }, { signal }) => {
        await copies.delete(metadata.name, { ignoreNotFound: true, signal });
      })
      .reconcile(async ({ metadata: { name }, data }, { signal }) => {
        const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data } as const;
        await copies.apply(copy, { signal, force: true });
      })
      .run({ signal: stop });
  },
};

/** As in `examples/leader-election.ts` and `examples/sharded-controller.ts`; whichever replica works leaves the same. */
function greeters(
  name: string,
  optionsOf: (identity: string) => Pick<ManagerOptions, 'leaderElection' | 'sharding'>,
): SimulatedController {
  return {
    name,
    replicas: 3,
    run: async ({ client, runtime, signal, logger, identity }) => {
      const selected = { name: identity, namespace: NAMESPACE, labelSelector, runtime, logger };
      const greeter = controller(client, 'v1', 'configmaps', selected).reconcile(
        async (map, { resource }) => {
          if (map.data?.['greetedBy'] !== undefined) return;
          const greeted = { data: { greetedBy: 'a replica' } };
          await resource('v1', 'configmaps').patch(map.metadata.name, greeted);
        },
      );
      const options = { ...optionsOf(identity), signals: false, runtime, logger } as const;
      await new Manager(client, options).add(greeter).run({ signal });
    },
  };
}

/** As in `examples/work-queue.ts`, with a write in place of the line that it prints. */
const byHand: SimulatedController = {
  name: 'work-queue',
  run: async ({ client, runtime, signal, logger }) => {
    await using informers = new SharedInformerFactory(client, {
      runtime,
      logger,
      firstList: 'newest',
    });
    const found = informers.for('v1', 'configmaps', { namespace: NAMESPACE, labelSelector });
    await using queue = new RateLimitingQueue({ name: 'config maps', runtime });
    const enqueue = ({ key }: { readonly key: string }): void => queue.add(key);
    found.addHandler({ view: 'key', onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
    informers.start();
    await informers.whenSynced({ timeoutMs: 600_000, signal });
    const copies = maps(client, COPIES);
    const loop = new ReconcileLoop({
      queue,
      concurrency: 2,
      runtime,
      logger,
      reconcile: async ({ key }) => {
        const name = key.slice(key.indexOf('/') + 1);
        const data = found.indexer.get(key)?.data;
        if (data === undefined) await copies.delete(name, { ignoreNotFound: true });
        else await copies.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
      },
    });
    await loop.run({ signal });
  },
};

const world = {
  objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: COPIES } }],
};

function simulationOf(controllerOfMaps: SimulatedController): SimulationOptions {
  return { world, controllers: [controllerOfMaps], workload };
}

/** The controllers of `examples/` that are parts of programs. */
export const configMapSimulations: Readonly<Record<string, SimulationOptions>> = {
  clusters: simulationOf(copier),
  'leader-election': simulationOf(
    greeters('leader-election', (identity) => ({
      leaderElection: { name: 'greeter', namespace: NAMESPACE, identity, fencing: 'strict' },
    })),
  ),
  'sharded-controller': simulationOf(
    greeters('sharded-controller', () => ({
      sharding: { name: 'greeters', namespace: NAMESPACE },
    })),
  ),
  'work-queue': simulationOf(byHand),
};
