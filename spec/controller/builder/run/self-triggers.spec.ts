import { expect } from 'chai';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { ControllerWorld } from '../controller-world.ts';

describe('a controller that starts itself', () => {
  let world: ControllerWorld;
  let runs: number;

  beforeEach(() => {
    world = new ControllerWorld();
    runs = 0;
  });

  afterEach(async () => {
    await world.stop();
  });

  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });
  const options = () => ({ ...world.options, labelSelector: 'app=shop' });
  const create = async (name: string): Promise<void> => {
    await world.after(maps().create({ metadata: { name, labels: { app: 'shop' } } }));
  };
  const warnings = (): string[] => world.log.filter((line) => line.includes('starts itself'));

  it('is named in the log once, with the write that does it', async () => {
    const plain = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    const one = controller(world.client, 'v1', 'configmaps', options()).reconcile(
      async ({ metadata }) => {
        runs += 1;
        await sleep(world.runtime, 40);
        if (runs > 50) return;
        const annotations = { 'example.com/seen': String(runs) };
        await plain.patch(metadata.name, { metadata: { annotations } });
      },
    );
    await world.start(one);
    await create('web');
    await world.runtime.advance(10_000);
    expect(runs).to.equal(51);
    expect(warnings()).to.deep.equal([
      'warn: controller starts itself: 20 runs in a row within 0.8 s, each started by a write of the run before: patch v1/configmaps default/web; write only what differs from the stored object, write with context.resource, or leave the change out with .where(…)',
    ]);
  });

  it('is found with option ownWrites, and by a write of a part', async () => {
    const settings = { ...options(), ownWrites: true, everyUpdate: true };
    const one = controller(world.client, 'apps/v1', 'deployments', settings).reconcile(
      async ({ metadata }, { resource }) => {
        runs += 1;
        if (runs > 30) return;
        const status = { observedGeneration: runs };
        const call = { type: 'merge', subresource: 'status' } as const;
        await resource('apps/v1', 'deployments').patch(metadata.name, { status }, call);
      },
    );
    await world.start(one);
    const labels = { app: 'shop' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    };
    const deployments = world.user.resource('apps/v1', 'deployments', { namespace: 'default' });
    await world.after(deployments.create({ metadata: { name: 'web', labels }, spec }));
    await world.runtime.advance(1_000);
    expect(runs).to.equal(31);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.include('patch apps/v1/deployments default/web (status);');
  });

  it('is not suspected for steps that end, for other objects, and for writes of others', async () => {
    const plain = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    const one = controller(world.client, 'v1', 'configmaps', options())
      .watches('v1', 'secrets', () => 'default/web')
      .reconcile(async ({ metadata, data }) => {
        runs += 1;
        const step = Number(data?.['step'] ?? 0);
        // One run less than is reported, and then none.
        if (step < 18) await plain.patch(metadata.name, { data: { step: String(step + 1) } });
        // Each run makes another object, as far as the names go.
        else if (runs < 30) {
          const secrets = world.client.resource('v1', 'secrets', { namespace: 'default' });
          await secrets.create({ metadata: { name: `part-${runs}` } });
        }
      });
    await world.start(one);
    await create('web');
    for (let change = 1; change < 30; change += 1) {
      await world.after(maps().patch('web', { data: { other: String(change) } }));
    }
    expect(runs).to.be.at.least(40);
    expect(warnings()).to.deep.equal([]);
  });

  it('is not suspected when another part of the program writes between its runs', async () => {
    const plain = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    const secrets = world.client.resource('v1', 'secrets', { namespace: 'default' });
    const one = controller(world.client, 'v1', 'configmaps', options()).reconcile(
      async ({ metadata, data }) => {
        runs += 1;
        // Each second run is started by the one before.
        if (data?.['seen'] === data?.['other'])
          await secrets.create({ metadata: { name: `s-${runs}` } });
        else await plain.patch(metadata.name, { data: { seen: data?.['other'] ?? '' } });
      },
    );
    await world.start(one);
    await create('web');
    for (let change = 1; change <= 30; change += 1) {
      await world.runtime.advance(10);
      await world.after(plain.patch('web', { data: { other: String(change) } }));
    }
    expect(runs).to.be.at.least(60);
    expect(warnings()).to.deep.equal([]);
  });

  it('is not suspected for runs that another part of the program starts', async () => {
    const plain = world.client.resource('v1', 'configmaps', { namespace: 'default' });
    const secrets = world.client.resource('v1', 'secrets', { namespace: 'default' });
    // The answer of a write comes before its run.
    const settings = { ...options(), queue: { debounceMs: 5 } };
    const one = controller(world.client, 'v1', 'configmaps', settings).reconcile(async () => {
      runs += 1;
      await secrets.create({ metadata: { name: `s-${runs}` } });
    });
    await world.start(one);
    await create('web');
    for (let change = 1; change <= 30; change += 1) {
      await world.runtime.advance(10);
      await world.after(plain.patch('web', { data: { other: String(change) } }));
    }
    await world.runtime.advance(10);
    expect(runs).to.equal(31);
    expect(warnings()).to.deep.equal([]);
  });
});
