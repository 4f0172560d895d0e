import {
  RateLimitingQueue,
  ReconcileLoop,
  SharedInformerFactory,
  type Client,
  type InformerForOptions,
} from '../../../lib/index.ts';
import { isNewer } from '../../../lib/meta/versions/version-order.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { ClusterState, WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import type { ConfigMap } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { Complaints, noComplaints } from './complaints.ts';
import { ReaderCheck } from './reader-check.ts';

const NAMESPACE = 'default';
const OTHER = 'other';
const labelSelector = 'mirrored';

type Options = Omit<InformerForOptions<ConfigMap>, 'indexers'>;

const textOf = (objects: readonly ConfigMap[]): string =>
  objects
    .map(({ metadata, data }) => `${metadata?.namespace}/${metadata?.name}=${data?.['color']}`)
    .toSorted()
    .join();

const marksOf = ({ metadata, data }: ConfigMap): string[] => [
  ...new Set([metadata?.labels?.['tier'] ?? '', data?.['color'] ?? '']),
];

const marksText = (objects: readonly ConfigMap[]): string =>
  ['one', 'two', 'red', 'blue']
    .map((mark) => `${mark}: ${textOf(objects.filter((one) => marksOf(one).includes(mark)))}`)
    .join('; ');

const isColored = (object: ConfigMap, color: string): boolean => object.data?.['color'] === color;

/** The report of a mirror on its cache, as the text of a config map. */
type Summary = Readonly<
  Record<'lister' | 'red' | 'handler' | 'changes' | 'marks' | 'labelled' | 'lazy', string>
>;

/** A program of informers, which keeps a config map with what it sees, each way that there is to see it. */
function mirror(name: string, options: Options): SimulatedController {
  return {
    name,
    run: async ({ client, runtime, signal, logger }) => {
      await using informers = new SharedInformerFactory(client, {
        runtime,
        logger,
        firstList: 'newest',
      });
      const queue = new RateLimitingQueue({ name, runtime, debounceMs: 20 });
      const complaints = new Complaints(client, name, () => queue.add('complaints'));
      const complain = (text: string): void => complaints.add(text);
      const found = informers.for('v1', 'configmaps', {
        ...options,
        labelSelector,
        indexers: {
          byColor: (map: ConfigMap) => [map.data?.['color'] ?? ''],
          // Of one or two values.
          byMark: marksOf,
        },
      });
      const look = (): void => queue.add('summary');
      const handler = new ReaderCheck<Stored<ConfigMap>>('handler', complain);
      found.addHandler({
        onAdd: (map, { key }) => {
          handler.added(key, map);
          const cached =
            found.indexer.get(key)?.metadata.resourceVersion ?? map.metadata.resourceVersion;
          if (isNewer(map.metadata.resourceVersion, cached)) complain(`${key} is behind its event`);
          look();
        },
        onUpdate: (old, map, { key, resync }) => {
          if (resync) handler.resynced(key, old, map);
          else handler.updated(key, map, old);
          look();
        },
        onDelete: (_map, { key }) => {
          handler.deleted(key);
          look();
        },
      });
      const lazy = new ReaderCheck<Stored<ConfigMap>>('lazy', complain);
      found.addHandler(
        {
          view: 'lazy',
          onAdd: (map, { key }) => lazy.added(key, map.object),
          onUpdate: (_old, map, { key, resync }) => {
            if (!resync) lazy.updated(key, map.object);
            look();
          },
          onDelete: (_map, { key }) => lazy.deleted(key),
        },
        { resyncIntervalMs: 60_000 },
      );
      // A handler that takes one event and leaves.
      const leave = new AbortController();
      found.addHandler(
        {
          view: 'key',
          onAdd: ({ key }) => {
            if (leave.signal.aborted) complain(`${key} reached a handler that has left`);
            leave.abort();
          },
        },
        { signal: leave.signal },
      );
      const changes = new ReaderCheck<Stored<ConfigMap>>('changes', complain);
      void (async () => {
        for await (const { type, key, object, old } of found.changes({ signal })) {
          if (type === 'add') changes.added(key, object);
          else if (type === 'update') changes.updated(key, object, old);
          else changes.deleted(key);
          look();
        }
      })().catch(() => {});
      informers.start();
      await informers.whenSynced({ timeoutMs: 600_000, signal });
      look();
      const reconcile = async (): Promise<void> => {
        const summary: Summary = {
          lister: textOf(found.lister.list()),
          red: textOf(found.indexer.byIndex('byColor', 'red')),
          marks: ['one', 'two', 'red', 'blue']
            .map((mark) => `${mark}: ${textOf(found.indexer.byIndex('byMark', mark))}`)
            .join('; '),
          handler: textOf(handler.objects),
          changes: textOf(changes.objects),
          lazy: textOf(lazy.objects),
          labelled: textOf(
            found.lister.namespace(NAMESPACE).list({ labels: 'tier in (one, two)' }),
          ),
        };
        const maps = client.resource('v1', 'configmaps', { namespace: NAMESPACE });
        const own = `summary-${name}`;
        const { object } = await maps.createOrUpdate(own, (stored) => ({
          ...stored,
          metadata: { ...stored?.metadata, name: own },
          data: { ...summary },
        }));
        if (object.data?.['lister'] !== summary.lister)
          complain('an answer has not what was written');
      };
      const loop = new ReconcileLoop({
        queue,
        runtime,
        logger,
        concurrency: 2,
        reconcile: async ({ key }) => {
          if (key === 'complaints') await complaints.write();
          else await reconcile();
        },
      });
      await loop.run({ signal });
    },
  };
}

