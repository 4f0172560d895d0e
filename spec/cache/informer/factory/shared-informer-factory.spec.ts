import { expect } from 'chai';
import type { SharedIndexInformer } from '../../../../lib/cache/informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { forbidden, notFound } from '../../../../lib/meta/failure/failures.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import type { PartialObjectMetadata } from '../../../../lib/meta/partial-object-metadata.ts';
import { FactorySetup as Setup } from '../../support/factory-setup.ts';
import { codeOf, pod, rejection, type Pod } from '../../support/objects.ts';
import { lineLogger } from '../../../support/line-logger.ts';

describe('SharedInformerFactory', () => {
  it('runs informers, waits for them and stops them', async () => {
    const { factory, runtime, source } = new Setup();
    const keys: string[] = [];
    {
      await using informers = factory;
      const pods = informers.for<Pod>('v1', 'pods', {
        indexers: { byNode: (pod) => [pod.spec?.nodeName ?? ''] },
      });
      pods.addHandler({
        view: 'metadata',
        onAdd: ({ key }) => keys.push(key),
        onUpdate: (_, { key }) => keys.push(key),
        onDelete: ({ key }) => keys.push(key),
      });
      informers.start();
      informers.start();
      await runtime.run(informers.whenSynced({ timeoutMs: 30_000 }));
      await runtime.settle();
      expect(pods.lister.namespace('shop').list({ labels: '!app' })).to.have.length(1);
      expect(pods.indexer.byIndex('byNode', '')).to.have.length(1);
    }
    expect(keys).to.deep.equal(['shop/a']);
    expect(source.collections.get('v1/pods')?.openWatches).to.equal(0);
    expect(runtime.pending).to.equal(0);
    expect(codeOf(() => factory.for('v1', 'pods'))).to.equal('CLOSED');
  });

  it('gives the same informer for the same collection, and another one for another', async () => {
    const setup = new Setup();
    const { factory, source } = setup;
    const pods = factory.for<Pod>('v1', 'pods');
    expect(factory.for<Pod>('v1', 'pods', { namespace: '' })).to.equal(pods);
    const others = [
      factory.for('v1', 'secrets'),
      factory.for('v2', 'pods'),
      factory.for('v1', 'pods', { namespace: 'shop' }),
      factory.for('v1', 'pods', { labelSelector: 'shop' }),
      factory.for('v1', 'pods', { fieldSelector: 'shop=shop' }),
    ];
    expect(new Set([pods, ...others]).size).to.equal(6);
    expect(source.collections.size).to.be.at.least(4);
    expect(factory.informers).to.have.length(6);
    await setup.close();
  });

  it('restricts everything to its namespace unless an option says otherwise', async () => {
    const setup = new Setup({ namespace: 'shop' });
    setup.factory.for('v1', 'pods');
    setup.factory.for('v1', 'pods', { namespace: 'other' });
    expect([...setup.source.collections.keys()]).to.deep.equal(['v1/pods shop', 'v1/pods other']);
    await setup.close();
  });

  it('adds the indexes that a later caller brings', async () => {
    const setup = new Setup();
    const byName = ({ metadata }: Pod): string[] => [metadata.name!];
    const byUid = ({ metadata }: Pod): string[] => [metadata.uid ?? ''];
    const pods = setup.factory.for<Pod>('v1', 'pods', { indexers: { byName } });
    setup.factory.for<Pod>('v1', 'pods', { indexers: { byName, byUid } });
    setup.factory.for<Pod>('v1', 'pods', { indexers: { byUid } });
    expect(pods.indexer.indexNames).to.have.members(['namespace', 'byName', 'byUid']);
    const conflict = (): unknown =>
      setup.factory.for<Pod>('v1', 'pods', { indexers: { byName: () => [] } });
    expect(codeOf(conflict)).to.equal('INDEX_CONFLICT');
    await setup.close();
  });

  it('refuses to give an informer that was made with other options', async () => {
    const setup = new Setup();
    const transform = (object: Pod): Pod => object;
    setup.factory.for<Pod>('v1', 'pods', { transform });
    setup.factory.for<Pod>('v1', 'pods', { transform });
    setup.factory.for<Pod>('v1', 'pods');
    const other = (): unknown =>
      setup.factory.for<Pod>('v1', 'pods', { transform: (object) => object });
    expect(other).to.throw('v1/pods exists with another option "transform"');
    await setup.close();
  });

  it('runs an informer that is asked for after the start', async () => {
    const setup = new Setup();
    setup.factory.start();
    const pods = setup.factory.for<Pod>('v1', 'pods');
    await setup.synced();
    expect(pods.synced).to.equal(true);
    await setup.close();
  });

  it('names what is missing, and why', async () => {
    const setup = new Setup();
    const { factory, source, runtime } = setup;
    factory.for('v1', 'pods');
    factory.for('v1', 'secrets');
    const refusal = forbidden({ group: '', resource: 'secrets' }, '', 'no access');
    const secrets = source.collections.get('v1/secrets');
    secrets?.failNext('list', refusal, 100);
    secrets?.failNext('watch-list', refusal, 100);
    expect((await rejection(factory.whenSynced())).code).to.equal('NOT_STARTED');
    factory.start();
    const error = await runtime.run(rejection(factory.whenSynced({ timeoutMs: 5000 })));
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message)
      .to.include('gave up after 5000 ms waiting for 1 of 2 caches')
      .and.include('v1/secrets')
      .and.include('no access')
      .and.not.include('v1/pods');
    await setup.close();
  });

  it('stops waiting when an informer stops', async () => {
    const setup = new Setup();
    const pods = setup.factory.for('v1', 'pods');
    setup.source.collections.get('v1/pods')?.hangNext('watch-list', 100);
    setup.factory.start();
    const waiting = rejection(setup.factory.whenSynced());
    await setup.runtime.settle();
    await setup.runtime.run(pods.close());
    expect((await waiting).code).to.equal('CLOSED');
    await setup.close();
  });

  it('forgets an informer that was closed by itself and makes a new one', async () => {
    const setup = new Setup();
    setup.factory.start();
    const first = setup.factory.for<Pod>('v1', 'pods');
    const secrets = setup.factory.for('v1', 'secrets');
    await setup.synced();
    const closing = first.close();
    const second = setup.factory.for<Pod>('v1', 'pods');
    expect(second).to.not.equal(first);
    await setup.runtime.run(closing);
    expect(setup.factory.for<Pod>('v1', 'pods')).to.equal(second);
    await setup.synced();
    expect(setup.factory.informers).to.have.members([second, secrets]);
    await setup.close();
  });

  it('ends with its signal', async () => {
    const abort = new AbortController();
    const setup = new Setup({ signal: abort.signal });
    const pods = setup.factory.for<Pod>('v1', 'pods');
    setup.factory.start();
    await setup.synced();
    abort.abort();
    await setup.runtime.settle();
    expect(pods.phase).to.equal('stopped');
    expect(setup.factory.informers).to.deep.equal([]);
    await setup.close();
  });

  it('passes resync interval and error hook on', async () => {
    const errors: string[] = [];
    const setup = new Setup({
      defaultResyncIntervalMs: 5000,
      onError: (_, { informer, handler }) => errors.push(`${informer} ${handler}`),
    });
    const pods = setup.factory.for<Pod>('v1', 'pods');
    pods.addHandler(
      {
        onAdd: () => {
          throw new Error('boom');
        },
      },
      { name: 'fragile' },
    );
    const slow = setup.factory.for<Pod>('v1', 'slow', { resyncIntervalMs: 9000 });
    slow.addHandler({ onAdd: () => {} });
    setup.factory.start();
    await setup.synced();
    await setup.runtime.settle();
    expect(errors).to.deep.equal(['v1/pods fragile']);
    const intervals = setup.factory
      .inspect()
      .map(({ handlers }) => handlers.map(({ resyncIntervalMs }) => resyncIntervalMs));
    expect(intervals).to.deep.equal([[5000], [9000]]);
    await setup.close();
  });

  it('answers like a server for an object that is not there', async () => {
    const setup = new Setup();
    const deployments = setup.factory.for('apps/v1', 'deployments');
    expect(() => deployments.lister.getOrThrow('web')).to.throw('deployments.apps "web" not found');
    expect(codeOf(() => setup.factory.for('a/b/c', 'pods'))).to.equal('INVALID_API_VERSION');
    expect(codeOf(() => setup.factory.for('v1', 'pods', { label: 'x' } as object))).to.equal(
      'INVALID_OPTION',
    );
    await setup.close();
  });

  it('gives every collection an entry and a name of its own, behind the name of the factory', async () => {
    const setup = new Setup({ name: 'east' });
    const { factory } = setup;
    const names = [
      factory.for('v1', 'pods'),
      factory.for('v1', 'pods'),
      factory.for('v1', 'pods', { namespace: 'shop' }),
      factory.for('v1', 'pods', { metadataOnly: true }),
      factory.acquire('v1', 'pods', { fieldSelector: 'x=y' }).informer,
    ].map(({ name }) => name);
    expect(names).to.deep.equal([
      'east/v1/pods',
      'east/v1/pods',
      'east/v1/pods shop',
      'east/v1/pods metadata only',
      'east/v1/pods x=y',
    ]);
    expect(factory.informers).to.have.length(4);
    await setup.close();
  });

  it('has a name that distinguishes its informers from those of another one, or none, but no empty one', async () => {
    const [east, west, plain] = [
      new Setup({ name: 'east' }),
      new Setup({ name: 'west' }),
      new Setup(),
    ];
    const setups = [east, west, plain];
    const names = setups.map(({ factory }) => factory.for('v1', 'pods').name);
    expect(names).to.deep.equal(['east/v1/pods', 'west/v1/pods', 'v1/pods']);
    expect(codeOf(() => new Setup({ name: '' }))).to.equal('INVALID_OPTION');
    for (const setup of setups) await setup.close();
  });

  it('labels metrics with the name, and frees it with the informer', async () => {
    const labels = new Set<string | undefined>();
    const note = (_name: string, _value?: number, given?: { readonly name?: string }): void => {
      labels.add(given?.name);
    };
    const setup = new Setup({ name: 'east', metrics: { count: note, gauge: note, observe: note } });
    setup.factory.start();
    const first = setup.factory.for('v1', 'pods');
    await setup.synced();
    expect([...labels]).to.deep.equal(['east/v1/pods']);
    await setup.runtime.run(first.close());
    const second = setup.factory.for('v1', 'pods');
    expect(second).to.not.equal(first);
    expect(second.name).to.equal('east/v1/pods');
    await setup.synced();
    await setup.close();
  });

  it('passes every option of an informer on, of a collection before its own', async () => {
    const setup = new Setup({ idleTimeoutMs: 1_000, freeze: true, watchList: false });
    const { source, runtime } = setup;
    const pods = setup.factory.for<Pod>('v1', 'pods', { freeze: false });
    const secrets = setup.factory.for<Pod>('v1', 'secrets', { watchList: true });
    setup.factory.start();
    await setup.synced();
    expect(Object.isFrozen(pods.lister.list()[0])).to.equal(false);
    expect(Object.isFrozen(secrets.lister.list()[0])).to.equal(true);
    const kinds = (description: string): string[] =>
      source.collection(description).requests.map(({ kind }) => kind);
    expect(kinds('v1/pods')).to.deep.equal(['list', 'watch']);
    expect(kinds('v1/secrets')).to.deep.equal(['watch-list']);
    const before = source.collection('v1/pods').requests.length;
    await runtime.advance(30_000);
    expect(source.collection('v1/pods').requests.length).to.be.above(before);
    await setup.close();
  });

  it('gives its transform to informers that have none of their own', async () => {
    const strip = <T extends KubernetesObject>(object: T): T => ({ ...object, stripped: true });
    const own = (object: Pod): Pod => ({ ...object, spec: { nodeName: 'own' } });
    const setup = new Setup({ transform: strip });
    const pods = setup.factory.for<Pod & { stripped?: boolean }>('v1', 'pods');
    const secrets = setup.factory.for<Pod & { stripped?: boolean }>('v1', 'secrets', {
      transform: own,
    });
    setup.factory.for('v1', 'pods', { transform: strip });
    setup.factory.start();
    await setup.synced();
    expect(pods.lister.list()[0]?.stripped).to.equal(true);
    expect(secrets.lister.list()[0]).to.include({ kind: 'Pod' }).and.not.have.property('stripped');
    expect(secrets.lister.list()[0]?.spec?.nodeName).to.equal('own');
    await setup.close();
  });

  it('keeps only metadata with metadataOnly, even if the source sends more', async () => {
    const setup = new Setup();
    const metadata: SharedIndexInformer<PartialObjectMetadata> = setup.factory.for('v1', 'pods', {
      metadataOnly: true,
      indexers: { byName: (object) => [object.metadata.name ?? ''] },
    });
    expect(setup.factory.for('v1', 'pods', { metadataOnly: true })).to.equal(metadata);
    expect(setup.factory.for<Pod>('v1', 'pods')).to.not.equal(metadata);
    setup.factory.start();
    await setup.synced();
    setup.source.collection('v1/pods metadata only').add(pod('b', { nodeName: 'node-1' }));
    await setup.runtime.settle();
    expect(metadata.indexer.byIndex('byName', 'b')).to.deep.equal([
      {
        apiVersion: 'meta.k8s.io/v1',
        kind: 'PartialObjectMetadata',
        metadata: { namespace: 'shop', name: 'b', uid: 'uid-2', resourceVersion: '2' },
      },
    ]);
    await setup.close();
  });

  it('shows an own write at once, unless the collection leaves the object out', async () => {
    const setup = new Setup();
    const all = setup.factory.for<Pod>('v1', 'pods');
    const web = setup.factory.for<Pod>('v1', 'pods', { labelSelector: 'app=web' });
    const bare = setup.factory.for('v1', 'pods', { metadataOnly: true });
    setup.factory.start();
    await setup.synced();
    const own = pod('own', { resourceVersion: '7', labels: { app: 'db' }, nodeName: 'node-1' });
    all.written(own);
    web.written(own);
    bare.written(own as unknown as PartialObjectMetadata);
    expect(all.indexer.get('shop/own')).to.equal(own);
    expect(web.indexer.get('shop/own')).to.equal(undefined);
    expect(bare.indexer.get('shop/own')).to.have.keys('apiVersion', 'kind', 'metadata');
    await setup.close();
  });

  it('knows the types that were declared, and takes others a call at a time', async () => {
    interface Node extends KubernetesObject {
      readonly spec: { readonly podCIDR: string };
    }
    interface Types {
      'v1/pods': Pod;
      'v1/nodes': Node;
    }
    const setup = new Setup();
    const factory = new SharedInformerFactory<Types>(setup.source, { runtime: setup.runtime });
    const declared: SharedIndexInformer<Pod> = factory.for('v1', 'pods', {
      indexers: { byNode: ({ spec }) => [spec?.nodeName ?? ''] },
    });
    const other: SharedIndexInformer<Node> = factory.acquire('v1', 'nodes').informer;
    const named: SharedIndexInformer<Pod> = factory.for<Pod>('v1', 'podtemplates');
    // @ts-expect-error -- a node is no pod
    const wrong: SharedIndexInformer<Pod> = factory.for('v1', 'nodes');
    const unknown: unknown = factory.for('v1', 'secrets').lister.list()[0]?.['data'];
    expect([declared, other, named, wrong].map(({ name }) => name)).to.deep.equal([
      'v1/pods',
      'v1/nodes',
      'v1/podtemplates',
      'v1/nodes',
    ]);
    expect(unknown).to.equal(undefined);
    await factory.close();
    await setup.close();
  });

  it('remembers that a resource is not served until a caller asks for it again', async () => {
    const lines: string[] = [];
    const setup = new Setup({
      missingResource: 'fail',
      logger: lineLogger((line) => lines.push(line), ['error']),
    });
    const { factory, source, runtime } = setup;
    factory.start();
    const widgets = factory.for('example.com/v1', 'widgets');
    const missing = notFound({ group: 'example.com', resource: 'widgets' }, '');
    source.collection('example.com/v1/widgets').failNext('watch-list', missing);
    for (const attempt of [1, 2]) {
      const error = await runtime.run(rejection(factory.whenSynced({ timeoutMs: 10_000 })));
      expect(error.code, `attempt ${attempt}`).to.equal('RESOURCE_UNKNOWN');
      expect(error.message).to.include('widgets of example.com/v1');
    }
    expect(runtime.monotonicMs()).to.equal(0);
    expect(widgets.phase).to.equal('failed');
    expect(lines).to.have.length(1);
    expect(lines[0])
      .to.include('widgets of example.com/v1')
      .and.include('CustomResourceDefinition');
    factory.for('example.com/v1', 'widgets');
    await setup.synced();
    await setup.close();
  });
});
