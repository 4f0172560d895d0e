import { controller, Manager } from 'listwatch';
import { HANG_MS, openCluster, runProgram, until } from './support/program.ts';

const ABOUT = `Three replicas of a controller, each of which reconciles a part of the objects: one leaves, and the others take its part.
Without --kubeconfig it uses an API server in this process.
`;

const OBJECTS = 30;

await runProgram({
  name: 'sharded-controller',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster({ ...options, fieldManager: 'greeter' });
    const { client } = cluster;
    const { namespace } = client;
    const example = `sharded-${process.pid}`;
    const labelSelector = `example=${example}`;
    const maps = client.resource('v1', 'configmaps', { namespace });

    /** The program that runs in each pod of a deployment. */
    const replica = (name: string): Manager => {
      const greeter = controller(client, 'v1', 'configmaps', {
        name,
        namespace,
        labelSelector,
      }).reconcile(async (map, { resource }) => {
        if (map.data?.['greetedBy'] !== undefined) return;
        await resource('v1', 'configmaps').patch(map.metadata.name, { data: { greetedBy: name } });
      });
      return new Manager(client, { sharding: { name: example, namespace }, signals: false }).add(
        greeter,
      );
    };
    const greeters = async (round: string): Promise<string[]> => {
      for (let index = 0; index < OBJECTS; index += 1) {
        const metadata = { name: `${example}-${round}-${index}`, labels: { example, round } };
        await maps.create({ metadata });
      }
      let found: (string | undefined)[] = [];
      const all = async (): Promise<boolean> => {
        const { items } = await maps.list({ labelSelector: `${labelSelector},round=${round}` });
        found = items.map(({ data }) => data?.['greetedBy']);
        return found.length === OBJECTS && !found.includes(undefined);
      };
      await until('all to be greeted', all, signal);
      return [...new Set(found)].flatMap((name) => name ?? []).toSorted();
    };

    const names = ['blue', 'green', 'red'];
    const managers = names.map(replica);
    const runs = managers.map((manager) => manager.run({ signal }));
    for (const manager of managers) await manager.whenReady({ timeoutMs: HANG_MS, signal });
    const slots = (): number[] => managers.map((manager) => manager.inspect().sharding?.slots ?? 0);
    await until('a part for each', () => slots().every((count) => count > 0), signal);
    console.log(`shared   by ${(await greeters('first')).join(', ')}`);

    await managers[0]?.close();
    const sum = (): number => slots().reduce((total, count) => total + count, 0);
    await until('the others to have all', () => sum() === 256, signal);
    console.log(`left     blue: now by ${(await greeters('second')).join(', ')}`);

    for (const manager of managers) await manager.close();
    await Promise.all(runs);
    await maps.deleteCollection({ labelSelector, signal });
    await client.resource('coordination.k8s.io/v1', 'leases', { namespace }).delete(example);
  },
});
