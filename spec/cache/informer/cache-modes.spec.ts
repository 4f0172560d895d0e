import { expect } from 'chai';
import type { CacheOptions } from '../../../lib/cache/memory/cache-options.ts';
import type {
  AddInfo,
  DeleteInfo,
  LazyObject,
  ObjectMetadata,
  UpdateInfo,
} from '../../../lib/cache/informer/handlers/event-handler.ts';
import type { InformerErrorContext } from '../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject, ObjectMeta } from '../../../lib/meta/object.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../support/bytes-source.ts';

interface Thing extends KubernetesObject {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly node?: string; readonly items?: readonly { readonly name: string }[] };
  readonly data?: unknown;
}

interface Variant {
  readonly cache: CacheOptions;
  readonly freeze: boolean;
  readonly projected: boolean;
}

const BULK = 'bulk '.repeat(300);
const FIELDS = ['spec.node', 'spec.items.name'] as const;

const VARIANTS: readonly Variant[] = (['objects', 'bytes'] as const).flatMap((mode) =>
  [false, true].flatMap((freeze) =>
    [false, true].map((projected) => {
      const decodedBytes = 64 * 1024;
      return { cache: mode === 'objects' ? mode : { mode, decodedBytes }, freeze, projected };
    }),
  ),
);

function thing(name: string, node: string, labels: Record<string, string> = {}): Thing {
  return {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: { name, namespace: `ns-${name.length % 3}`, uid: `uid-${name}`, labels },
    spec: { node, items: [{ name: `${name}-Größe` }] },
    data: BULK,
  };
}

/** A source of bytes, and an informer over it that keeps them in some way; all in virtual time. */
class World {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly source: ScriptedListerWatcher<Thing>;
  readonly informer: SharedIndexInformer<Thing>;
  readonly variant: Variant;
  readonly errors: unknown[] = [];
  #running: Promise<void> | undefined;

  constructor(variant: Variant, objects: readonly Thing[] = []) {
    this.variant = variant;
    const { runtime } = this;
    this.source = new ScriptedListerWatcher<Thing>({ runtime, objects, historySize: 100_000 });
    const options = {
      listerWatcher: new BytesSource(this.source),
      runtime,
      cache: variant.cache,
      freeze: variant.freeze,
      watchList: false,
      indexers: { byNode: ({ spec }: Pick<Thing, 'spec'>): string[] => [spec.node ?? ''] },
      onError: (error: unknown, { source }: InformerErrorContext): void => {
        if (source !== 'watch') this.errors.push(error);
      },
    };
    this.informer = variant.projected
      ? (SharedIndexInformer.projecting({ ...options, fields: FIELDS }) as never)
      : new SharedIndexInformer<Thing>(options);
  }

  async start(): Promise<void> {
    this.#running = this.informer.run();
    await this.runtime.run(this.informer.whenSynced());
    await this.runtime.settle();
  }

  async settle(): Promise<void> {
    await this.runtime.settle();
  }

  async stop(): Promise<void> {
    await this.runtime.run(this.informer.close());
    await this.#running;
    await this.runtime.settle();
    expect(this.runtime.pending).to.equal(0);
    expect(this.errors).to.deep.equal([]);
  }

  /** The part of an object that the cache should have. */
  shown(object: Thing): unknown {
    const plain = JSON.parse(JSON.stringify(object)) as Thing;
    if (!this.variant.projected) return plain;
    const { kind, apiVersion, metadata, spec } = plain;
    return { kind, apiVersion, metadata, spec };
  }

  expectSame(): void {
    const { lister, indexer } = this.informer;
    const objects = this.source.objects.map((object) => this.shown(object));
    const byName = (left: unknown, right: unknown): number =>
      ((left as Thing).metadata.name as string) < ((right as Thing).metadata.name as string)
        ? -1
        : 1;
    expect(lister.list().toSorted(byName)).to.deep.equal(objects.toSorted(byName));
    expect(indexer.size).to.equal(objects.length);
  }
}

function many(count: number): Thing[] {
  return Array.from({ length: count }, (_, index) =>
    thing(`thing-${index}`, `node-${index % 10}`, { group: `g${index % 4}` }),
  );
}

