import { expect } from 'chai';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { DEFAULT_NAMESPACES } from '../../../../lib/server/registry/namespaces/namespace-lifecycle.ts';
import { RegistryHarness, configMap, rejection } from '../support/registry-harness.ts';

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

  /** Finishes a namespace as a controller does that has found no content. */
  const finalize = async (name: string): Promise<unknown> => {
    const calls = harness.registry.lookup('', 'v1', 'namespaces')?.subresources.get('finalize');
    const update = (existing: object | undefined): UnstructuredObject => ({
      ...existing,
      spec: { finalizers: [] },
    });
    return await harness.drive(
      calls!.update!(harness.context(''), name, update, { subresource: 'finalize' }),
    );
  };

  it('makes the default namespaces at the start, and accepts existing ones', async () => {
    expect(await harness.names('namespaces', '')).to.have.members([...DEFAULT_NAMESPACES]);
    const next = harness.newRegistry();
    await harness.drive(next.start());
    await harness.drive(next.close());
    expect(await harness.names('namespaces', '')).to.have.length(DEFAULT_NAMESPACES.length);
  });

  it('watches namespaces no longer after its end', async () => {
    const { store } = harness;
    const watch = store.watch.bind(store);
    const open = new Set<object>();
    store.watch = async (request) => {
      const made = await watch(request);
      if (!request.key.startsWith('/registry/namespaces')) return made;
      open.add(made);
      const close = made.destroy.bind(made);
      made.destroy = () => {
        open.delete(made);
        close();
      };
      return made;
    };
    const next = harness.newRegistry();
    await harness.drive(next.start());
    expect(open.size).to.be.at.least(1);
    await harness.drive(next.close());
    await harness.runtime.settle();
    expect(open.size).to.equal(0);
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

  it('keeps a deleted namespace with its content until its finalizer is removed', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    await harness.create('configmaps', configMap('a'), 'shop');
    const { result, done } = (await remove('shop')) as {
      result: { object: object };
      done: boolean;
    };
    expect(done).to.equal(false);
    expect(result.object).to.have.deep.property('status', { phase: 'Terminating' });
    await harness.runtime.advance(600_000);
    expect(await harness.names('namespaces', '')).to.include('shop');
    expect(await harness.names('configmaps', '')).to.deep.equal(['a']);
    await finalize('shop');
    expect(await harness.names('namespaces', '')).not.to.include('shop');
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
    await harness.update(
      'configmaps',
      'a',
      (existing) => ({ ...existing, metadata: { ...existing?.metadata, finalizers: [] } }),
      'shop',
    );
    expect(await harness.names('configmaps', 'shop')).to.deep.equal(['a']);
  });

  it('keeps the finalizer while a creation goes on that was let in before, and once after it', async () => {
    await harness.create('namespaces', namespace('shop'), '');
    let early: unknown;
    harness.before = async (verb, key) => {
      if (verb !== 'create' || !key.includes('/configmaps/')) return;
      harness.before = () => Promise.resolve();
      await harness.rest('namespaces').delete(harness.context(''), 'shop', {});
      early = await rejection(finalize('shop'));
    };
    await harness.create('configmaps', configMap('late'), 'shop');
    expect(early).to.include({ code: 'CONFLICT' });
    expect(await rejection(finalize('shop'))).to.include({ code: 'CONFLICT' });
    expect(await harness.names('configmaps', 'shop')).to.deep.equal(['late']);
    await finalize('shop');
    expect(await harness.names('namespaces', '')).not.to.include('shop');
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
      await finalize('shop');
      await harness.create('namespaces', namespace('shop'), '');
      await harness.create('configmaps', configMap(`a${round}`), 'shop');
    }
    expect(await harness.names('configmaps', 'shop')).to.deep.equal(['a0', 'a1', 'a2']);
  });

  it('does not let the namespaces go that hold the cluster together', async () => {
    for (const name of ['default', 'kube-system', 'kube-public']) {
      const error = await rejection(remove(name));
      expect(error).to.include({ code: 'FORBIDDEN' });
      expect(error.message).to.contain('this namespace may not be deleted');
    }
  });
});
