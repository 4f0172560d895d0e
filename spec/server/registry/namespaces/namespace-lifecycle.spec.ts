import { expect } from 'chai';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { DEFAULT_NAMESPACES } from '../../../../lib/server/registry/namespaces/namespace-lifecycle.ts';
import { GenericRegistryStore } from '../../../../lib/server/registry/generic-registry-store.ts';
import {
  RegistryHarness,
  collect,
  configMap,
  pod,
  rejection,
} from '../support/registry-harness.ts';

describe('NamespaceLifecycle', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  const namespace = (name: string): object => ({ metadata: { name } });
  const remove = (name: string): Promise<unknown> =>
    harness.drive(harness.rest('namespaces').delete(harness.context(''), name, {}));

  it('makes the default namespaces at the start, and accepts existing ones', async () => {
    expect(await harness.names('namespaces', '')).to.have.members([...DEFAULT_NAMESPACES]);
    const next = harness.newRegistry();
    await harness.drive(next.start());
    await harness.drive(next.close());
    expect(await harness.names('namespaces', '')).to.have.length(DEFAULT_NAMESPACES.length);
  });

  it('gives a namespace its phase and its name label', async () => {
    const made = await harness.create('namespaces', namespace('shop'), '');
    expect(made['status']).to.deep.equal({ phase: 'Active' });
    expect(made.metadata?.labels).to.deep.equal({ 'kubernetes.io/metadata.name': 'shop' });
  });

  it('answers 404 for a creation in a missing namespace', async () => {
    const error = await rejection(harness.create('configmaps', configMap('a'), 'shop'));
    expect(error).to.include({ code: 'NOT_FOUND', message: 'namespaces "shop" not found' });
  });

  it('lets objects in as soon as the namespace is made, by whichever process', async () => {
    const other = harness.newRegistry();
    await harness.drive(other.start());
    await harness.create('namespaces', namespace('shop'), '');
    const there = other.lookup('', 'v1', 'configmaps')?.main;
    const context = harness.context('shop');
    await harness.drive(there!.create!(context, configMap('a'), {}));
    expect(await harness.names('configmaps', 'shop')).to.deep.equal(['a']);
    await harness.drive(other.close());
  });

  it('empties a deleted namespace before it goes', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    await harness.create('configmaps', configMap('a'), 'shop');
    await harness.create('pods', pod('p'), 'shop');
    const watch = await harness.drive(harness.rest('configmaps').watch(harness.context(''), {}));
    const { seen, ended } = collect(watch);
    const { result, done } = (await remove('shop')) as {
      result: { object: object };
      done: boolean;
    };
    expect(done).to.equal(false);
    expect(result.object).to.have.deep.property('status', { phase: 'Terminating' });
    await harness.runtime.advance(1000);
    expect(await rejection(harness.get('namespaces', 'shop', ''))).to.include({
      code: 'NOT_FOUND',
    });
    expect(await harness.names('configmaps', '')).to.deep.equal([]);
    expect(await harness.names('pods', '')).to.deep.equal([]);
    watch.close();
    await harness.drive(ended);
    expect(seen).to.deep.equal(['ADDED a', 'DELETED a']);
  });

  it('rests after the cleanup of a namespace that finalizers of others keep', async () => {
    const metadata = { name: 'shop', finalizers: ['example.io/wait'] };
    await harness.create('namespaces', { metadata }, '');
    const { prototype } = GenericRegistryStore;
    const original = Object.getOwnPropertyDescriptor(prototype, 'deleteCollection')!;
    const cleanups = new Map<GenericRegistryStore, number>();
    prototype.deleteCollection = function (this: GenericRegistryStore, ...call) {
      const count = (cleanups.get(this) ?? 0) + 1;
      cleanups.set(this, count);
      // Ends a cleanup that starts itself again and again, which would let no timer run.
      if (count > 100) throw new Error('too many cleanups');
      return (original.value as typeof prototype.deleteCollection).apply(this, call);
    };
    try {
      await remove('shop');
      await harness.runtime.advance(60_000);
    } finally {
      Object.defineProperty(prototype, 'deleteCollection', original);
    }
    // One for the deletion, one for the removal of the content finalizer.
    expect(Math.max(...cleanups.values())).to.be.within(1, 2);
    const kept = await harness.get('namespaces', 'shop', '');
    expect(kept).to.have.deep.property('spec', {});
    expect(kept.metadata).to.have.deep.property('finalizers', ['example.io/wait']);
  });

  it('answers 403 for a creation while the namespace goes, and lets updates through', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    const held = { ...configMap('a'), metadata: { name: 'a', finalizers: ['example.io/wait'] } };
    await harness.create('configmaps', held, 'shop');
    await remove('shop');
    const error = await rejection(harness.create('configmaps', configMap('b'), 'shop'));
    expect(error).to.include({ code: 'FORBIDDEN', httpStatus: 403 });
    expect(error.message).to.equal(
      'configmaps "b" is forbidden: unable to create new content in namespace shop because it is being terminated',
    );
    expect(error.causes[0]?.reason).to.equal('NamespaceTerminating');
    await harness.runtime.advance(60_000);
    expect(await harness.names('namespaces', '')).to.include('shop');
    await harness.update(
      'configmaps',
      'a',
      (existing) => ({ ...existing, metadata: { ...existing?.metadata, finalizers: [] } }),
      'shop',
    );
    await harness.runtime.advance(10_000);
    expect(await harness.names('namespaces', '')).not.to.include('shop');
  });

  it('leaves nothing behind of creations that race with the deletion', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    const configMaps = harness.rest('configmaps');
    const creations = Array.from({ length: 50 }, (_, index) =>
      configMaps.create(harness.context('shop'), configMap(`c${index}`), {}),
    );
    const removal = harness.rest('namespaces').delete(harness.context(''), 'shop', {});
    await harness.drive(Promise.allSettled([...creations, removal]));
    await harness.runtime.advance(10_000);
    expect(await harness.names('namespaces', '')).not.to.include('shop');
    expect(await harness.names('configmaps', '')).to.deep.equal([]);
  });

  it('waits for a creation that was let in before the deletion', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    harness.before = async (verb, key) => {
      if (verb !== 'create' || !key.includes('/configmaps/')) return;
      harness.before = () => Promise.resolve();
      await harness.rest('namespaces').delete(harness.context(''), 'shop', {});
      await sleep(harness.runtime, 2000);
    };
    await harness.create('configmaps', configMap('late'), 'shop');
    await harness.runtime.advance(10_000);
    expect(await harness.names('namespaces', '')).not.to.include('shop');
    expect(await harness.names('configmaps', '')).to.deep.equal([]);
  });

  it('is not misled by old news of a namespace', async () => {
    await harness[Symbol.asyncDispose]();
    harness = await RegistryHarness.start();
    harness.watchDelayMs = 1000;
    await harness.create('namespaces', namespace('shop'), '');
    const held = { ...configMap('a'), metadata: { name: 'a', finalizers: ['example.io/wait'] } };
    await harness.create('configmaps', held, 'shop');
    await remove('shop');
    for (let step = 0; step < 30; step += 1) {
      await harness.runtime.advance(250);
      const error = await rejection(harness.create('configmaps', configMap('b'), 'shop'));
      expect(error).to.include({ code: 'FORBIDDEN' });
    }
  });

  it('lets a namespace be made again after it went', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    for (let round = 0; round < 3; round += 1) {
      await remove('shop');
      await harness.runtime.advance(1000);
      await harness.create('namespaces', namespace('shop'), '');
      await harness.create('configmaps', configMap('a'), 'shop');
    }
    expect(await harness.names('configmaps', 'shop')).to.deep.equal(['a']);
  });

  it('finishes a deletion that an earlier process began', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    await harness.create('configmaps', configMap('a'), 'shop');
    const removal = harness.rest('namespaces').delete(harness.context(''), 'shop', {});
    await removal;
    await harness.registry.close();
    const next = harness.newRegistry();
    await harness.drive(next.start());
    await harness.runtime.advance(1000);
    const list = next.lookup('', 'v1', 'namespaces')?.main.list?.(harness.context(''), {});
    const names = (await harness.drive(list!)).items.map(({ metadata }) => metadata.name);
    expect(names).not.to.include('shop');
    await harness.drive(next.close());
  });

  it('does not let the namespaces go that hold the cluster together', async () => {
    for (const name of ['default', 'kube-system', 'kube-public']) {
      const error = await rejection(remove(name));
      expect(error).to.include({ code: 'FORBIDDEN' });
      expect(error.message).to.contain('this namespace may not be deleted');
    }
  });
});
