import { expect } from 'chai';
import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Transport } from '../../../../lib/client/transport/contract/transport.ts';
import { piecesOf } from '../../../../lib/client/transport/in-process/plain-answer.ts';
import { Client } from '../../../../lib/client/rest/client.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { describeReason } from '../../../../lib/controller/change/reconcile-reasons.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { ControllerWorld, deployment, site, SITES, type Site } from '../controller-world.ts';

describe('the sources of a controller', () => {
  let world: ControllerWorld;
  let runs: string[];

  beforeEach(() => {
    world = new ControllerWorld();
    runs = [];
  });

  afterEach(async () => {
    await world.stop();
  });

  const maps = (namespace: string = 'default') =>
    world.user.resource('v1', 'configmaps', { namespace });
  const note = async (_object: unknown, { key }: { readonly key: string }): Promise<void> => {
    runs.push(key);
  };

  it('follow the namespaces of the controller, which change while it runs', async () => {
    for (const name of ['one', 'two']) {
      await world.after(world.user.resource('v1', 'namespaces').create({ metadata: { name } }));
      await world.after(maps(name).create({ metadata: { name: 'map' } }));
    }
    const gone: string[] = [];
    const options = { ...world.options, namespaces: ['one'] };
    const one = controller(world.client, 'v1', 'configmaps', options)
      .watches('v1', 'namespaces', ({ metadata }) => ({ namespace: metadata.name, name: 'map' }), {
        namespaces: 'all',
      })
      .whenGone(async ({ key }) => {
        gone.push(key);
      })
      .reconcile(note);
    await world.start(one);
    expect(runs).to.deep.equal(['one/map']);
    await world.after(one.setNamespaces(['two'], { timeoutMs: 5_000 }));
    expect(runs).to.deep.equal(['one/map', 'two/map']);
    await world.after(maps('one').patch('map', { data: { a: 'b' } }));
    await world.after(maps('two').patch('map', { data: { a: 'b' } }));
    expect(runs).to.deep.equal(['one/map', 'two/map', 'two/map']);
    const ofMap = one.inspect().history.filter(({ key }) => key === 'one/map');
    expect(ofMap.map(({ result }) => result)).to.deep.equal(['done']);
    // The object has left the controller and still exists.
    one.enqueue('one/map');
    await world.runtime.settle();
    expect(gone).to.deep.equal([]);
    // Names that are refused change nothing.
    const refused = one.setNamespaces(['']).catch((error: Error) => error.message);
    expect(await world.after(refused)).to.match(/option "namespaces" must be an array of names/);
    await world.after(maps('two').delete('map'));
    expect(gone).to.deep.equal(['two/map']);
  });

  it('have their namespaces by option, or none to change', async () => {
    const one = controller(world.client, 'v1', 'configmaps', world.options).reconcile(note);
    const failure = await one.setNamespaces(['a']).catch((error: Error) => error.message);
    expect(failure).to.match(/make it with option "namespaces"/);
    await one.close();
    const both = { ...world.options, namespace: 'a', namespaces: ['b'] };
    expect(() => controller(world.client, 'v1', 'configmaps', both).reconcile(note)).to.throw(
      /not both/,
    );
  });

  it('may be of another cluster, whose cache and verbs the context has by its name', async () => {
    await using east = new ApiServer({ runtime: world.runtime });
    const transport = inProcessTransport(east.handler);
    const client = new Client({ transport, runtime: world.runtime });
    const secrets = client.resource('v1', 'secrets', { namespace: 'default' });
    await world.after(maps().create({ metadata: { name: 'a' } }));
    await world.after(secrets.create({ metadata: { name: 'a' }, stringData: { token: 'x' } }));
    const one = controller(world.client, 'v1', 'configmaps', world.options)
      .watches('v1', 'secrets', ({ metadata }) => metadata, { cluster: { name: 'east', client } })
      .watches('v1', 'secrets', () => undefined)
      .reconcile(async ({ metadata }, { key, lister, resource, reasons, signal }) => {
        runs.push(`${key} ${reasons.map(describeReason).join().replace(/@\d+/, '')}`);
        const cluster = 'east';
        const secret = lister('v1', 'secrets', { cluster }).namespace('default').get('a');
        expect(secret?.metadata.name).to.equal('a');
        expect(lister('v1', 'secrets').list()).to.have.length(0);
        const labels = { seen: metadata.name };
        const patch = { metadata: { labels } };
        await resource('v1', 'secrets', { cluster }).patch('a', patch, { signal });
      });
    await world.start(one);
    const first = runs.length;
    await world.after(secrets.patch('a', { stringData: { token: 'y' } }));
    expect(runs.slice(first)).to.deep.equal([
      'default/a updated east:v1/secrets default/a  (watched)',
    ]);
    expect(one.inspect().sources.map(({ resource, role }) => `${role} ${resource}`)).to.deep.equal([
      'own v1/configmaps',
      'watched east:v1/secrets',
      'watched v1/secrets',
    ]);
    expect((await world.after(secrets.get('a'))).metadata).to.have.deep.property('labels', {
      seen: 'a',
    });
    await world.runtime.run(one.close());
    await client.close();
    await world.runtime.run(east.close());
  });

  it('have indexes, which mappings and reconciles read', async () => {
    for (const name of ['a', 'b']) {
      await world.after(
        world.user
          .resource('apps/v1', 'deployments', { namespace: 'default' })
          .create(deployment(name, { config: name === 'a' ? 'red' : 'blue' })),
      );
    }
    const found: string[] = [];
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', world.options)
        .indexers({ byConfig: ({ metadata }) => [metadata.labels?.['config'] ?? ''] })
        .watches(
          'v1',
          'configmaps',
          ({ metadata }, { byIndex }) => byIndex('byConfig', metadata.name),
          {
            indexers: { byColor: ({ data }) => Object.values(data ?? {}) },
          },
        )
        .reconcile(async (_object, { key, byIndex }) => {
          runs.push(key);
          for (const { metadata } of byIndex('v1', 'configmaps', 'byColor', 'light'))
            found.push(metadata.name);
          for (const { spec } of byIndex('apps/v1', 'deployments', 'byConfig', 'red'))
            expect(spec?.replicas).to.equal(1);
        }),
    );
    runs.length = 0;
    await world.after(maps().create({ metadata: { name: 'red' }, data: { color: 'light' } }));
    expect(runs).to.deep.equal(['default/a']);
    expect(found).to.deep.equal(['red']);
  });

  it('wait for a definition that comes late, goes, and comes again', async () => {
    const options = { ...world.options, missingResource: 'wait' } as const;
    const one = controller<Site>(world.client, 'example.com/v1', 'sites', options).reconcile(note);
    const stop = new AbortController();
    const running = one.run({ signal: stop.signal });
    // Longer than the first lists may take without the option.
    await world.runtime.advance(600_000);
    expect(one.inspect().phase).to.equal('syncing');
    expect(world.log.at(-1)).to.match(/not synced yet .*install the CustomResourceDefinition/);
    const sites = world.user.resource<Site>('example.com/v1', 'sites', { namespace: 'default' });
    const definitions = world.user.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    for (const name of ['a', 'b']) {
      await world.runtime.run(world.user.applyAll([SITES]));
      await world.after(sites.create(site(name)));
      await world.runtime.advance(120_000);
      await world.after(definitions.delete('sites.example.com'));
      await world.runtime.advance(120_000);
    }
    expect(runs).to.deep.equal(['default/a', 'default/b']);
    expect(one.inspect().phase).to.equal('running');
    stop.abort();
    await world.runtime.run(running);
  });

  it('end the controller at once when a definition is missing, with `fail`', async () => {
    const options = { ...world.options, missingResource: 'fail' } as const;
    const made = () =>
      controller<Site>(world.client, 'example.com/v1', 'sites', options).reconcile(note);
    const failed = async (run: Promise<void>): Promise<string> =>
      await world.runtime.run(
        run.then(
          () => 'ended',
          (error: Error) => error.message,
        ),
      );
    expect(await failed(made().run())).to.match(/does not serve sites .*CustomResourceDefinition/);
    await world.runtime.run(world.user.applyAll([SITES]));
    const one = made();
    const running = one.run();
    running.catch(() => {});
    await world.after(one.whenReady());
    const definitions = world.user.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    await world.after(definitions.delete('sites.example.com'));
    expect(await failed(running)).to.match(/does not serve sites /);
    expect(one.inspect().phase).to.equal('stopped');
  });

  it('end the controller when a shared informer is closed under it', async () => {
    const informers = new SharedInformerFactory(world.client, world.options);
    const options = { ...world.options, informers };
    const one = controller(world.client, 'v1', 'configmaps', options).reconcile(note);
    const running = one.run().catch((error: Error) => error.message);
    await world.after(one.whenReady());
    await world.runtime.run(informers.close());
    expect(await world.runtime.run(running)).to.match(
      /^the controller configmaps ends: its informer .* was closed; close the controller before/,
    );
  });

  it('begin with the newest state, also where the server has no streaming lists', async () => {
    const lists: (string | null)[] = [];
    const serving = inProcessTransport(world.server.handler);
    const old: Transport = {
      server: serving.server,
      close: () => serving.close(),
      send: async (request) => {
        const { searchParams } = new URL(request.path, 'http://server');
        if (searchParams.get('sendInitialEvents') === 'true') {
          const status = { kind: 'Status', apiVersion: 'v1', reason: 'Invalid', code: 422 };
          const body = piecesOf(new TextEncoder().encode(JSON.stringify(status)));
          return { status: 422, headers: { 'content-type': 'application/json' }, body };
        }
        if (!searchParams.has('watch')) lists.push(searchParams.get('resourceVersion'));
        return await serving.send(request);
      },
    };
    const client = new Client({ transport: old, runtime: world.runtime });
    await world.start(
      controller(client, 'v1', 'configmaps', world.options).owns('v1', 'secrets').reconcile(note),
    );
    expect(lists).to.deep.equal([null, null]);
    lists.length = 0;
    const informers = new SharedInformerFactory(client, { ...world.options, share: false });
    const ofAny = controller(client, 'v1', 'configmaps', {
      ...world.options,
      name: 'of any',
      informers,
    });
    await world.start(ofAny.reconcile(note));
    expect(lists).to.deep.equal(['0']);
  });

  it('say in the inspection of informers whose handlers they are', async () => {
    const informers = new SharedInformerFactory(world.client, world.options);
    const options = { ...world.options, informers, name: 'shops' };
    const one = controller(world.client, 'v1', 'services', options)
      .owns('v1', 'configmaps')
      .watches('v1', 'secrets', () => undefined)
      .reconcile(note);
    await world.start(one);
    const names = informers.inspect().flatMap(({ handlers }) => handlers.map(({ name }) => name));
    expect(names).to.have.members([
      'controller shops: own objects',
      'controller shops: owned objects',
      'controller shops: watched objects',
    ]);
    await world.runtime.run(one.close());
    await world.runtime.run(informers.close());
  });
});
