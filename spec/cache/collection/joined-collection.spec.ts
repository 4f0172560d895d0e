import { expect } from 'chai';
import type { SharedIndexInformerOptions } from '../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { SharedCollections } from '../../../lib/cache/reflector/contract/shared-collections.ts';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { consoleLogger } from '../../../lib/kernel/report/console-logger.ts';
import { guardedLogger } from '../../../lib/kernel/report/guarded-logger.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { recorder } from '../support/informer-harness.ts';
import { pod, type Pod } from '../support/objects.ts';

type Informer = SharedIndexInformer<Pod>;

/** A source that says which sources read the same, and informers over it. */
class SharingWorld {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly source: ScriptedListerWatcher<Pod>;
  readonly #running = new Map<Informer, Promise<void>>();

  constructor(objects: readonly Pod[] = [pod('a'), pod('b')]) {
    const { runtime } = this;
    this.source = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
    const collections = new SharedCollections();
    Object.assign(this.source, { supports: { sharing: { collections, key: 'pods' } } });
  }

  informer(name: string, options: Partial<SharedIndexInformerOptions<Pod>> = {}): Informer {
    const { runtime, source: listerWatcher } = this;
    const given = { listerWatcher, runtime, name, logger: silentLogger, ...options };
    return new SharedIndexInformer<Pod>(given);
  }

  async start(...informers: Informer[]): Promise<void> {
    for (const informer of informers) this.#running.set(informer, informer.run());
    for (const informer of informers) await this.runtime.run(informer.whenSynced());
    await this.runtime.settle();
  }

  async close(...informers: Informer[]): Promise<void> {
    for (const informer of informers) {
      await this.runtime.run(informer.close());
      await this.#running.get(informer);
      this.#running.delete(informer);
    }
  }

