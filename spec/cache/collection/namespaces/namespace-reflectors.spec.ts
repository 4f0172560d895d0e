import { expect } from 'chai';
import type { SharedIndexInformerOptions } from '../../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../../lib/cache/informer/shared-index-informer.ts';
import type { ListerWatcher } from '../../../../lib/cache/reflector/contract/lister-watcher.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { forbidden } from '../../../../lib/meta/failure/failures.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../../lib/testing/scripted-lister-watcher.ts';
import { codeOf, pod, rejection, type Pod } from '../../support/objects.ts';

const PODS = { group: '', resource: 'pods' };

/** An informer over namespaces that are scripted one by one, and the notifications of its handler. */
class Setup {
  readonly runtime = new VirtualRuntime();
  readonly sources = new Map<string, ScriptedListerWatcher<Pod>>();
  readonly notified: string[] = [];
  readonly errors: string[] = [];
  readonly informer: SharedIndexInformer<Pod>;
  #running: Promise<void> | undefined;

  constructor(
    namespaces: readonly string[],
    options: Partial<SharedIndexInformerOptions<Pod>> = {},
  ) {
    for (const name of ['a', 'b', 'c']) this.#script(name);
    const inNamespace = (name: string): ListerWatcher<ObjectView<Pod>> => this.of(name);
    const refuse = (): Promise<never> => Promise.reject(new Error('not of one namespace'));
    this.informer = new SharedIndexInformer<Pod>({
      listerWatcher: { description: 'pods', list: refuse, watch: refuse },
      inNamespace,
      namespaces,
      runtime: this.runtime,
      indexers: { byNode: (one) => [one.spec?.nodeName ?? ''] },
      onError: (error) => this.errors.push((error as Error).message),
      ...options,
    });
    this.informer.addHandler({
      onAdd: ({ metadata }, { initial }) => {
        this.notified.push(`+${metadata.namespace}/${metadata.name}${initial ? '!' : ''}`);
      },
      onUpdate: (_, { metadata }, { resync }) => {
        this.notified.push(`~${metadata.namespace}/${metadata.name}${resync ? '!' : ''}`);
      },
      onDelete: ({ metadata }) =>
        void this.notified.push(`-${metadata.namespace}/${metadata.name}`),
    });
  }

  of(name: string): ScriptedListerWatcher<Pod> {
    return this.sources.get(name) as ScriptedListerWatcher<Pod>;
  }

  launch(): void {
    this.#running = this.informer.run();
  }

  async start(): Promise<void> {
    this.launch();
    await this.runtime.run(this.informer.whenSynced({ timeoutMs: 60_000 }));
    await this.runtime.settle();
  }

  /** The notifications of the handler since the last call. */
  news(): string[] {
    return this.notified.splice(0);
  }

  keys(): string[] {
    return this.informer.indexer.keys().toSorted();
  }

  async set(...names: string[]): Promise<void> {
    await this.runtime.run(this.informer.setNamespaces(names, { timeoutMs: 60_000 }));
    await this.runtime.settle();
  }

  async stop(): Promise<void> {
    await this.runtime.run(this.informer.close());
    await this.#running;
    expect(this.runtime.pending, 'timers').to.equal(0);
    for (const source of this.sources.values()) expect(source.openWatches).to.equal(0);
  }

  /** Versions of a server count up over all namespaces. */
  #script(name: string): void {
    const { runtime } = this;
    const startResourceVersion = `${100 + 100 * this.sources.size}`;
    const objects = [pod('one', { namespace: name })];
    const options = { runtime, objects, startResourceVersion, description: `pods in ${name}` };
    this.sources.set(name, new ScriptedListerWatcher<Pod>(options));
  }
}

