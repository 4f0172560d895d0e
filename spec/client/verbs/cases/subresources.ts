import type { Scale } from '../../../../lib/client/rest/subresources/subresource-objects.ts';
import {
  deployment,
  deployments,
  outcome,
  pod,
  pods,
  type Thing,
  type VerbCase,
  within,
} from '../verb-case.ts';

export const subresources: readonly VerbCase[] = [
  {
    title: 'scale',
    run: async (world) => {
      await deployments(world).create(deployment('scale'));
      const scale = deployments(world).subresource<Scale>('scale');
      const read = await scale.get('scale');
      const updated = await scale.update('scale', { ...read, spec: { replicas: 3 } });
      const scaled = await deployments(world).scale('scale', 4);
      const dry = await deployments(world).scale('scale', 5, { dryRun: true });
      return [
        read,
        updated,
        scaled,
        dry,
        ((await deployments(world).get('scale'))['spec'] as { replicas: number }).replicas,
        await outcome(deployments(world).scale('scale', -1)),
        await outcome(deployments(world).scale('never', 1)),
      ];
    },
  },
  {
    title: 'status',
    run: async (world) => {
      await pods(world).create(pod('status'));
      const status = pods(world).subresource<Thing>('status');
      return [
        await status.patch('status', { status: { phase: 'Running' } }),
        (await status.get('status'))['status'],
        await outcome(status.patch('never', { status: {} })),
        await outcome(pods(world).subresource('nothing').get('status')),
      ];
    },
  },
  {
    title: 'eviction',
    run: async (world) => {
      await pods(world).create(pod('evict', { labels: { app: 'evict' } }));
      const budgets = world.client.resource('policy/v1', 'poddisruptionbudgets', within(world));
      await budgets.create({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'evict' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'evict' } } },
      });
      await pods(world).patch('evict', { status: { phase: 'Running' } }, { subresource: 'status' });
      const forbidden = await outcome(pods(world).evict('evict'));
      await budgets.delete('evict');
      const dry = await outcome(pods(world).evict('evict', { dryRun: true }));
      const evicted = await outcome(pods(world).evict('evict', { gracePeriodSeconds: 0 }));
      return [
        forbidden,
        dry ?? 'done',
        evicted ?? 'done',
        await outcome(pods(world).evict('never')),
      ];
    },
  },
  {
    title: 'token',
    run: async (world) => {
      const accounts = world.client.resource('v1', 'serviceaccounts', within(world));
      const audiences = ['a.example.com'];
      const token = await accounts.createToken('default', { audiences, expirationSeconds: 600 });
      return [
        Object.keys(token).toSorted(),
        token.token.split('.').length,
        await outcome(accounts.createToken('default', { expirationSeconds: 1 })),
        await outcome(accounts.createToken('never')),
      ];
    },
  },
  {
    title: 'binding',
    run: async (world) => {
      await pods(world).create(pod('bind'));
      await pods(world).bind('bind', 'node-1');
      const { nodeName } = (await pods(world).get('bind'))['spec'] as { nodeName: string };
      return [
        nodeName,
        await outcome(pods(world).bind('bind', 'node-2')),
        await outcome(pods(world).bind('never', 'node-1')),
      ];
    },
  },
  {
    title: 'ephemeral containers',
    run: async (world) => {
      await pods(world).create(pod('debug'));
      const ephemeral = pods(world).subresource<Thing>('ephemeralcontainers');
      const ephemeralContainers = [{ name: 'shell', image: 'shell:1', targetContainerName: 'web' }];
      const added = await ephemeral.patch(
        'debug',
        { spec: { ephemeralContainers } },
        { type: 'strategic' },
      );
      const wrong = { spec: { ephemeralContainers: [{ name: 'web', image: 'x' }] } };
      return [added['spec'], await outcome(ephemeral.patch('debug', wrong, { type: 'strategic' }))];
    },
  },
];