  async end(): Promise<void> {
    await this.close(...this.#running.keys());
    await this.runtime.settle();
    expect(this.source.openWatches).to.equal(0);
    expect(this.runtime.pending).to.equal(0);
  }
}

describe('Informers that read the same objects in the same form', () => {
  let world: SharingWorld;

  beforeEach(() => {
    world = new SharingWorld();
  });

  afterEach(async () => {
    await world.end();
  });

  it('have one watch and one cache, and each its own handlers', async () => {
    const log: string[] = [];
    const [one, other] = [world.informer('one'), world.informer('other')];
    one.addHandler(recorder(log, 'one '));
    other.addHandler(recorder(log, 'other '));
    await world.start(one, other);
    world.source.add(pod('c'));
    await world.runtime.settle();
    expect(log.filter((line) => line.startsWith('one'))).to.deep.equal([
      'one +shop/a@1!',
      'one +shop/b@2!',
      'one +shop/c@3',
    ]);
    expect(
      log.filter((line) => line.startsWith('other')).map((line) => line.slice(6)),
    ).to.deep.equal(log.filter((line) => line.startsWith('one')).map((line) => line.slice(4)));
    expect(world.source.openWatches).to.equal(1);
    expect(one.inspect().sharedWith).to.deep.equal(['other']);
    expect(other.inspect().sharedWith).to.deep.equal(['one']);
    expect(other.indexer.get('shop/c')).to.equal(one.indexer.get('shop/c'));
  });

  it('get the present state and then every change when they join later; a relist comes to all', async () => {
    const log: string[] = [];
    const one = world.informer('one');
    await world.start(one);
    const late = world.informer('late');
    const registration = late.addHandler(recorder(log));
    const events: string[] = [];
    late.events.on('synced', () => events.push('synced'));
    late.events.on('relist', ({ items }) => events.push(`relist of ${items}`));
    late.events.on('stopped', () => events.push('stopped'));
    world.source.modify(pod('a'));
    await world.runtime.settle();
    expect([late.synced, late.indexer.size, log.length], 'before it runs').to.deep.equal([
      false,
      0,
      0,
    ]);
    await world.start(late);
    expect(registration.synced).to.equal(true);
    expect(log).to.have.members(['+shop/a@3!', '+shop/b@2!']);
    world.source.pause();
    world.source.delete({ namespace: 'shop', name: 'b' });
    world.source.dropConnections();
    world.source.compact();
    world.source.resume();
    await world.runtime.advance(60_000);
    expect(log.slice(2)).to.deep.equal(['-shop/b@2!']);
    expect([late.inspect().relists, one.inspect().relists]).to.deep.equal([1, 1]);
    await world.close(late);
    expect(events).to.deep.equal(['synced', 'relist of 1', 'stopped']);
    expect(world.source.openWatches).to.equal(1);
  });

  it('go on when one of them ends, also the one that began; the watch ends with the last one', async () => {
    const log: string[] = [];
    const [one, other] = [world.informer('one'), world.informer('other')];
    one.addHandler(recorder(log, 'one '));
    other.addHandler(recorder(log, 'other '));
    await world.start(one, other);
    log.length = 0;
    await world.close(one);
    expect(one.phase).to.equal('stopped');
    world.source.add(pod('c'));
    await world.runtime.settle();
    expect(log).to.deep.equal(['other +shop/c@3']);
    expect(world.source.openWatches).to.equal(1);
    expect(other.inspect()).not.to.have.property('sharedWith');
    await world.close(other);
    expect(world.source.openWatches).to.equal(0);
    const again = world.informer('again');
    await world.start(again);
    expect(again.indexer.keys()).to.have.members(['shop/a', 'shop/b', 'shop/c']);
  });

  it('share a watch when one has a guard of the logger of the other', async () => {
    const first = world.informer('first', { logger: guardedLogger(consoleLogger) });
    const second = world.informer('second', { logger: undefined });
    await world.start(first, second);
    expect(second.inspect().sharedWith).to.deep.equal(['first']);
    expect(world.source.openWatches).to.equal(1);
  });

  it('have watches of their own where anything else differs', async () => {
    const first = world.informer('first');
    await world.start(first);
    const differs: Partial<SharedIndexInformerOptions<Pod>>[] = [
      { share: false },
      { transform: (object) => object },
      { matches: () => true },
      { fields: ['spec.nodeName'] as never },
      { freeze: first.inspect().objects < 0 },
      { cache: 'objects' },
      { order: 'key' },
      { resyncIntervalMs: 60_000 },
      { pageSize: 7 },
      { backoff: { baseMs: 10 } },
      { logger: { ...silentLogger } },
      { onError: () => {} },
      { keyFunc: ({ metadata }) => metadata?.name ?? '' },
    ];
    for (const [index, options] of differs.entries()) {
      const informer = world.informer('another', options);
      await world.start(informer);
      expect(world.source.openWatches, JSON.stringify(Object.keys(options))).to.equal(2);
      expect(informer.inspect(), `${index}`).not.to.have.property('sharedWith');
      await world.close(informer);
    }
    const foreign = new ScriptedListerWatcher<Pod>({ runtime: world.runtime, objects: [pod('z')] });
    const collections = new SharedCollections();
    Object.assign(foreign, { supports: { sharing: { collections, key: 'pods' } } });
    const ofOther = world.informer('of another client', { listerWatcher: foreign });
    await world.start(ofOther);
    expect(ofOther.indexer.keys()).to.deep.equal(['shop/z']);
  });

  it('share one that began with the newest state, where any will do, and not the other way round', async () => {
    const any = world.informer('any');
    const newest = world.informer('newest', { firstList: 'newest' });
    await world.start(any, newest);
    expect(world.source.openWatches).to.equal(2);
    await world.close(any);
    const another = world.informer('another');
    await world.start(another);
    expect(another.inspect().sharedWith).to.deep.equal(['newest']);
    expect(world.source.openWatches).to.equal(1);
  });

  it('share their indexes; one whose index has the name of another function has a cache of its own', async () => {
    const byNode = ({ spec }: Pod): string[] => [spec?.nodeName ?? ''];
    const one = world.informer('one', { indexers: { byNode } });
    await world.start(one);
    const same = world.informer('same', {
      indexers: { byNode, byName: (it) => [it.metadata.name] },
    });
    await world.start(same);
    expect(world.source.openWatches).to.equal(1);
    expect(same.indexer.indexKeys('byName', 'a')).to.deep.equal(['shop/a']);
    const other = world.informer('other', { indexers: { byNode: () => ['all'] } });
    await world.start(other);
    expect(world.source.openWatches).to.equal(2);
    expect(other.indexer.indexKeys('byNode', 'all')).to.deep.equal(['shop/a', 'shop/b']);
    same.indexer.removeIndexers(['byNode', 'byName']);
    expect(one.indexer.indexKeys('byNode', ''), 'still that of the other one').to.have.length(2);
    expect(one.indexer.indexNames).not.to.include('byName');
    same.indexer.addIndexers({ late: () => ['x'] });
    expect(same.indexer.indexKeys('late', 'x')).to.have.length(2);
  });

  it('show the own writes of all of them', async () => {
    const [one, other] = [world.informer('one'), world.informer('other')];
    await world.start(one, other);
    one.written({ ...pod('new'), metadata: { ...pod('new').metadata, resourceVersion: '9' } });
    expect(other.lister.namespace('shop').get('new')?.metadata.name).to.equal('new');
    const writer = world.informer('writer');
    writer.written({ ...pod('x'), metadata: { ...pod('x').metadata, resourceVersion: '8' } });
    await world.start(writer);
    expect(world.source.openWatches, 'a write before its start is shown by it alone').to.equal(2);
    expect(writer.indexer.has('shop/x')).to.equal(true);
    expect(one.indexer.has('shop/x')).to.equal(false);
  });

  it('are notified of the writes of each other as of foreign changes', async () => {
    const origins: string[] = [];
    const notified = (name: string, informer: Informer): void => {
      informer.addHandler({
        view: 'key',
        onAdd: ({ key, origin, initial }) => {
          if (!initial) origins.push(`${name} +${key} ${origin}`);
        },
        onUpdate: ({ key, origin }) => origins.push(`${name} ~${key} ${origin}`),
        onDelete: ({ key, origin }) => origins.push(`${name} -${key} ${origin}`),
      });
    };
    const { source, runtime } = world;
    const [one, other] = [world.informer('one'), world.informer('other')];
    notified('one', one);
    notified('other', other);
    await world.start(one, other);
    const happens = async (change: () => void): Promise<string[]> => {
      origins.length = 0;
      change();
      await runtime.settle();
      return origins.toSorted();
    };
    expect(await happens(() => one.written(source.add(pod('c'))))).to.deep.equal([
      'one +shop/c self',
      'other +shop/c other',
    ]);
    expect(await happens(() => other.written(source.modify(pod('c'))))).to.deep.equal([
      'one ~shop/c other',
      'other ~shop/c self',
    ]);
    const gone = (): void => {
      source.delete({ namespace: 'shop', name: 'c' });
      one.deleted({ key: 'shop/c' });
    };
    expect(await happens(gone)).to.deep.equal(['one -shop/c self', 'other -shop/c other']);
    expect(
      await happens(() => other.deleted(source.delete({ namespace: 'shop', name: 'b' }))),
    ).to.deep.equal(['one -shop/b other', 'other -shop/b self']);
    source.pause();
    one.written(source.modify(pod('a')));
    await world.close(one);
    expect(await happens(() => source.resume())).to.deep.equal(['other ~shop/a other']);
  });

  it('end their waits when they end, though the cache goes on', async () => {
    const [one, other] = [world.informer('one'), world.informer('other')];
    await world.start(one, other);
    const waiting = other.caughtUp('99').catch((error: unknown) => error);
    await world.close(other);
    const failure = await world.runtime.run(waiting);
    expect(isListwatchError(failure, 'CLOSED'), String(failure)).to.equal(true);
  });

  it('retain what leaves the cache for those that may read it, as long as they run', async () => {
    const [keys, bodies] = [world.informer('keys'), world.informer('bodies')];
    keys.addHandler({ view: 'key', onAdd: () => {} });
    bodies.addHandler(recorder([]));
    await world.start(keys);
    expect(keys.inspect().memory.retention).to.equal('nothing');
    await world.start(bodies);
    expect(keys.inspect().memory.retention).to.equal('body');
    await world.close(bodies);
    expect(keys.inspect().memory.retention).to.equal('nothing');
    const lazily = world.informer('lazily');
    void lazily.indexer.lazy;
    await world.start(lazily);
    expect(keys.inspect().memory.retention).to.equal('body');
    await world.close(lazily);
    expect(keys.inspect().memory.retention).to.equal('nothing');
  });

  it('notify each handler without a gap, on 60 seeds, while others come and go', async () => {
    for (let seed = 1; seed <= 60; seed += 1) await checksWholeStory(seed);
  });
});

/** The notifications of a handler, checked step by step. */
class Story {
  readonly known = new Map<string, string>();
  readonly faults: string[] = [];