describe('An informer of several namespaces', () => {
  it('has one store, one order of callbacks and one sync for all of them', async () => {
    const setup = new Setup(['a', 'b']);
    const { informer } = setup;
    await setup.start();
    expect(setup.news().toSorted()).to.deep.equal(['+a/one!', '+b/one!']);
    expect(setup.keys()).to.deep.equal(['a/one', 'b/one']);
    expect(informer.lister.namespace('b').list()).to.have.length(1);
    expect(informer.indexer.byIndex('byNode', '')).to.have.length(2);
    setup.of('b').add(pod('two', { namespace: 'b' }));
    setup.of('a').delete({ namespace: 'a', name: 'one' });
    await setup.runtime.settle();
    expect(setup.news().toSorted()).to.deep.equal(['+b/two', '-a/one']);
    expect(setup.of('c').requests).to.deep.equal([]);
    expect(informer.inspect().namespaces?.map((one) => [one.namespace, one.synced])).to.deep.equal([
      ['a', true],
      ['b', true],
    ]);
    expect(informer.inspect()).to.include({ relists: 0, reflector: 'watching', connected: true });
    await setup.stop();
  });

  it('is synced when all are, and names those that are not', async () => {
    const setup = new Setup(['a', 'b']);
    setup.of('b').failNext('list', forbidden(PODS, 'x', 'pods is forbidden'), 1_000);
    setup.of('b').refuseWatchList = true;
    setup.launch();
    await setup.runtime.advance(10_000);
    expect(setup.informer.synced).to.equal(false);
    expect(setup.informer.waitingFor).to.match(/no list yet of the namespaces b; .*forbidden/);
    const error = await rejection(
      setup.runtime.run(setup.informer.whenSynced({ timeoutMs: 1_000 })),
    );
    expect(error.message).to.include('namespaces b');
    await setup.set('a');
    expect(setup.informer.synced).to.equal(true);
    expect(setup.keys()).to.deep.equal(['a/one']);
    await setup.stop();
  });

  it('gets and loses namespaces while it runs', async () => {
    const setup = new Setup(['a', 'b']);
    await setup.start();
    setup.news();
    await setup.set('b', 'c');
    expect(setup.news()).to.deep.equal(['-a/one', '+c/one']);
    expect(setup.keys()).to.deep.equal(['b/one', 'c/one']);
    expect(setup.informer.namespaces).to.deep.equal(['b', 'c']);
    expect(setup.of('a').openWatches).to.equal(0);
    setup.of('a').add(pod('two', { namespace: 'a' }));
    await setup.runtime.advance(60_000);
    expect(setup.news()).to.deep.equal([]);
    await setup.set('b', 'c', 'a');
    expect(setup.news()).to.deep.equal(['+a/one', '+a/two']);
    await setup.set();
    expect(setup.news().toSorted()).to.deep.equal(['-a/one', '-a/two', '-b/one', '-c/one']);
    expect(setup.keys()).to.deep.equal([]);
    expect(setup.informer.synced).to.equal(true);
    await setup.stop();
  });

  it('may begin without a namespace, and change before it runs', async () => {
    const none = new Setup([]);
    await none.start();
    await none.set('c');
    expect(none.news()).to.deep.equal(['+c/one']);
    await none.stop();
    const changed = new Setup(['a']);
    await changed.informer.setNamespaces(['b']);
    await changed.start();
    expect(changed.news()).to.deep.equal(['+b/one!']);
    await changed.stop();
  });

  it('lists one namespace again without touching the others', async () => {
    const setup = new Setup(['a', 'b']);
    await setup.start();
    setup.news();
    const source = setup.of('a');
    source.pause();
    source.delete({ namespace: 'a', name: 'one' });
    source.add(pod('two', { namespace: 'a' }));
    source.dropConnections();
    source.compact();
    source.resume();
    await setup.runtime.advance(60_000);
    expect(setup.news()).to.deep.equal(['-a/one', '+a/two']);
    expect(setup.informer.inspect().relists).to.equal(1);
    expect(setup.keys()).to.deep.equal(['a/two', 'b/one']);
    await setup.stop();
  });

  it('has caught up with a version when every namespace has reached it', async () => {
    const setup = new Setup(['a', 'b']);
    await setup.start();
    expect(setup.informer.indexer.resourceVersion).to.equal('101');
    setup.of('b').bookmark();
    setup.of('a').add(pod('two', { namespace: 'a' }));
    await setup.runtime.settle();
    expect(setup.informer.indexer.resourceVersion).to.equal('102');
    await setup.runtime.run(setup.informer.caughtUp('102', { timeoutMs: 1_000 }));
    const late = await rejection(
      setup.runtime.run(setup.informer.caughtUp('150', { timeoutMs: 1_000 })),
    );
    expect(late).to.include({ code: 'TIMEOUT' });
    await setup.stop();
  });

  it('shows own writes of its namespaces only, and no more of one that is gone', async () => {
    const setup = new Setup(['a', 'b']);
    await setup.start();
    const written = (namespace: string, resourceVersion: string): void =>
      setup.informer.written(pod('own', { namespace, resourceVersion }));
    written('a', '150');
    written('c', '350');
    expect(setup.keys()).to.deep.equal(['a/one', 'a/own', 'b/one']);
    await setup.set('b');
    expect(setup.keys()).to.deep.equal(['b/one']);
    await setup.stop();
  });

  it('resyncs once an interval', async () => {
    const setup = new Setup(['a', 'b'], { resyncIntervalMs: 60_000 });
    await setup.start();
    setup.news();
    await setup.runtime.advance(61_000);
    expect(setup.news().toSorted()).to.deep.equal(['~a/one!', '~b/one!']);
    await setup.stop();
  });

  it('refuses what cannot work', async () => {
    const made = (
      options: Partial<SharedIndexInformerOptions<Pod>>,
      names = ['a'],
    ): string | undefined => codeOf(() => new Setup(names, options));
    for (const options of [{ order: 'key' }, { keyFunc: () => 'x' }] as const) {
      expect(made(options)).to.equal('INVALID_OPTION');
    }
    expect(made({ inNamespace: undefined })).to.equal('INVALID_OPTION');
    for (const name of ['', 'a/b', 7 as never]) expect(made({}, [name])).to.equal('INVALID_OPTION');
    const setup = new Setup(['a']);
    await setup.start();
    expect((await rejection(setup.informer.setNamespaces([''])))?.code).to.equal('INVALID_OPTION');
    expect(setup.informer.namespaces).to.deep.equal(['a']);
    expect((await rejection(setup.informer.audit()))?.code).to.equal('INVALID_OPTION');
    await setup.stop();
    expect((await rejection(setup.informer.setNamespaces(['b'])))?.code).to.equal('CLOSED');
    const one = new SharedIndexInformer<Pod>({ listerWatcher: setup.of('a') });
    expect((await rejection(one.setNamespaces(['b'])))?.code).to.equal('INVALID_OPTION');
  });

  it('stops while a namespace is awaited', async () => {
    const setup = new Setup(['a']);
    setup.of('c').failNext('list', forbidden(PODS, 'x', 'no'), 1_000);
    setup.of('c').refuseWatchList = true;
    await setup.start();
    const waiting = rejection(setup.informer.setNamespaces(['c']));
    await setup.runtime.settle();
    await setup.stop();
    expect((await setup.runtime.run(waiting)).code).to.equal('CLOSED');
  });
});
