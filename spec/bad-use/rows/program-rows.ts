import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { until } from '../../../lib/cache/wait/until.ts';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { startCluster } from '../../../lib/cluster/cluster.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { LeaderElector } from '../../../lib/controller/election/leader-elector.ts';
import { EventRecorder } from '../../../lib/controller/events/event-recorder.ts';
import { Manager } from '../../../lib/controller/manager/manager.ts';
import { WebhookServer } from '../../../lib/controller/webhook/webhook-server.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { record } from '../../../lib/recorder/source-recording.ts';
import { ScriptedTransport } from '../../client/support/scripted-transport.ts';
import type { BadUseArea } from '../bad-use.ts';

const client = new Client({ transport: new ScriptedTransport(() => ({ body: {} })) });
const connecting = Promise.resolve(client) as never;
const nothing = async (): Promise<void> => {};

const manager = (): Manager => new Manager(client, { signals: false, logger: silentLogger });

/** A wait on a server in the process for the end of an object that is deleted so. */
const awaited =
  (deletes: (client: Client) => Promise<unknown>, waits: (client: Client) => Promise<unknown>) =>
  async (): Promise<unknown> => {
    const runtime = new VirtualRuntime();
    return await runtime.run(async () => {
      await using server = new ApiServer({ runtime, logger: silentLogger });
      await using user = new Client({ transport: inProcessTransport(server.handler), runtime });
      await deletes(user);
      return await waits(user);
    });
  };

const inDefault = { namespace: 'default' };

/** A secret that owns a config map, deleted in this way. */
const deleteOwner =
  (propagationPolicy: 'Background' | 'Foreground') =>
  async (user: Client): Promise<void> => {
    const secrets = user.resource('v1', 'secrets', inDefault);
    const { metadata } = await secrets.create({ metadata: { name: 'owner' } });
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: metadata.uid };
    await user
      .resource('v1', 'configmaps', inDefault)
      .create({ metadata: { name: 'owned', ownerReferences: [owner] } });
    await secrets.delete('owner', { propagationPolicy });
  };

