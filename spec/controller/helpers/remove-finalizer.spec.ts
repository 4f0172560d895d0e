import { expect } from 'chai';
import { removeFinalizer } from '../../../lib/controller/helpers/finalizers.ts';
import { ControllerWorld } from '../builder/controller-world.ts';

const NAME = 'example.com/hold';

describe('removeFinalizer', () => {
  let world: ControllerWorld;

  beforeEach(() => {
    world = new ControllerWorld();
  });

  afterEach(async () => {
    await world.stop();
  });

  it('leaves another object of the same name alone', async () => {
    const maps = world.user.resource('v1', 'configmaps', { namespace: 'default' });
    const make = async () =>
      await world.after(maps.create({ metadata: { name: 'a', finalizers: [NAME] } }));
    const { signal } = new AbortController();
    const call = { signal, runtime: world.runtime };
    const first = await make();
    await world.after(maps.patch('a', { metadata: { finalizers: null } }));
    await world.after(maps.delete('a'));
    expect(await world.after(removeFinalizer(maps, first, NAME, call))).to.equal(undefined);
    await make();
    expect(await world.after(removeFinalizer(maps, first, NAME, call))).to.equal(undefined);
    expect((await world.after(maps.get('a'))).metadata.finalizers).to.deep.equal([NAME]);
  });

  it('keeps a finalizer that another has added since the object was read', async () => {
    const maps = world.user.resource('v1', 'configmaps', { namespace: 'default' });
    const read = await world.after(maps.create({ metadata: { name: 'a', finalizers: [NAME] } }));
    const finalizers = [NAME, 'example.com/other'];
    await world.after(maps.patch('a', { metadata: { finalizers } }));
    const call = { signal: new AbortController().signal, runtime: world.runtime };
    const written = await world.after(removeFinalizer(maps, read, NAME, call));
    expect(written?.metadata.finalizers).to.deep.equal(['example.com/other']);
    const { metadata } = await world.after(maps.get('a'));
    expect(metadata.finalizers).to.deep.equal(['example.com/other']);
  });
});
