import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { ControllerWorld, OPEN, site, SITES, type Site } from '../controller-world.ts';

describe('conditions that a reconcile returns', () => {
  let world: ControllerWorld;

  beforeEach(async () => {
    world = new ControllerWorld();
    await world.runtime.run(world.user.applyAll([SITES]));
  });

  afterEach(async () => {
    await world.stop();
  });

  const sites = () =>
    world.user.resource<Site>('example.com/v1', 'sites', { namespace: 'default' });
  const conditions = async () => (await world.after(sites().get('a'))).status?.conditions ?? [];

  it('are written once, with the time of the change of status and the generation', async () => {
    await world.after(sites().create(site('a')));
    let runs = 0;
    await world.start(
      controller<Site>(world.client, 'example.com/v1', 'sites', world.options).reconcile(
        async ({ spec }) => {
          runs += 1;
          const status = spec.host === '' ? 'False' : 'True';
          return {
            status: { serves: spec.host },
            conditions: [{ type: 'Ready', status, reason: 'Host' }],
          };
        },
      ),
    );
    const [first] = await conditions();
    expect(first).to.deep.include({ observedGeneration: 1, message: '', status: 'True' });
    await world.runtime.advance(90_000);
    await world.after(sites().patch('a', { spec: { host: 'b.example.com' } }));
    const [second] = await conditions();
    expect(second).to.deep.equal({ ...first, observedGeneration: 2 });
    await world.after(sites().patch('a', { spec: { host: '' } }));
    const [third] = await conditions();
    expect(third?.lastTransitionTime).not.to.equal(first?.lastTransitionTime);
    const { metadata } = await world.after(sites().get('a'));
    await world.after(sites().patch('a', { metadata: { labels: { a: 'b' } } }));
    expect(runs).to.equal(4);
    const after = await world.after(sites().get('a'));
    expect(Number(after.metadata.resourceVersion)).to.equal(Number(metadata.resourceVersion) + 1);
  });

  it('keep those of others', async () => {
    await world.after(sites().create(site('a')));
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const failed = {
      type: 'Failed',
      status: 'False',
      reason: 'X',
      message: '',
      lastTransitionTime,
    };
    await world.after(
      sites().patch('a', { status: { conditions: [failed] } }, { subresource: 'status' }),
    );
    await world.start(
      controller<Site>(world.client, 'example.com/v1', 'sites', world.options).reconcile(
        async () => ({ conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Waits' }] }),
      ),
    );
    expect((await conditions()).map(({ type }) => type)).to.deep.equal(['Failed', 'Ready']);
  });

  it('have no generation where the schema of the kind does not keep it, and are written once', async () => {
    const text = { type: 'string' };
    const properties = { type: text, status: text, reason: text, message: text };
    const items = {
      type: 'object',
      properties: { ...properties, lastTransitionTime: { type: 'string', format: 'date-time' } },
    };
    const status = { type: 'object', properties: { conditions: { type: 'array', items } } };
    const schema = {
      openAPIV3Schema: { type: 'object', properties: { spec: { ...OPEN }, status } },
    };
    const definitions = world.user.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
    const versions = [
      { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema },
    ];
    await world.after(definitions.patch('sites.example.com', { spec: { versions } }));
    await world.runtime.advance(10_000);
    await world.after(sites().create(site('a')));
    let writes = 0;
    const transport = inProcessTransport((request) => {
      if (request.method === 'PATCH') writes += 1;
      return world.server.handler(request);
    });
    const client = new Client({ transport, runtime: world.runtime });
    const one = controller<Site>(client, 'example.com/v1', 'sites', world.options).reconcile(
      async () => ({ conditions: [{ type: 'Ready', status: 'True', reason: 'Served' }] }),
    );
    await world.start(one);
    one.enqueue('default/a');
    await world.runtime.settle();
    expect(one.inspect().history).to.have.length(2);
    expect(writes).to.equal(1);
    expect((await conditions())[0]).not.to.have.property('observedGeneration');
    await world.runtime.run(one.close());
    await client.close();
  });

  it('come with a reason that ends the retries', async () => {
    await world.after(sites().create(site('a')));
    let runs = 0;
    await world.start(
      controller<Site>(world.client, 'example.com/v1', 'sites', world.options).reconcile(
        async () => {
          runs += 1;
          return {
            conditions: [{ type: 'Failed', status: 'True', reason: 'Host' }],
            terminal: 'no such host',
          };
        },
      ),
    );
    await world.runtime.advance(60_000);
    expect(runs).to.equal(1);
    expect((await conditions())[0]?.reason).to.equal('Host');
    expect(world.log).to.deep.equal([
      'error: reconcile failed: sites: default/a: given up: no such host (failures=1)',
    ]);
  });

  it('of two programs on one object are all kept, whichever cache is behind', async () => {
    await world.after(sites().create(site('a')));
    let runs = 0;
    let status: 'True' | 'False' = 'True';
    const writer = (name: string, type: 'Ready' | 'Failed') =>
      controller<Site>(world.client, 'example.com/v1', 'sites', {
        ...world.options,
        name,
      }).reconcile(async ({ spec }) => {
        runs += 1;
        await sleep(world.runtime, 1_000);
        return { status: { serves: spec.host }, conditions: [{ type, status, reason: name }] };
      });
    const [one, other] = [writer('one', 'Ready'), writer('other', 'Failed')];
    await world.start(one);
    await world.start(other);
    await world.runtime.advance(10_000);
    const held = async () => (await conditions()).map(({ type, status: is }) => `${type} ${is}`);
    expect((await held()).toSorted()).to.deep.equal(['Failed True', 'Ready True']);
    status = 'False';
    await world.after(sites().patch('a', { spec: { host: 'b' } }));
    await world.runtime.advance(10_000);
    expect((await held()).toSorted()).to.deep.equal(['Failed False', 'Ready False']);
    expect(runs).to.equal(4);
    expect(world.log).to.deep.equal([]);
  });

  it('are made again from an object that changes while they are written', async () => {
    await world.after(sites().create(site('a')));
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    const failed = {
      type: 'Failed',
      status: 'False',
      reason: 'X',
      message: '',
      lastTransitionTime,
    };
    const before = [
      () => sites().patch('a', { spec: { host: 'b' } }),
      () => sites().patch('a', { status: { conditions: [failed] } }, { subresource: 'status' }),
    ];
    const transport = inProcessTransport(async (request) => {
      if (request.method === 'PATCH') await before.shift()?.();
      return await world.server.handler(request);
    });
    const client = new Client({ transport, runtime: world.runtime });
    let runs = 0;
    const one = controller<Site>(client, 'example.com/v1', 'sites', world.options).reconcile(
      async () => {
        runs += 1;
        if (runs > 1) return undefined;
        return { conditions: [{ type: 'Ready', status: 'True', reason: 'Served' }] };
      },
    );
    await world.start(one);
    const [first, second] = await conditions();
    expect(first).to.deep.equal(failed);
    // That of the object which was reconciled.
    expect(second).to.deep.include({ type: 'Ready', observedGeneration: 1 });
    expect(one.inspect().history.map(({ result }) => result)).to.deep.equal(['done', 'done']);
    await world.runtime.run(one.close());
    await client.close();
  });

  it('do not conflict with a write of the run itself', async () => {
    await world.after(sites().create(site('a')));
    let runs = 0;
    const one = controller<Site>(world.client, 'example.com/v1', 'sites', world.options).reconcile(
      async ({ metadata }, { resource }) => {
        runs += 1;
        const annotations = { run: String(runs) };
        await resource('example.com/v1', 'sites').patch(metadata.name, {
          metadata: { annotations },
        });
        return { conditions: [{ type: 'Ready', status: 'True', reason: 'Served' }] };
      },
    );
    await world.start(one);
    expect((await conditions())[0]?.type).to.equal('Ready');
    expect(one.inspect().history.map(({ result }) => result)).to.deep.equal(['done']);
  });

  it('are not written to another object that has taken the name', async () => {
    await world.after(sites().create(site('a')));
    let runs = 0;
    await world.start(
      controller<Site>(world.client, 'example.com/v1', 'sites', world.options).reconcile(
        async () => {
          runs += 1;
          if (runs > 1) return undefined;
          await sites().delete('a');
          await sites().create(site('a'));
          return { conditions: [{ type: 'Ready', status: 'True', reason: 'Served' }] };
        },
      ),
    );
    expect(runs).to.equal(2);
    expect(await conditions()).to.deep.equal([]);
  });

  it('of an object that changes before each try are a conflict, which is not logged', async () => {
    await world.after(sites().create(site('a')));
    let left = 5;
    const transport = inProcessTransport(async (request) => {
      if (request.method === 'PATCH' && left > 0) {
        left -= 1;
        const status = { serves: String(left) };
        await sites().patch('a', { status }, { subresource: 'status' });
      }
      return await world.server.handler(request);
    });
    const client = new Client({ transport, runtime: world.runtime });
    const one = controller<Site>(client, 'example.com/v1', 'sites', world.options).reconcile(
      async () => ({ conditions: [{ type: 'Ready', status: 'True', reason: 'Served' }] }),
    );
    await world.start(one);
    await world.runtime.advance(1_000);
    expect(one.inspect().history.map(({ result }) => result)).to.deep.equal(['conflict', 'done']);
    expect((await conditions())[0]?.type).to.equal('Ready');
    expect(world.log).to.deep.equal([]);
    await world.runtime.run(one.close());
    await client.close();
  });
});
