import { controller, Manager } from 'listwatch';
import { HANG_MS, openCluster, runProgram, until } from './support/program.ts';

const ABOUT = `Three replicas of a controller, of which one works at a time: it is stopped, and another one takes over.
Without --kubeconfig it uses an API server in this process, which refuses writes of an earlier leader.
`;

await runProgram({
  name: 'leader-election',
  about: ABOUT,
  options: {},
  main: async (options, signal) => {
    await using cluster = await openCluster({ ...options, fieldManager: 'greeter' });
    const { client, server } = cluster;
    const { namespace } = client;
    const example = `greeter-${process.pid}`;
    const maps = client.resource('v1', 'configmaps', { namespace });

    /** The program that runs in each pod of a deployment. */
    const replica = (identity: string): Manager => {
      const greeter = controller(client, 'v1', 'configmaps', {
        name: identity,
        namespace,
        labelSelector: `example=${example}`,
      }).reconcile(async ({ metadata: { name }, data = {} }, { resource }) => {
        if (data['greetedBy'] !== undefined) return;
        await resource('v1', 'configmaps').patch(name, { data: { greetedBy: identity } });
      });
      const fencing = server === undefined ? 'local' : 'strict';
      const leaderElection = { name: example, namespace, identity, fencing } as const;
      return new Manager(client, { leaderElection, signals: false }).add(greeter);
    };

    const create = async (name: string): Promise<string> => {
      const metadata = { name: `${example}-${name}`, labels: { example } };
      await maps.create({ metadata });
      const isGreeted = { timeoutMs: HANG_MS, signal };
      const found = await maps.wait(
        metadata.name,
        (map) => map?.data?.['greetedBy'] !== undefined,
        isGreeted,
      );
      return found?.data?.['greetedBy'] ?? '';
    };

    const replicas = ['red', 'green', 'blue'].map((name) => ({ name, manager: replica(name) }));
    const runs = replicas.map(({ manager }) => manager.run({ signal }));
    const leads = (name: string): boolean =>
      replicas.some(
        (one) => one.name === name && one.manager.inspect().election?.phase === 'leading',
      );
    const leader = (): string | undefined => replicas.find(({ name }) => leads(name))?.name;
    await until('a leader', () => leader() !== undefined, signal);
    await Promise.all(
      replicas.map(({ manager }) => manager.whenReady({ timeoutMs: HANG_MS, signal })),
    );
    const first = await create('one');
    console.log(`leads    ${first === leader()}: the first is greeted by the leader`);
    const standby = replicas.find(({ name }) => name !== first);
    const { phase, sources } = standby?.manager.inspect().controllers[0] ?? {};
    console.log(
      `waits    ${phase} with a cache that is ${sources?.[0]?.synced === true ? 'filled' : 'empty'}`,
    );

    await replicas.find(({ name }) => name === first)?.manager.close();
    const second = await create('two');
    console.log(`stopped  ${second !== first}: the second is greeted by another one`);
    const lease = await client
      .resource('coordination.k8s.io/v1', 'leases', { namespace })
      .get(example);
    console.log(`epoch    ${lease.spec?.leaseTransitions}: writes of an earlier one are refused`);

    for (const { manager } of replicas) await manager.close();
    await Promise.all(runs);
    await maps.deleteCollection({ labelSelector: `example=${example}`, signal });
    await client.resource('coordination.k8s.io/v1', 'leases', { namespace }).delete(example);
  },
});
