import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import type { Transport } from '../../../lib/client/transport/contract/transport.ts';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import {
  ClusterSet,
  type ClusterSetOptions,
  type MemberCluster,
} from '../../../lib/controller/clusters/cluster-set.ts';
import { Manager } from '../../../lib/controller/manager/manager.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import type { Logger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ConfigMap } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { lineLogger } from '../../support/line-logger.ts';

/** One server, and a client of it whose connections can be refused. */
class Cluster {
  readonly server: ApiServer;
  readonly client: Client;
  readonly user: Client;
  isDown = false;

  constructor(runtime: VirtualRuntime) {
    this.server = new ApiServer({ runtime });
    const serving = inProcessTransport(this.server.handler);
    const transport: Transport = {
      server: serving.server,
      close: () => serving.close(),
      send: async (request) => {
        if (!this.isDown) return await serving.send(request);
        const target = { server: serving.server, method: request.method, path: request.path };
        throw new TransportError('CONNECTION_REFUSED', target, 'the cluster is down');
      },
    };
    this.client = new Client({ transport, runtime });
    this.user = new Client({ transport: serving, runtime });
  }

  async create(name: string): Promise<void> {
    await this.user.resource('v1', 'configmaps', { namespace: 'default' }).create({
      metadata: { name },
    });
  }
}

