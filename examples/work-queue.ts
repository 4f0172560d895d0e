import { RateLimitingQueue, ReconcileLoop, SharedInformerFactory } from 'listwatch';
import { HANG_MS, openCluster, runProgram, until } from './support/program.ts';

const ABOUT = `A controller by hand: an informer puts the keys of changed config maps into a work queue, and a
loop takes them. controller(...) does the same in one call; this shows its parts.
Without --kubeconfig it uses an API server in this process.
`;

await runProgram({
  name: 'work-queue',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster({ ...options, fieldManager: 'work-queue' });
    const { client } = cluster;
    const { namespace } = client;
    const labels = { example: `work-queue-${process.pid}` };

    // The cache, and a handler that needs only keys: no object is decoded for it.
    await using informers = new SharedInformerFactory(client, { signal });
    const labelSelector = `example=${labels.example}`;
    const maps = informers.for('v1', 'configmaps', { namespace, labelSelector });
    await using queue = new RateLimitingQueue({ name: 'config maps' });
    const enqueue = ({ key }: { readonly key: string }): void => queue.add(key);
    maps.addHandler({ view: 'key', onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
    informers.start();
    await informers.whenSynced({ timeoutMs: HANG_MS, signal });

    // Two workers. The queue never hands one key to both at once. A key that failed comes back later.
    const done: string[] = [];
    const loop = new ReconcileLoop({
      queue,
      concurrency: 2,
      reconcile: async ({ key, failures }) => {
        const map = maps.indexer.get(key);
        if (map?.data?.['flaky'] === 'yes' && failures < 2) throw new Error('not yet');
        done.push(map === undefined ? 'gone' : `color ${map.data?.['color']}`);
        console.log(`worked   ${done.at(-1)}${failures > 0 ? `, after ${failures} failures` : ''}`);
      },
      onError: ({ failures }) => console.log(`failed   try ${failures}; its key comes back`),
    });
    const running = loop.run({ signal });

    const api = client.resource('v1', 'configmaps', { namespace });
    const name = labels.example;
    console.log('create   a config map');
    await api.create({ metadata: { name, labels }, data: { color: 'green' } });
    await until('the first run', () => done.includes('color green'), signal);
    console.log('change   its color, to one that fails twice');
    await api.patch(name, { data: { color: 'red', flaky: 'yes' } });
    await until('the retries', () => done.includes('color red'), signal);
    console.log('delete   it');
    await api.delete(name);
    await until('the last run', () => done.includes('gone'), signal);

    await queue.close();
    await running;
  },
});
