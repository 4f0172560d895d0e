import { isListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import {
  deployment,
  deployments,
  errorOf,
  map,
  maps,
  outcome,
  pod,
  type Json,
  type VerbCase,
  type World,
  within,
} from '../verb-case.ts';

const shop = { fieldManager: 'shop' };

const definition = (plural: string, kind: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.verbs.example.com` },
  spec: {
    group: 'verbs.example.com',
    scope: 'Namespaced',
    names: { plural, kind, shortNames: ['vb'], categories: ['verbs'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
});

const widget = (name: string, spec: Json): object => ({
  apiVersion: 'verbs.example.com/v1',
  kind: 'VerbWidget',
  metadata: { name, labels: { app: 'verbs' } },
  spec,
});

const all = async (
  world: World,
  manifests: object[] | string,
  options: object = {},
): Promise<unknown> => {
  try {
    const { namespace } = world;
    const done = await world.client.applyAll(manifests, { ...shop, namespace, ...options });
    return done.map((one) => [one.kind, one.name, one.result]);
  } catch (error) {
    if (!isListwatchError(error, 'MANIFESTS_FAILED')) throw error;
    const { failures } = error as unknown as {
      failures: readonly { place: string; error: unknown }[];
    };
    return failures.map((one) => [one.place, errorOf(one.error)]);
  }
};

export const helpers: readonly VerbCase[] = [
  {
    title: 'wait',
    run: async (world) => {
      const waiting = maps(world).wait('awaited', (found) => found?.['data'] !== undefined);
      await maps(world).create(map('awaited'));
      const found = await waiting;
      const gone = maps(world).wait('awaited', (one) => one === undefined);
      await maps(world).delete('awaited');
      const never = maps(world).wait('never', (one) => one !== undefined, { timeoutMs: 50 });
      return [found, (await gone) === undefined, await outcome(never)];
    },
  },
  {
    title: 'discovery: names, categories, verbs',
    run: async ({ client }) => {
      const texts = [
        'po',
        'deploy',
        'Deployment',
        'deployments.v1.apps',
        'ing',
        'sc',
        'crd',
        'ev',
        'hpa',
      ];
      const found = await Promise.all(
        texts.map(async (text) => await client.discovery.named(text)),
      );
      const inAll = await client.discovery.category('all');
      const deploy = found[1]!;
      return {
        found: found.map((one) => `${one.apiVersion} ${one.resource} ${one.namespaced}`),
        // Other people's definitions on the same server may be in the category too.
        all: inAll.map((one) => one.fullName).filter((one) => !one.includes('example.com')),
        deploy: [deploy.verbs, deploy.subresources, deploy.supports('patch', 'scale')],
        unknown: [
          await outcome(client.find('deploymets')),
          await outcome(client.discovery.find('apps/v1', 'Deploymnt')),
          await outcome(client.discovery.find('apps/v2', 'Deployment')),
          await outcome(client.discovery.category('every')),
        ],
      };
    },
  },
  {
    title: 'client.resourceOf and client.find',
    run: async ({ client, namespace }) => {
      const object = map('for', {}, { namespace });
      const own = await client.resourceOf(object);
      const made = await own.create(object);
      const found = await (await client.find('cm', { namespace })).get('for');
      return [made, found.metadata?.uid === made.metadata.uid];
    },
  },
  {
    title: 'applyAll',
    run: async (world) => {
      const good = [
        widget('one', { size: 1 }),
        deployment('all'),
        map('all'),
        definition('verbwidgets', 'VerbWidget'),
      ];
      const first = await all(world, good);
      const labels = { app: 'verbs' };
      const changed = [...good.slice(1), map('more', {}, { labels }), widget('one', { size: 2 })];
      const dry = await all(world, changed, { dryRun: true });
      const second = await all(world, changed);
      const prune = { labelSelector: 'app=verbs', kinds: ['cm', 'vb'] };
      const pruned = [
        await all(world, good.slice(1), { prune, dryRun: true }),
        await all(world, good.slice(1), { prune }),
      ];
      const widgets = await world.client.find('vb', within(world));
      const strategic = await outcome(widgets.patch('one', { spec: {} }, { type: 'strategic' }));
      return { first, dry, second, pruned, strategic };
    },
  },
  {
    title: 'applyAll: what fails',
    run: async (world) => {
      await deployments(world).apply(deployment('contested'), { fieldManager: 'other' });
      const unknown = {
        apiVersion: 'never.example.com/v1',
        kind: 'Never',
        metadata: { name: 'a' },
      };
      const contested = deployment('contested', { replicas: 9 });
      const lost = map('lost', {}, { namespace: 'verbs-never' });
      const bad = [contested, unknown, lost, pod('UPPER'), map('fine')];
      return [
        await all(world, bad, { concurrency: 1 }),
        await all(world, [contested, map('fine')], { force: true }),
        await outcome(all(world, 'apiVersion: v1\nkind: Pod')),
      ];
    },
  },
];
