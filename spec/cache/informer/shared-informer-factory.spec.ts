import { expect } from 'chai';
import type { ListerWatcherSource } from '../../../lib/cache/informer/lister-watcher-source.ts';
import type { CollectionOptions, ResourceName } from '../../../lib/meta/collection.ts';
import {
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from '../../../lib/cache/informer/shared-informer-factory.ts';
import type { ListerWatcher } from '../../../lib/cache/reflector/lister-watcher.ts';
import { VirtualRuntime } from '../../../lib/kernel/virtual-runtime.ts';
import { forbidden } from '../../../lib/meta/failures.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { codeOf, pod, rejection, type Pod } from '../support/objects.ts';

/** One scripted collection for each request. */
class ScriptedSource implements ListerWatcherSource {
  readonly collections = new Map<string, ScriptedListerWatcher>();
  readonly #runtime: VirtualRuntime;

  constructor(runtime: VirtualRuntime) {
    this.#runtime = runtime;
  }

  listerWatcher<T extends KubernetesObject>(
    { apiVersion, resource }: ResourceName,
    { namespace, labelSelector, fieldSelector }: CollectionOptions = {},
  ): ListerWatcher<ObjectView<T>> {
    const selection = [namespace, labelSelector, fieldSelector].filter((one) => one !== undefined);
    const description = [`${apiVersion}/${resource}`, ...selection].join(' ');
    const runtime = this.#runtime;
    const collection = new ScriptedListerWatcher({ runtime, description, objects: [pod('a')] });
    this.collections.set(description, collection);
    return collection as unknown as ListerWatcher<ObjectView<T>>;
  }
}

class Setup {
  readonly runtime = new VirtualRuntime();
  readonly source = new ScriptedSource(this.runtime);
  readonly factory: SharedInformerFactory;

  constructor(options: SharedInformerFactoryOptions = {}) {
    this.factory = new SharedInformerFactory(this.source, { runtime: this.runtime, ...options });
  }

  async synced(): Promise<void> {
    await this.runtime.run(this.factory.whenSynced({ timeoutMs: 10_000 }));
  }

  async close(): Promise<void> {
    await this.runtime.run(this.factory.close());
  }
}

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
      factory.for('v1', 'pods', { fieldSelector: 'shop' }),
    ];
    expect(new Set([pods, ...others]).size).to.equal(6);
    expect(source.collections.size).to.be.at.least(4);
    expect(factory.informers).to.have.length(6);
    await setup.close();
  });

  it('restricts everything to its namespace unless told otherwise', async () => {
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
      .to.include('gave up after 5000 ms waiting for 1 of 2 informers')
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
});