for (const variant of VARIANTS) {
  const { cache, freeze, projected } = variant;
  const mode = typeof cache === 'string' ? cache : cache.mode;
  const title = `a cache of ${mode}${freeze ? ', frozen' : ''}${projected ? ', of some fields' : ''}`;

  describe(title, () => {
    it('shows what the source has, through changes, a late handler and a new list', async () => {
      const world = new World(variant, many(600));
      const notified: string[] = [];
      const log = {
        onAdd: ({ metadata, spec }: Thing): void =>
          void notified.push(`+${metadata.name} ${spec.node}`),
        onUpdate: (old: Thing, { spec }: Thing): void =>
          void notified.push(`~${old.metadata.name} ${old.spec.node} ${spec.node}`),
        onDelete: ({ metadata, spec }: Thing): void =>
          void notified.push(`-${metadata.name} ${spec.node}`),
      };
      world.informer.addHandler(log);
      await world.start();
      expect(notified.splice(0)).to.have.length(600);
      world.expectSame();

      world.source.add(thing('new', 'n1'));
      world.source.modify(thing('thing-7', 'n2'));
      world.source.delete({ namespace: 'ns-1', name: 'thing-8' });
      await world.settle();
      expect(notified.splice(0)).to.deep.equal([
        '+new n1',
        '~thing-7 node-7 n2',
        '-thing-8 node-8',
      ]);

      world.source.pause();
      world.source.modify(thing('thing-9', 'n3'));
      world.source.delete({ namespace: 'ns-2', name: 'thing-10' });
      world.source.dropConnections();
      world.source.compact();
      world.source.resume();
      await world.runtime.advance(60_000);
      expect(notified.splice(0).toSorted()).to.deep.equal([
        '-thing-10 node-0',
        '~thing-9 node-9 n3',
      ]);
      world.expectSame();

      world.informer.addHandler(log);
      await world.settle();
      expect(notified.splice(0).toSorted()).to.deep.equal(
        world.source.objects
          .map(({ metadata, spec }) => `+${metadata.name} ${spec.node}`)
          .toSorted(),
      );
      await world.stop();
      world.expectSame();
    });

    it('delivers keys, while removed objects can be read as far as another handler may read them', async () => {
      const world = new World(variant, many(50));
      const keys: string[] = [];
      const kept: ObjectMetadata[] = [];
      world.informer.addHandler({
        view: 'key',
        onAdd: ({ key, initial }) => void keys.push(`+${key} ${initial}`),
        onUpdate: ({ key, resync }) => void keys.push(`~${key} ${resync}`),
        onDelete: ({ key, finalStateUnknown }) => void keys.push(`-${key} ${finalStateUnknown}`),
      });
      await world.start();
      expect(keys.splice(0)).to.have.length(50);
      const change = async (round: number): Promise<void> => {
        for (const object of many(20)) {
          world.source.modify({ ...object, spec: { node: `node-${round}` } });
        }
        await world.settle();
      };
      await change(1);
      expect(keys.splice(0)).to.have.length(20);
      world.informer.addHandler({
        view: 'metadata',
        onAdd: (added) => void kept.push(added),
        onUpdate: (old, updated) => void kept.push(old, updated),
      });
      for (const round of [2, 3, 4]) await change(round);
      world.source.delete({ namespace: 'ns-1', name: 'thing-0' });
      await world.settle();
      expect(keys.splice(0).at(-1)).to.equal('-ns-1/thing-0 false');
      expect(kept).to.have.length(50 + 3 * 20 * 2);
      for (const { key, metadata } of kept) {
        expect(`${metadata.namespace}/${metadata.name}`).to.equal(key);
        expect(metadata.labels).to.have.property('group');
      }
      world.expectSame();
      await world.stop();
    });

    it('lets a handler of keys write its event to a log, also long after the object was removed', async () => {
      const world = new World(variant, many(5));
      const notified: (AddInfo | UpdateInfo | DeleteInfo)[] = [];
      const keep = (info: AddInfo | UpdateInfo | DeleteInfo): void => void notified.push(info);
      world.informer.addHandler({ view: 'key', onAdd: keep, onUpdate: keep, onDelete: keep });
      await world.start();
      for (const round of [1, 2]) {
        for (const object of many(5)) {
          world.source.modify({ ...object, spec: { node: `node-${round}` } });
        }
        await world.settle();
      }
      for (const { metadata } of many(5)) {
        world.source.delete({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' });
      }
      await world.settle();
      expect(notified).to.have.length(20);
      for (const info of notified) {
        expect(JSON.parse(JSON.stringify(info))).to.include({ key: info.key, origin: 'other' });
      }
      await world.stop();
    });

    it('is read by key, index, namespace, labels and metadata', async () => {
      const world = new World(variant, many(400));
      await world.start();
      const { lister, indexer } = world.informer;
      const [first] = world.source.objects as [Thing];
      const { namespace = '', name = '' } = first.metadata;
      const key = `${namespace}/${name}`;
      expect(indexer.get(key)).to.deep.equal(world.shown(first));
      expect(lister.namespace(namespace).get(name)).to.deep.equal(world.shown(first));
      expect(indexer.metadata(key)).to.deep.equal(first.metadata);
      expect(indexer.metadata('none')).to.equal(undefined);
      expect(indexer.lazy.get(key)?.object).to.deep.equal(world.shown(first));
      expect(indexer.byIndex('byNode', 'node-3')).to.have.length(40);
      expect(
        indexer.lazy.byIndex('byNode', 'node-3').map(({ metadata }) => metadata.name),
      ).to.include('thing-3');
      const labelled = lister.list({ labels: 'group=g1', view: 'metadata' });
      expect(labelled).to.have.length(100);
      expect(labelled.every(({ labels }) => labels?.['group'] === 'g1')).to.equal(true);
      expect(lister.list({ labels: 'group=g1', namespace: 'ns-0' }).length).to.equal(
        lister.namespace('ns-0').list({ labels: 'group=g1', view: 'metadata' }).length,
      );
      if (freeze) {
        const object = indexer.get(key) as { spec: { node: string } };
        expect(() => {
          object.spec.node = 'other';
        }).to.throw(TypeError);
      }
      await world.stop();
    });

    it('releases no memory that a reader still uses', async () => {
      const world = new World(variant, many(300));
      const held: { lazy: LazyObject<Thing>; node: string }[] = [];
      const nodes = new Map<string, string>();
      const keep = (lazy: LazyObject<Thing>): void => {
        const name = lazy.metadata.name as string;
        held.push({ lazy, node: nodes.get(name) ?? `node-${Number(name.slice(6)) % 10}` });
      };
      world.informer.addHandler({
        view: 'lazy',
        onAdd: keep,
        onUpdate: (_, updated) => keep(updated),
        onDelete: keep,
      });
      await world.start();
      for (let round = 0; round < 10; round += 1) {
        for (let index = round; index < 300; index += 3) {
          nodes.set(`thing-${index}`, `n-${round}`);
          world.source.modify(thing(`thing-${index}`, `n-${round}`));
        }
        await world.settle();
      }
      expect(held.length).to.be.above(1000);
      for (const { lazy, node } of held) {
        expect(lazy.object.spec.node).to.equal(node);
        expect(lazy.metadata.uid).to.equal(`uid-${lazy.object.metadata.name}`);
      }
      await world.stop();
    });

    it('shows own writes at once', async () => {
      const world = new World(variant, many(20));
      await world.start();
      const { informer } = world;
      const written = thing('own', 'n9');
      world.source.pause();
      informer.written({ ...written, metadata: { ...written.metadata, resourceVersion: '1000' } });
      informer.deleted({ key: 'ns-1/thing-1', uid: 'uid-thing-1', resourceVersion: '1001' });
      const shown = informer.indexer.get('ns-0/own') as Thing;
      expect(shown.spec.node).to.equal('n9');
      expect('data' in shown).to.equal(!projected);
      expect(informer.indexer.byIndex('byNode', 'n9')).to.deep.equal([shown]);
      expect(informer.indexer.get('ns-1/thing-1')).to.equal(undefined);
      await world.stop();
    });

    it('keeps every letter, key and size', async () => {
      const text = `{"__proto__":{"polluted":1},"data":{"😀":"\\u0000 \\"✓\\" \\ud800","huge":"${'ä'.repeat(1_000_000)}"}}`;
      const odd = { ...thing('odd', 'Knoten ✓'), ...(JSON.parse(text) as object) } as Thing;
      const world = new World(variant, [odd, ...many(500)]);
      await world.start();
      const shown = world.informer.indexer.get('ns-0/odd') as Thing;
      const there = world.source.objects.find(({ metadata }) => metadata.name === 'odd') as Thing;
      expect(shown).to.deep.equal(world.shown(there));
      expect(Object.hasOwn(shown, '__proto__')).to.equal(
        Object.hasOwn(world.shown(there) as Thing, '__proto__'),
      );
      expect(({} as { polluted?: number }).polluted).to.equal(undefined);
      await world.stop();
    });

    const operations = freeze || projected ? 1000 : 10_000;
    it(`equals its source after ${operations} changes at random`, async () => {
      const world = new World(variant, many(200));
      const there = new Set(many(200).map(({ metadata }) => metadata.name as string));
      const random = seededRandom(title);
      const below = (end: number): number => Math.floor(random() * end);
      const { informer, source } = world;
      world.informer.addHandler({
        view: 'metadata',
        onUpdate: (old, { metadata }) => [old.metadata, metadata],
      });
      await world.start();
      for (let operation = 0; operation < operations; operation += 1) {
        const name = `thing-${below(300)}`;
        const object = thing(name, `node-${below(20)}`, { operation: String(operation) });
        const { namespace = '' } = object.metadata;
        if (!there.has(name)) {
          source.add(object);
          there.add(name);
        } else if (below(4) === 0) {
          source.delete({ namespace, name });
          there.delete(name);
        } else source.modify(object);
        if (below(50) === 0) await world.settle();
        if (below(10) === 0) {
          const node = `node-${below(20)}`;
          for (const { spec } of informer.indexer.byIndex('byNode', node))
            expect(spec.node).to.equal(node);
        }
      }
      await world.settle();
      world.expectSame();
      const { memory } = informer.inspect();
      expect(memory.mode).to.equal(mode);
      expect(memory.liveBytes).to.be.at.most(memory.slabBytes);
      if (mode !== 'objects') expect(memory.decodedBytes).to.be.at.most(64 * 1024);
      await world.stop();
    });
  });
}