describe('ClusterSet', () => {
  let runtime: VirtualRuntime;
  let clusters: Cluster[];
  let log: string[];
  let logger: Logger;
  /** `cluster key` of each reconcile. */
  let runs: string[];
  let ended: Promise<void> | undefined;
  let stop: AbortController;

  beforeEach(() => {
    runtime = new VirtualRuntime();
    clusters = [];
    log = [];
    logger = lineLogger((line) => log.push(line));
    runs = [];
    stop = new AbortController();
  });

  afterEach(async () => {
    stop.abort();
    await runtime.run(Promise.resolve(ended));
    for (const { client, user, server } of clusters) {
      await client.close();
      await user.close();
      await runtime.run(server.close());
    }
    expect(runtime.pending).to.equal(0);
  });

  const cluster = (): Cluster => {
    const made = new Cluster(runtime);
    clusters.push(made);
    return made;
  };

  const maps = ({ name, client }: MemberCluster): Controller<ConfigMap> =>
    controller(client, 'v1', 'configmaps', { name: `maps-${name}`, runtime, logger }).reconcile(
      async (_map, { key }) => {
        runs.push(`${name} ${key}`);
      },
    );

  const set = (
    make: ConstructorParameters<typeof ClusterSet>[0] = maps,
    options: ClusterSetOptions = {},
  ): ClusterSet => new ClusterSet(make, { runtime, logger, ...options });

  const start = async (made: ClusterSet): Promise<void> => {
    ended = made.run({ signal: stop.signal });
    ended.catch(() => {});
    await runtime.settle();
  };

  const after = async <R>(call: Promise<R>): Promise<R> => {
    const result = await runtime.run(call);
    await runtime.settle();
    return result;
  };

  it('reconciles the objects of clusters that are added before it runs and while it runs', async () => {
    const [east, west] = [cluster(), cluster()];
    await after(east.create('a'));
    await after(west.create('b'));
    const made = set();
    made.add('east', east.client);
    await start(made);
    await after(made.whenClusterReady('east', { timeoutMs: 1_000 }));
    expect(runs).to.deep.equal(['east default/a']);
    made.add('west', west.client);
    made.add('west', west.client);
    await after(made.whenClusterReady('west', { timeoutMs: 1_000 }));
    await after(east.create('c'));
    expect(runs).to.deep.equal(['east default/a', 'west default/b', 'east default/c']);
    expect(made.clusters).to.deep.equal(['east', 'west']);
    const states = made.inspect().map(({ name, state }) => `${name} ${state}`);
    expect(states).to.deep.equal(['east running', 'west running']);
  });

  it('ends the watches of a removed cluster, drops its keys, and lets its running reconcile end', async () => {
    const [east, west] = [cluster(), cluster()];
    for (const name of ['a', 'b', 'c']) await after(east.create(name));
    const free = deferred<void>();
    const ends: string[] = [];
    const made = set(({ name, client }) =>
      controller(client, 'v1', 'configmaps', { name: `maps-${name}`, runtime, logger }).reconcile(
        async (_map, { key, signal }) => {
          runs.push(`${name} ${key}`);
          await free.promise;
          ends.push(`${key} ${signal.aborted ? 'cut short' : 'undisturbed'}`);
        },
      ),
    );
    made.add('east', east.client);
    made.add('west', west.client);
    await start(made);
    expect(runs).to.deep.equal(['east default/a']);
    const removing = made.remove('east');
    await runtime.settle();
    expect(made.clusters).to.deep.equal(['west']);
    free.resolve();
    expect(await after(removing)).to.equal(true);
    expect(runs).to.deep.equal(['east default/a']);
    expect(ends).to.have.length(1);
    expect(await watchersOf(east)).to.equal(0);
    await after(east.create('d'));
    await after(west.create('e'));
    expect(runs).to.deep.equal(['east default/a', 'west default/e']);
    expect(await after(made.remove('east'))).to.equal(false);
  });

  it('goes on with the others while a cluster is down, and begins with that one when it is back', async () => {
    const [east, west] = [cluster(), cluster()];
    west.isDown = true;
    await after(west.create('b'));
    const made = set();
    made.add('west', west.client);
    made.add('east', east.client);
    await start(made);
    await after(east.create('a'));
    expect(runs).to.deep.equal(['east default/a']);
    // Longer than the first lists may take.
    await runtime.advance(130_000);
    const [state] = made.inspect();
    expect(state).to.include({ name: 'west', failures: 1 });
    expect(state?.lastError).to.match(/the cluster is down/);
    const failures = log.filter((line) => line.startsWith('a cluster failed'));
    expect(failures).to.have.length(1);
    expect(failures[0]).to.match(/made again after a pause: .*the cluster is down \(cluster=west /);
    const waiting = made.whenClusterReady('west', { timeoutMs: 1_000 });
    const failure = await runtime.run(waiting.catch((error: Error) => error.message));
    expect(failure).to.match(/waiting for the controllers of the cluster west: .*is down/);
    west.isDown = false;
    await runtime.advance(60_000);
    expect(runs).to.deep.equal(['east default/a', 'west default/b']);
    expect(made.inspect()[0]?.state).to.equal('running');
  });

  it('makes all controllers of a cluster again when one of them ends with an error', async () => {
    const east = cluster();
    const made = set(({ name, client }) => [
      maps({ name, client }),
      controller(client, 'example.com/v1', 'sites', {
        name: `sites-${name}`,
        missingResource: 'fail',
        runtime,
        logger,
      }).reconcile(async () => {}),
    ]);
    made.add('east', east.client);
    await start(made);
    const [state] = made.inspect();
    expect(state).to.include({ state: 'waiting', failures: 1 });
    expect(state?.controllers.map(({ phase }) => phase)).to.deep.equal(['stopped', 'stopped']);
    await runtime.advance(2_000);
    expect(made.inspect()[0]).to.include({ failures: 2 });
  });

  it('begins with a cluster of the same name when the removed one has ended', async () => {
    const [old, now] = [cluster(), cluster()];
    await after(old.create('a'));
    await after(now.create('b'));
    const free = deferred<void>();
    const made = set(({ name, client }) =>
      controller(client, 'v1', 'configmaps', { name, runtime, logger }).reconcile(
        async (_map, { key }) => {
          runs.push(key);
          await free.promise;
        },
      ),
    );
    made.add('east', old.client);
    await start(made);
    const removing = made.remove('east');
    made.add('east', now.client);
    await runtime.settle();
    expect(runs).to.deep.equal(['default/a']);
    free.resolve();
    await after(removing);
    await after(made.whenClusterReady('east', { timeoutMs: 1_000 }));
    expect(runs).to.deep.equal(['default/a', 'default/b']);
    // One that is removed before it could begin.
    const once = made.remove('east');
    made.add('east', old.client);
    await after(Promise.all([once, made.remove('east')]));
    expect(made.clusters).to.deep.equal([]);
  });

  it('reports a removed reconcile that does not end', async () => {
    const east = cluster();
    await after(east.create('a'));
    const free = deferred<void>();
    const options = { name: 'stuck', shutdownTimeoutMs: 5_000, runtime, logger };
    const made = set(({ client }) =>
      controller(client, 'v1', 'configmaps', options).reconcile(async () => await free.promise),
    );
    made.add('east', east.client);
    await start(made);
    const failure = await runtime.run(
      made.remove('east').then(
        () => 'removed',
        (error: Error) => error.message,
      ),
    );
    expect(failure).to.match(/default\/a/);
    free.resolve();
    await runtime.settle();
  });

  it('refuses what cannot be distinguished or is no cluster', async () => {
    const [east, west] = [cluster(), cluster()];
    const made = set();
    made.add('east', east.client);
    expect(() => made.add('east', west.client)).to.throw(/another client: remove it first/);
    expect(() => made.add('a b', east.client)).to.throw(/a name without colon, slash and space/);
    expect(() => made.add('west', {} as Client)).to.throw(/needs a client/);
    expect(() => new ClusterSet('maps' as never)).to.throw(/must get a function/);
    await start(made);
    await after(made.close());
    expect(() => made.add('west', west.client)).to.throw(/has been stopped/);
    const missing = await made.whenClusterReady('west').catch((error: Error) => error.message);
    expect(missing).to.match(/has no cluster "west"/);
    const again = await made.run().catch((error: Error) => error.message);
    expect(again).to.match(/runs once/);

    const same = set(({ client }) =>
      controller(client, 'v1', 'configmaps', { runtime, logger }).reconcile(async () => {}),
    );
    same.add('east', east.client);
    ended = same.run({ signal: stop.signal });
    expect(() => same.add('west', west.client)).to.throw(
      /another cluster has a controller named "configmaps" already: .*`configmaps-\$\{cluster\}`/,
    );
    expect(same.clusters).to.deep.equal(['east']);

    const none = set(() => ({}) as never);
    none.add('east', west.client);
    const failure = await runtime.run(none.run().catch((error: Error) => error.message));
    expect(failure).to.match(/must return a controller/);
  });

  it('is run by a Manager, whose start does not wait for a cluster that is down', async () => {
    const [hub, east, west] = [cluster(), cluster(), cluster()];
    west.isDown = true;
    await after(east.create('a'));
    const manager = new Manager(hub.client, { runtime, logger, signals: false });
    const made = set();
    made.add('east', east.client);
    made.add('west', west.client);
    manager.add(made);
    ended = manager.run({ signal: stop.signal });
    await after(manager.whenReady({ timeoutMs: 1_000 }));
    expect(runs).to.deep.equal(['east default/a']);
    expect(manager.metrics.text()).to.match(/controller="maps-east"/);
    stop.abort();
    await runtime.run(ended);
    expect(made.clusters).to.deep.equal([]);
    expect(await watchersOf(east)).to.equal(0);
  });

  it('lets running reconciles end undisturbed when its Manager stops', async () => {
    const [hub, east] = [cluster(), cluster()];
    for (const name of ['a', 'b']) await after(east.create(name));
    const free = deferred<void>();
    const ends: string[] = [];
    const made = set(({ name, client }) =>
      controller(client, 'v1', 'configmaps', { name: `maps-${name}`, runtime, logger }).reconcile(
        async (_map, { key, signal }) => {
          await free.promise;
          ends.push(`${key} ${signal.aborted ? 'cut short' : 'undisturbed'}`);
        },
      ),
    );
    made.add('east', east.client);
    const manager = new Manager(hub.client, { runtime, logger, signals: false });
    manager.add(made);
    ended = manager.run({ signal: stop.signal });
    await after(manager.whenReady({ timeoutMs: 1_000 }));
    stop.abort();
    await runtime.settle();
    expect(() => {
      made.add('west', hub.client);
    }).to.throw('the set has been stopped');
    free.resolve();
    await runtime.run(ended);
    expect(ends).to.deep.equal(['default/a undisturbed']);
  });

  it('refuses a logger that would lose the fields', () => {
    const pino = { ...logger, child: () => {}, bindings: () => {} };
    expect(() => set(maps, { logger: pino })).to.throw(
      'ClusterSet: option "logger" is a logger of pino or bunyan',
    );
  });

  async function watchersOf({ server }: Cluster): Promise<number> {
    const { resources } = await runtime.run(server.inspect());
    const [found] = resources.filter(({ resource }) => resource === 'configmaps');
    return found?.cache?.watcherCount ?? 0;
  }
});
