import { expect } from 'chai';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type {
  FieldChange,
  HandledOptions,
} from '../../../../lib/controller/helpers/handled-state.ts';
import { ControllerWorld, deployment } from '../controller-world.ts';

describe('what was handled last', () => {
  let world: ControllerWorld;
  let seen: { before: boolean; changes: readonly FieldChange[] }[];
  let failing: boolean;

  beforeEach(async () => {
    world = new ControllerWorld();
    seen = [];
    failing = false;
    await world.after(deployments().create(deployment('a', { tier: 'front' })));
  });

  afterEach(async () => {
    await world.stop();
  });

  const deployments = () => world.user.resource('apps/v1', 'deployments', { namespace: 'default' });
  const start = async (options?: HandledOptions) => {
    const one = controller(world.client, 'apps/v1', 'deployments', world.options)
      .remembers(options)
      .reconcile(async (_object, { handled: { before, changes } }) => {
        seen.push({ before, changes });
        if (failing) throw new Error('not handled');
      });
    await world.start(one);
    return one;
  };

  it('gives the fields that have changed since the last run that did not fail', async () => {
    await start();
    expect(seen[0]?.before).to.equal(false);
    expect(seen[0]?.changes).to.deep.include({ path: 'spec.replicas', old: undefined, new: 1 });
    failing = true;
    await world.after(deployments().patch('a', { spec: { replicas: 2 } }));
    failing = false;
    const labels = { tier: null, 'a.b/c': 'd' };
    await world.after(deployments().patch('a', { metadata: { labels } }));
    const status = { status: { replicas: 1 } };
    await world.after(deployments().patch('a', status, { subresource: 'status' }));
    expect(seen[1]?.changes).to.deep.equal([{ path: 'spec.replicas', old: 1, new: 2 }]);
    expect(seen[2]).to.deep.equal({
      before: true,
      changes: [
        { path: 'metadata.labels.tier', old: 'front', new: undefined },
        { path: 'metadata.labels.a.b/c', old: undefined, new: 'd' },
        { path: 'spec.replicas', old: 1, new: 2 },
      ],
    });
  });

  it('is forgotten with the object', async () => {
    await start();
    await world.after(deployments().delete('a'));
    await world.after(deployments().create(deployment('a')));
    expect(seen.map(({ before }) => before)).to.deep.equal([false, false]);
  });

  it('is in an annotation on request, and so outlives the controller', async () => {
    const annotation = 'example.com/last-handled';
    const first = await start({ annotation });
    expect(seen).to.have.length(1);
    await world.runtime.run(first.close());
    await world.after(deployments().patch('a', { spec: { replicas: 5 } }));
    await start({ annotation });
    expect(seen[1]).to.deep.equal({
      before: true,
      changes: [{ path: 'spec.replicas', old: 1, new: 5 }],
    });
    const { metadata } = await world.after(deployments().get('a'));
    expect(JSON.parse(metadata.annotations?.[annotation] ?? '')).to.have.nested.property(
      'spec.replicas',
      5,
    );
    // The write of the annotation was no reason for a run.
    expect(seen).to.have.length(2);
  });

  it('fails a run whose annotation the server refuses', async () => {
    const one = await start({ annotation: 'no name of an annotation' });
    expect(seen[0]?.before).to.equal(false);
    expect(one.inspect().runs.failed).to.equal(1);
    expect(world.log[0]).to.match(/^error: .*no name of an annotation/);
  });

  it('is not there without being asked for', async () => {
    const one = controller(world.client, 'apps/v1', 'deployments', world.options).reconcile(
      async (_object, context) => void context.handled,
    );
    await world.start(one);
    expect(world.log[0]).to.match(/declare that it does with \.remembers\(\)/);
    await world.runtime.run(one.close());
  });

  it('are forgotten for objects that leave with their namespace', async () => {
    const maps = world.user.resource('v1', 'configmaps', { namespace: 'default' });
    await world.after(maps.create({ metadata: { name: 'left' } }));
    const before: boolean[] = [];
    const options = { ...world.options, namespaces: ['default'] };
    const one = controller(world.client, 'v1', 'configmaps', options)
      .remembers()
      .reconcile(async (_map, { handled }) => void before.push(handled.before));
    await world.start(one);
    await world.after(maps.patch('left', { data: { a: '1' } }));
    await world.after(one.setNamespaces([]));
    await world.after(one.setNamespaces(['default']));
    expect(before).to.deep.equal([false, true, false]);
  });
});
