import { retryOnConflict } from '../../../../lib/client/rest/helpers/retry-on-conflict.ts';
import { sameContent } from '../../../../lib/meta/content/same-content.ts';
import {
  deployment,
  deployments,
  map,
  maps,
  outcome,
  type Json,
  type VerbCase,
  within,
} from '../verb-case.ts';

const misspelt = (name: string): ReturnType<typeof map> => ({ ...map(name), dta: { a: '1' } });

export const writing: readonly VerbCase[] = [
  {
    title: 'create',
    run: async (world) => {
      const dry = await maps(world).create(map('create'), { dryRun: true });
      const none = await outcome(maps(world).get('create'));
      const made = await deployments(world).create(deployment('create'));
      const same = sameContent(made, await deployments(world).get('create'));
      return [
        dry,
        none,
        made,
        same,
        await outcome(deployments(world).create(deployment('create'))),
        await outcome(deployments(world).create(deployment('UPPER', { replicas: -1 }))),
        await outcome(maps(world).create(map('a', { '?': 'x' }))),
        await outcome(maps(world).create(map('a', {}, { namespace: 'default' }), within(world))),
      ];
    },
  },
  {
    title: 'field validation and warnings',
    run: async (world) => [
      await outcome(maps(world).create(misspelt('strict'), { fieldValidation: 'Strict' })),
      await maps(world).create(misspelt('warn'), { fieldValidation: 'Warn' }),
      [...world.warnings],
      await maps(world).create(misspelt('ignore'), { fieldValidation: 'Ignore' }),
      [...world.warnings],
    ],
  },
  {
    title: 'update',
    run: async (world) => {
      const made = await maps(world).create(map('update'));
      const dry = await maps(world).update({ ...made, data: { b: '2' } }, { dryRun: true });
      const updated = await maps(world).update({ ...made, data: { a: '2' } });
      return [
        dry,
        updated,
        await outcome(maps(world).update({ ...made, data: {} })),
        await outcome(maps(world).update(map('never'))),
        await outcome(maps(world).update({ ...made, metadata: { ...made.metadata, name: '' } })),
      ];
    },
  },
  {
    title: 'update of the status',
    run: async (world) => {
      const made = await deployments(world).create(deployment('status'));
      const status = { observedGeneration: 1, replicas: 2 };
      const updated = await deployments(world).updateStatus({ ...made, spec: {}, status });
      return [
        updated,
        await deployments(world).patch(
          'status',
          { status: { replicas: 3 } },
          { subresource: 'status' },
        ),
      ];
    },
  },
  {
    title: 'JSON, merge and strategic patches',
    run: async (world) => {
      await deployments(world).create(deployment('patch'));
      const image = { containers: [{ name: 'side', image: 'side:1' }] };
      const spec = { template: { spec: image } };
      const json = [{ op: 'replace', path: '/spec/replicas', value: 5 }];
      const bad = [{ op: 'test', path: '/spec/replicas', value: 9 }];
      return [
        await deployments(world).patch('patch', json),
        await deployments(world).patch('patch', { spec }, { type: 'strategic' }),
        await deployments(world).patch(
          'patch',
          { metadata: { labels: { a: 'b' } }, spec },
          { dryRun: true },
        ),
        await deployments(world).patch('patch', { spec: { paused: true } }, { fieldManager: 'me' }),
        await outcome(deployments(world).patch('patch', bad)),
        await outcome(deployments(world).patch('never', { spec: {} })),
      ];
    },
  },
  {
    title: 'createOrUpdate writes only what changes',
    run: async (world) => {
      const change = async (data: Json): Promise<unknown> =>
        await maps(world).createOrUpdate('upsert', (stored) => ({
          ...stored,
          ...map('upsert', data),
        }));
      return [await change({ a: '1' }), await change({ a: '1' }), await change({ a: '2' })];
    },
  },
  {
    title: 'retryOnConflict',
    run: async (world) => {
      const stale = await maps(world).create(map('retry'));
      await maps(world).patch('retry', { data: { b: '1' } });
      let tries = 0;
      const done = await retryOnConflict(async () => {
        tries += 1;
        const read = tries === 1 ? stale : await maps(world).get('retry');
        return await maps(world).update({ ...read, data: { c: '1' } });
      });
      return [tries, done];
    },
  },
  {
    title: 'what an object has that is not stored',
    run: async (world) => {
      const { client } = world;
      const part = map('dry');
      const [dry, fieldManager] = [{ dryRun: true }, 'verbs'];
      const drawn = { ...part, metadata: { name: '', generateName: 'dry-' } };
      const found = [
        await maps(world).create(part, dry),
        await maps(world).create(drawn, dry),
        await maps(world).apply(part, { ...dry, fieldManager }),
        (await maps(world).createOrUpdate('dry', () => part, dry)).object,
        await maps(world).create(part),
        await maps(world).update({ ...part, data: { b: '2' } }, dry),
        await maps(world).patch('dry', { data: { b: '2' } }, dry),
        await maps(world).apply({ ...part, data: {} }, { ...dry, fieldManager, force: true }),
        (await maps(world).createOrUpdate('dry', () => ({ ...part, data: {} }), dry)).object,
        await client
          .resource('authorization.k8s.io/v1', 'selfsubjectaccessreviews')
          .create({ spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } }),
        await client.resource('authentication.k8s.io/v1', 'selfsubjectreviews').create({}),
      ];
      const fields = ['name', 'uid', 'resourceVersion'];
      return found.map(({ metadata }) => fields.filter((field) => Object.hasOwn(metadata, field)));
    },
  },
];
