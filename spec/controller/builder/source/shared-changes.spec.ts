import { expect } from 'chai';
import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { ObjectChange } from '../../../../lib/controller/change/object-change.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { ControllerWorld } from '../controller-world.ts';

describe('controllers that share an informer', () => {
  let world: ControllerWorld;
  let informers: SharedInformerFactory;
  let seen: Record<string, ObjectChange[]>;
  let all: { close(): Promise<void> }[];

  beforeEach(async () => {
    world = new ControllerWorld();
    informers = new SharedInformerFactory(world.client, world.options);
    seen = {};
    all = [];
    await world.after(maps().create({ metadata: { name: 'first' } }));
  });

  afterEach(async () => {
    await world.runtime.run(Promise.all(all.map((one) => one.close())));
    await world.runtime.run(informers.close());
    await world.stop();
  });

  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });
  const named = (name: string, passes: () => boolean = () => true) => {
    const made = controller(world.client, 'v1', 'configmaps', { ...world.options, informers, name })
      .where((change) => {
        (seen[name] ??= []).push(change);
        return passes();
      })
      .reconcile(async () => {});
    all.push(made);
    return made;
  };
  const keys = (name: string): string[] =>
    (seen[name] ?? []).map(({ type, key }) => `${type} ${key.split('/')[1]}`);
  const touch = (name: string, value: string) =>
    world.after(maps().patch(name, { data: { value } }));
  const handlers = (): string[] =>
    informers.inspect().flatMap((informer) => informer.handlers.map(({ name }) => name));

  it('have one handler and get one change of each event, which late ones get after the initial objects', async () => {
    const one = named('one');
    const two = named('two');
    await world.start(one);
    expect(handlers()).to.deep.equal(['controller one: own objects']);
    await touch('first', 'a');
    await world.start(two);
    await touch('first', 'b');
    expect(handlers()).to.have.length(1);
    expect(keys('one')).to.deep.equal(['added first', 'updated first', 'updated first']);
    expect(keys('two')).to.deep.equal(['added first', 'updated first']);
    expect(seen['one']?.at(-1)).to.equal(seen['two']?.at(-1));
    const counts = [one, two].map((each) => each.inspect().sources[0]?.changes);
    expect(counts).to.deep.equal([3, 2]);
  });

  it('lose nothing and get nothing twice while they come and go among changes', async () => {
    const anchor = named('anchor');
    await world.start(anchor);
    for (let round = 0; round < 20; round += 1) {
      const name = `guest-${round}`;
      const guest = named(name);
      const running = guest.run();
      const writes = [0, 1, 2, 3].map((step) =>
        maps().patch('first', { data: { at: `${round}-${step}` } }),
      );
      await world.runtime.run(Promise.all(writes));
      await world.after(guest.whenReady());
      await touch('first', `end-${round}`);
      const versions = (seen[name] ?? []).map(({ metadata }) => metadata.resourceVersion);
      const all = (seen['anchor'] ?? []).map(({ metadata }) => metadata.resourceVersion);
      expect(versions).to.deep.equal(all.slice(-versions.length));
      await world.after(guest.close());
      await world.runtime.run(running);
      await touch('first', `after-${round}`);
      expect(seen[name]).to.have.length(versions.length);
    }
  });

  it('go on when another one of them ends, throws or rejects', async () => {
    const [one, two, three] = [named('one'), named('two', () => false), named('three')];
    for (const each of [one, two, three]) await world.start(each);
    await touch('first', 'a');
    const broken = named('broken', () => {
      throw new Error('broken');
    });
    await world.start(broken);
    await touch('first', 'b');
    await world.after(one.close());
    await touch('first', 'c');
    const counts = [one, two, three, broken].map((each) => seen[each.name]?.length);
    expect(counts).to.deep.equal([3, 4, 4, 3]);
    expect(two.inspect().sources[0]?.filtered).to.equal(4);
    for (const each of [two, three, broken]) await world.after(each.close());
    expect(handlers()).to.deep.equal([]);
  });
});