const maps = (client: Client, namespace = NAMESPACE) =>
  client.resource('v1', 'configmaps', { namespace });

type Api = ReturnType<typeof maps>;

function step(title: string, act: (api: Api, user: Client) => Promise<unknown>): WorkloadStep {
  return { title, act: async (user) => void (await act(maps(user), user)) };
}

const map = (name: string, color: string, tier = 'one') => ({
  metadata: { name, labels: { mirrored: 'yes', tier } },
  data: { color },
});

const workload: readonly WorkloadStep[] = [
  step('create five', async (api, user) => {
    for (const name of ['a', 'b', 'c', 'd'])
      await api.create(map(name, name === 'b' ? 'red' : 'green'));
    await maps(user, OTHER).create(map('e', 'red', 'three'));
    await api.create({ metadata: { name: 'unlabelled' }, data: { color: 'red' } });
  }),
  step('change colors', async (api) => {
    for (const color of ['blue', 'red', 'green', 'red']) await api.patch('a', { data: { color } });
    await api.patch('b', { data: { color: 'blue' } });
  }),
  step('take a label away, and another on', async (api) => {
    await api.patch('c', { metadata: { labels: { mirrored: null } } });
    await api.patch('unlabelled', { metadata: { labels: { mirrored: 'now', tier: 'two' } } });
    await api.patch('d', { metadata: { labels: { tier: 'four' } } });
  }),
  step('give a color the name of a tier, and take it back', async (api) => {
    await api.patch('d', { metadata: { labels: { tier: 'red' } }, data: { color: 'red' } });
    await api.patch('d', { metadata: { labels: { tier: 'one' } } });
    await api.patch('b', { metadata: { labels: { tier: 'blue' } }, data: { color: 'blue' } });
    await api.patch('b', { data: { color: 'red' } });
  }),
  step('change what is not mirrored', (api) => api.patch('c', { data: { color: 'red' } })),
  step('delete and create again at once', async (api) => {
    await api.delete('a');
    await api.create(map('a', 'white', 'two'));
    await api.patch('c', { metadata: { labels: { mirrored: 'again' } } });
  }),
  step('delete the red ones', async (api, user) => {
    await api.deleteCollection({ labelSelector: 'tier=two' });
    await maps(user, OTHER).delete('e');
  }),
  step('create some again', async (api, user) => {
    await api.create(map('a', 'red'));
    await maps(user, OTHER).create(map('f', 'red', 'two'));
  }),
];

function isRight(state: ClusterState, name: string, everywhere: boolean): boolean {
  const summary = state.get('v1', 'configmaps', `summary-${name}`, NAMESPACE)?.data ?? {};
  const all = state
    .list('v1', 'configmaps')
    .filter((one) => 'mirrored' in (one.metadata?.labels ?? {}))
    .filter((one) => everywhere || one.metadata?.namespace === NAMESPACE);
  const expected: Summary = {
    lister: textOf(all),
    handler: textOf(all),
    changes: textOf(all),
    lazy: textOf(all),
    marks: marksText(all),
    red: textOf(all.filter((one) => isColored(one, 'red'))),
    labelled: textOf(
      all.filter(
        ({ metadata }) =>
          metadata?.namespace === NAMESPACE &&
          ['one', 'two'].includes(metadata.labels?.['tier'] ?? ''),
      ),
    ),
  };
  return Object.entries(expected).every(([key, text]) => summary[key] === text);
}

function simulationOf(name: string, options: Options): SimulationOptions {
  const everywhere = options.namespace === undefined;
  return {
    world: { objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER } }] },
    controllers: [mirror(name, options)],
    workload,
    invariants: [
      noComplaints,
      { name: 'the summary is right', eventually: (state) => isRight(state, name, everywhere) },
    ],
  };
}

/** Programs of informers, each with other options. */
export const mirrorSimulations: readonly SimulationOptions[] = [
  simulationOf('plain', { resyncIntervalMs: 30_000 }),
  simulationOf('paged', {
    namespace: NAMESPACE,
    watchList: false,
    pageSize: 2,
    order: 'key',
    cache: 'objects',
    resyncIntervalMs: 30_000,
  }),
  simulationOf('several', {
    namespaces: [NAMESPACE, OTHER],
    share: false,
    freeze: true,
  }),
];