export const PROGRAMS: BadUseArea = {
  title: 'Programs of several parts',
  cases: [
    {
      mistake: 'connect() without await for informers',
      act: () => new SharedInformerFactory(connecting),
      code: 'INVALID_OPTION',
      message: 'SharedInformerFactory: the client is a promise; write "await connect()"',
    },
    {
      mistake: 'connect() without await for a manager',
      act: () => new Manager(connecting),
      code: 'INVALID_OPTION',
      message: 'Manager: the client is a promise; write "await connect()"',
    },
    {
      mistake: 'connect() without await for an election',
      act: () => new LeaderElector(connecting, { name: 'shops' }),
      code: 'INVALID_OPTION',
      message: 'LeaderElector: the client is a promise; write "await connect()"',
    },
    {
      mistake: 'connect() without await for events',
      act: () => new EventRecorder(connecting, { controller: 'shops' }),
      code: 'INVALID_OPTION',
      message: 'EventRecorder: the client is a promise; write "await connect()"',
    },
    {
      mistake: 'connect() without await for webhooks',
      act: () => new WebhookServer(connecting, {} as never),
      code: 'INVALID_OPTION',
      message: 'WebhookServer: the client is a promise; write "await connect()"',
    },
    {
      mistake: 'connect() without await for a recording',
      act: () => record(connecting, 'incident.listwatch'),
      code: 'INVALID_OPTION',
      message:
        'record: the first argument has to be a client, an informer or a ListerWatcher, it is a promise; write "await connect()"',
    },
    {
      mistake: 'a controller without reconcile in a manager',
      act: () => manager().add(controller(client, 'v1', 'pods') as never),
      code: 'INVALID_OPTION',
      message: 'Manager.add got a controller that is not complete; end it with .reconcile(…)',
    },
    {
      mistake: 'a controller that runs already in a manager',
      act: () => manager().add(nothing() as never),
      code: 'INVALID_OPTION',
      message:
        'Manager.add got a promise; leave out .run(), because the manager runs its parts, or write await',
    },
    {
      mistake: 'a function in a manager',
      act: () => manager().add(nothing as never),
      code: 'INVALID_OPTION',
      message:
        'Manager.add takes controllers (of `reconcile(…)`), informers, factories of informers, and objects with name and run',
    },
    {
      mistake: 'two controllers of one name in a manager',
      act: () => {
        const one = () => controller(client, 'v1', 'pods').reconcile(nothing);
        manager().add(one(), one());
      },
      code: 'NAME_TAKEN',
      message:
        'Manager.add: there is a controller named pods already; give one of them another name, such as pods-2',
    },
    {
      mistake: 'an election and sharding at once',
      act: () =>
        new Manager(client, {
          signals: false,
          leaderElection: { name: 'a' },
          sharding: { name: 'a' },
        }),
      code: 'INVALID_OPTION',
      message: 'Manager: option "sharding" excludes "leaderElection"; give one or the other',
    },
    {
      mistake: 'an election without a name',
      act: () => new LeaderElector(client, {} as never),
      code: 'INVALID_OPTION',
      message: 'LeaderElector: option "name" is required',
    },
    {
      mistake: 'a wait, without a garbage collector, for what a deleted owner leaves behind',
      act: awaited(deleteOwner('Background'), (user) =>
        user
          .resource('v1', 'configmaps', inDefault)
          .wait('owned', (found) => found === undefined, { timeoutMs: 5_000 }),
      ),
      code: 'TIMEOUT',
      message:
        'gave up after 5000 ms waiting for configmaps "owned" to be as wanted; it is there at resource version 9, and not being deleted; when its owner Secret "owner" is gone, a garbage collector deletes it: use startCluster(), which has one, in place of an ApiServer alone',
    },
    {
      mistake: 'a wait, without a garbage collector, for a deletion in the foreground',
      act: awaited(deleteOwner('Foreground'), (user) =>
        user
          .resource('v1', 'secrets', inDefault)
          .wait('owner', (found) => found === undefined, { timeoutMs: 5_000 }),
      ),
      code: 'TIMEOUT',
      message:
        'gave up after 5000 ms waiting for secrets "owner" to be as wanted; it is there at resource version 10, and being deleted: a garbage collector removes its finalizer foregroundDeletion; use startCluster(), which has one, in place of an ApiServer alone',
    },
    {
      mistake: 'a wait, without its controller, for a deleted namespace',
      act: awaited(
        async (user) => {
          await user.resource('v1', 'namespaces').create({ metadata: { name: 'shop' } });
          await user.resource('v1', 'namespaces').delete('shop');
        },
        (user) =>
          user
            .resource('v1', 'namespaces')
            .wait('shop', (found) => found === undefined, { timeoutMs: 5_000 }),
      ),
      code: 'TIMEOUT',
      message:
        'gave up after 5000 ms waiting for namespaces "shop" to be as wanted; it is there at resource version 9, and being deleted: the namespace controller empties it first; use startCluster(), which has one, in place of an ApiServer alone',
    },
    {
      mistake: 'a wait by an informer, without a garbage collector, for what is owned',
      act: awaited(deleteOwner('Background'), async (user) => {
        const { runtime } = user;
        await using informers = new SharedInformerFactory(user, { runtime, logger: silentLogger });
        const maps = informers.for('v1', 'configmaps');
        informers.start();
        await until(maps, { name: 'owned', gone: true, timeoutMs: 5_000 });
      }),
      code: 'TIMEOUT',
      message:
        'gave up after 5000 ms waiting for "owned" of configmaps to be gone; there is default/owned at resource version 9, and not being deleted; when its owner Secret "owner" is gone, a garbage collector deletes it: use startCluster(), which has one, in place of an ApiServer alone',
    },
    {
      mistake: 'a controller of a cluster that does not exist',
      act: () => startCluster({ controllers: ['gc'] as never }),
      code: 'INVALID_OPTION',
      message:
        'controllers has "gc": use all, workloads, none, or a list of names such as service-account; CLUSTER_CONTROLLERS of listwatch/cluster has them all',
    },
  ],
};
