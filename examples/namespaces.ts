import { SharedInformerFactory } from 'listwatch';
import { HANG_MS, openCluster, runProgram, until } from './support/program.ts';

const ABOUT = `Reads several namespaces through one cache, finds objects by an index, and adds a namespace while
it runs. A user with rights in these namespaces alone can do it.
Without --kubeconfig it uses an API server in this process.
`;

await runProgram({
  name: 'namespaces',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster({ ...options, fieldManager: 'namespaces' });
    const { client } = cluster;
    const example = `namespaces-${process.pid}`;
    const create = async (namespace: string, name: string, team: string): Promise<void> => {
      const metadata = { name: `${example}-${name}`, labels: { example, team } };
      await client.resource('v1', 'configmaps', { namespace }).create({ metadata });
    };
    const places = ['default', 'kube-public', 'kube-system'];
    await create('default', 'cart', 'red');
    await create('default', 'search', 'blue');
    await create('kube-public', 'cart', 'red');
    await create('kube-system', 'audit', 'red');

    await using informers = new SharedInformerFactory(client, { signal });
    const maps = informers.for('v1', 'configmaps', {
      namespaces: ['default', 'kube-public'],
      labelSelector: `example=${example}`,
      indexers: { byTeam: ({ metadata }) => [metadata.labels?.['team'] ?? 'none'] },
    });
    informers.start();
    await informers.whenSynced({ timeoutMs: HANG_MS, signal });
    const keysOf = (team: string): string =>
      maps.indexer
        .byIndex('byTeam', team)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name.slice(example.length + 1)}`)
        .toSorted()
        .join(' ');

    console.log(`watches   ${maps.namespaces?.join(', ')}`);
    console.log(`team red  ${keysOf('red')}`);
    console.log(`team blue ${keysOf('blue')}`);
    await maps.setNamespaces(places, { timeoutMs: HANG_MS, signal });
    console.log(`watches   ${maps.namespaces?.join(', ')}`);
    console.log(`team red  ${keysOf('red')}`);

    await create('kube-system', 'backup', 'red');
    await until('the new one', () => keysOf('red').includes('backup'), signal);
    console.log(
      `new       ${keysOf('red')
        .split(' ')
        .find((key) => key.endsWith('backup'))}`,
    );
    await maps.setNamespaces(['kube-system'], { timeoutMs: HANG_MS, signal });
    console.log(`watches   ${maps.namespaces?.join(', ')}: ${maps.indexer.size} in the cache`);

    for (const namespace of places) {
      const api = client.resource('v1', 'configmaps', { namespace });
      await api.deleteCollection({ labelSelector: `example=${example}`, signal });
    }
  },
});
