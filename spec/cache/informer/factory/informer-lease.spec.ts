import { expect } from 'chai';
import type { InformerLease } from '../../../../lib/cache/informer/factory/informer-entry.ts';
import { FactorySetup } from '../../support/factory-setup.ts';
import { codeOf, pod, type Pod } from '../../support/objects.ts';

describe('InformerLease', () => {
  let setup: FactorySetup;

  beforeEach(() => {
    setup = new FactorySetup();
    setup.factory.start();
  });

  afterEach(async () => {
    await setup.close();
    expect(setup.runtime.pending).to.equal(0);
  });

  const acquire = (): InformerLease<Pod> => setup.factory.acquire<Pod>('v1', 'pods');
  const lists = (): number => setup.source.collection('v1/pods').requests.length;

  it('starts the informer with the first lease and ends it with the last', async () => {
    const [first, second] = [acquire(), acquire()];
    const { informer } = first;
    expect(second.informer).to.equal(informer);
    await setup.synced();
    void first.close();
    await setup.runtime.settle();
    expect(informer.phase).to.equal('running');
    await setup.runtime.run(second.close());
    expect(informer.phase).to.equal('stopped');
    expect(setup.factory.informers).to.deep.equal([]);
    expect(setup.source.collection('v1/pods').openWatches).to.equal(0);
  });

  it('makes a new informer after the last lease', async () => {
    const first = acquire();
    await setup.runtime.run(first.close());
    const second = acquire();
    expect(second.informer).to.not.equal(first.informer);
    await setup.synced();
    expect(second.informer.lister.list()).to.have.length(1);
    await setup.runtime.run(second.close());
  });

  it('can be released any number of times and counts once', async () => {
    const [first, second] = [acquire(), acquire()];
    void first.close();
    void first.close();
    await setup.runtime.run(first.close());
    expect(first.released).to.equal(true);
    expect(second.released).to.equal(false);
    await setup.synced();
    expect(second.informer.phase).to.equal('running');
  });

  it('hands the informer on without a restart when it is released in the same breath', async () => {
    const first = acquire();
    await setup.synced();
    const before = lists();
    const closing = first.close();
    const second = acquire();
    await setup.runtime.run(closing);
    expect(second.informer).to.equal(first.informer);
    expect(second.informer.phase).to.equal('running');
    void second.close();
    const third = acquire();
    void third.close();
    await setup.runtime.settle();
    expect(third.informer.phase).to.equal('stopped');
    expect(lists()).to.equal(before);
  });

  it('does not stop an informer that also has no lease', async () => {
    const lease = acquire();
    const kept = setup.factory.for<Pod>('v1', 'pods');
    const late = acquire();
    await setup.runtime.run(lease.close());
    await setup.runtime.run(late.close());
    await setup.synced();
    expect(kept.phase).to.equal('running');
    expect(kept).to.equal(lease.informer);
  });

  it('takes the handlers of its holder with it, and no others', async () => {
    const notified: string[] = [];
    const [first, second] = [acquire(), acquire()];
    for (const [name, lease] of Object.entries({ first, second })) {
      const handler = {
        onAdd: (_: Pod, { key }: { key: string }) => void notified.push(name + key),
      };
      lease.informer.addHandler(handler, { signal: lease.signal });
    }
    await setup.synced();
    await setup.runtime.settle();
    void first.close();
    setup.source.collection('v1/pods').add(pod('b'));
    await setup.runtime.settle();
    expect(notified).to.deep.equal(['firstshop/a', 'secondshop/a', 'secondshop/b']);
  });

  it('is released at the end of its block', async () => {
    let phase = '';
    await setup.runtime.run(async () => {
      await using lease = acquire();
      const { informer } = lease;
      informer.events.once('stopped', () => (phase = informer.phase));
    });
    expect(phase).to.equal('stopped');
  });

  it('does not wait for an informer that was released', async () => {
    const gone = setup.factory.acquire<Pod>('v1', 'secrets');
    setup.source.collection('v1/secrets').hangNext('watch-list', 100);
    const waiting = setup.factory.whenSynced({ timeoutMs: 10_000 });
    await setup.runtime.settle();
    void gone.close();
    await setup.runtime.run(waiting);
    expect(setup.runtime.monotonicMs()).to.equal(0);
  });

  it('may be released before the factory has started, and after it was closed', async () => {
    const idle = new FactorySetup();
    const lease = idle.factory.acquire<Pod>('v1', 'pods');
    await idle.runtime.run(lease.close());
    expect(lease.informer.phase).to.equal('stopped');
    idle.factory.start();
    expect(idle.source.collection('v1/pods').requests).to.have.length(0);
    const late = idle.factory.acquire<Pod>('v1', 'pods');
    await idle.close();
    await idle.runtime.run(late.close());
    expect(codeOf(() => idle.factory.acquire('v1', 'pods'))).to.equal('CLOSED');
  });

  it('counts right for every order of acquiring and releasing', async () => {
    const random = (bound: number): number => Math.floor(setup.runtime.random() * bound);
    const leases: InformerLease<Pod>[] = [];
    for (let round = 0; round < 2_000; round += 1) {
      if (leases.length === 0 || random(2) === 0) leases.push(acquire());
      else void leases.splice(random(leases.length), 1)[0]?.close();
      if (random(4) === 0) await setup.runtime.settle();
      const informers = new Set(leases.map(({ informer }) => informer));
      expect(informers.size).to.be.at.most(1);
      for (const informer of informers) expect(informer.phase).to.equal('running');
    }
    for (const lease of leases) void lease.close();
    await setup.runtime.settle();
    expect(setup.factory.informers).to.deep.equal([]);
    expect(setup.source.collection('v1/pods').openWatches).to.equal(0);
  });
});