  handler(name: string) {
    const fault = (text: string): void => void this.faults.push(`${name}: ${text}`);
    return {
      onAdd: ({ metadata }: Pod): void => {
        const { name: key = '', resourceVersion = '' } = metadata;
        if (this.known.has(key)) fault(`${key} was added twice`);
        this.known.set(key, resourceVersion);
      },
      onUpdate: (before: Pod, { metadata }: Pod): void => {
        const { name: key = '', resourceVersion = '' } = metadata;
        if (this.known.get(key) !== before.metadata.resourceVersion) fault(`${key} misses a state`);
        this.known.set(key, resourceVersion);
      },
      onDelete: ({ metadata }: Pod): void => {
        if (!this.known.delete(metadata.name ?? '')) fault(`${metadata.name} was not there`);
      },
    };
  }
}

async function checksWholeStory(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const dice = (sides: number): number => Math.floor(random() * sides);
  const world = new SharingWorld(['a', 'b', 'c'].map((name) => pod(name)));
  const { source, runtime } = world;
  const running: { readonly informer: Informer; readonly story: Story }[] = [];
  const actions = [
    async (): Promise<void> => {
      const informer = world.informer(`informer ${running.length}`);
      const story = new Story();
      informer.addHandler(story.handler(`seed ${seed}`));
      running.push({ informer, story });
      await world.start(informer);
    },
    async (): Promise<void> => {
      const [ended] = running.splice(dice(running.length), 1);
      if (ended !== undefined) await world.close(ended.informer);
    },
    async (): Promise<void> => {
      const name = `pod-${dice(6)}`;
      const exists = source.objects.some(({ metadata }) => metadata.name === name);
      if (!exists) source.add(pod(name));
      else if (dice(2) === 0) source.modify(pod(name));
      else source.delete({ namespace: 'shop', name });
    },
    async (): Promise<void> => {
      source.dropConnections();
      if (dice(2) === 0) source.compact();
      await runtime.advance(10_000);
    },
    async (): Promise<void> => await runtime.settle(),
  ] as const;
  const weights = [0, 1, 2, 2, 2, 2, 2, 2, 3, 4, 4];
  for (let step = 0; step < 60; step += 1) await actions[weights[dice(11)] as 0]();
  await runtime.advance(60_000);
  const there = source.objects.map(({ metadata }) => metadata.name ?? '').toSorted();
  expect(source.openWatches).to.equal(Math.min(1, running.length));
  for (const { story } of running) {
    expect(story.faults).to.deep.equal([]);
    expect([...story.known.keys()].toSorted(), `seed ${seed}`).to.deep.equal(there);
  }
  await world.end();
}
