import { map, maps, outcome, pod, pods, type VerbCase } from '../verb-case.ts';

export const deleting: readonly VerbCase[] = [
  {
    title: 'delete',
    run: async (world) => {
      await maps(world).create(map('delete'));
      const uid = '0d7a3f2e-0000-4000-8000-000000000000';
      return [
        await outcome(maps(world).delete('delete', { preconditions: { uid } })),
        (await maps(world).delete('delete', { dryRun: true })) === undefined,
        (await maps(world).get('delete')).kind,
        (await maps(world).delete('delete')) === undefined,
        await outcome(maps(world).delete('delete')),
        (await maps(world).delete('delete', { ignoreNotFound: true })) === undefined,
      ];
    },
  },
  {
    title: 'delete with finalizers and with a grace period',
    run: async (world) => {
      await maps(world).create(map('held', {}, { finalizers: ['example.com/hold'] }));
      const held = await maps(world).delete('held', { propagationPolicy: 'Foreground' });
      const freed = await maps(world).patch('held', { metadata: { finalizers: null } });
      await pods(world).create(pod('graceful'));
      const graceful = await pods(world).delete('graceful', { gracePeriodSeconds: 30 });
      return [held, freed, await outcome(maps(world).get('held')), graceful?.metadata.name];
    },
  },
  {
    title: 'deleteCollection',
    run: async (world) => {
      const labels = { app: 'many' };
      for (const name of ['m1', 'm2', 'm3']) {
        await maps(world).create(map(name, {}, { labels: { ...labels, name } }));
      }
      const labelSelector = 'app=many,name!=m3';
      const dry = await maps(world).deleteCollection({ labelSelector, dryRun: true });
      const gone = await maps(world).deleteCollection({ labelSelector });
      const left = await maps(world).list({ labelSelector: 'app=many' });
      const names = [dry, gone, left.items].map((all) => all.map((one) => one.metadata.name));
      return names;
    },
  },
];
