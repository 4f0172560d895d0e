import { expect } from 'chai';
import type { DeltaOrder } from '../../../lib/cache/delta/delta-fifo.ts';
import { ErrorReporter } from '../../../lib/cache/informer/observe/error-reporter.ts';
import {
  resolveInformerOptions,
  type ResolvedInformerOptions,
} from '../../../lib/cache/informer/options/informer-options.ts';
import type { Notification } from '../../../lib/cache/informer/handlers/notification.ts';
import { Collection } from '../../../lib/cache/collection/collection.ts';
import type { CollectionUser } from '../../../lib/cache/collection/collection-user.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { DecodedView, type ObjectView } from '../../../lib/meta/object-view.ts';
import type { ObjectMemory } from '../../../lib/cache/memory/object-memory.ts';
import { silentMetrics } from '../../../lib/kernel/report/metrics.ts';
import { pod, type Pod } from '../support/objects.ts';
import { RecordingMemory } from '../support/recording-memory.ts';

/** Objects that may be looked at in one task: those of one slice, and a few. */
const MOST_AT_ONCE = 5500;
const MANY = 20_000;

type View = ObjectView<Pod>;

const never = (): Promise<never> => new Promise(() => {});

/** The object with this number, which many are of. */
function numbered(index: number, resourceVersion: string): View {
  return new DecodedView(pod(`ns${index % 7}/p${index}`, { resourceVersion, uid: `u${index}` }));
}

function many(versionOf: (index: number) => string, count: number = MANY): View[] {
  return Array.from({ length: count }, (_, index) => numbered(index, versionOf(index)));
}

/** The observations after one task. */
interface Seen {
  readonly resourceVersion: string;
  readonly size: number;
  readonly newestIndexed: number;
  /** Runs of the index function in this task. */
  readonly indexed: number;
  /** Objects that the memory had to release in this task. */
  readonly released: number;
  readonly notified: number;
}

/** A pipeline in virtual time, and what is to be seen of it from task to task. */
class Bench {
  readonly runtime = new VirtualRuntime();
  readonly memory = new RecordingMemory<View>();
  readonly pipeline: Collection<Pod>;
  readonly batches: (readonly Notification<View>[])[] = [];
  readonly abort = new AbortController();
  readonly errors: unknown[] = [];
  indexed = 0;
  synced = 0;
  #running: Promise<void>;

  constructor(order?: DeltaOrder) {
    const { runtime, memory } = this;
    const options = resolveInformerOptions<Pod>({
      freeze: false,
      // The spec writes to the sink in place of a source.
      listerWatcher: { description: 'pods', list: never, watch: never },
      cache: { mode: 'own', memory: memory as unknown as ObjectMemory },
      runtime,
      order,
      indexers: {
        byVersion: ({ metadata }) => {
          this.indexed += 1;
          return [metadata.resourceVersion];
        },
      },
      onError: (error) => this.errors.push(error),
    });
    const { logger, onError } = options;
    this.pipeline = new Collection<Pod>({
      options: options as unknown as ResolvedInformerOptions<Pod>,
      errors: new ErrorReporter({ informer: 'pods', logger, onError }),
      metrics: silentMetrics,
    });
    const user: CollectionUser<Pod> = {
      name: 'spec',
      resyncIntervalMs: 0,
      resyncDue: () => false,
      changed: (batches) => {
        for (const { notifications } of batches) this.batches.push(notifications);
      },
      hasBacklog: () => false,
      synced: () => {
        this.synced += 1;
      },
      bookmark: () => {},
      watchError: () => {},
      transitions: () => () => {},
      applied: () => {},
    };
    this.#running = this.pipeline.run(user, this.abort.signal);
  }

  relist(items: readonly View[], resourceVersion: string): void {
    const relist = this.pipeline.sink.beginRelist();
    for (let from = 0; from < items.length; from += 500) relist.add(items.slice(from, from + 500));
    relist.commit(resourceVersion);
  }

  /** Everything that is ready happens, task by task; `during` is called after each. */
  async watch(during: (seen: Seen, turn: number) => void = (): void => {}): Promise<Seen[]> {
    const all: Seen[] = [];
    let [indexed, released, notified] = [this.indexed, this.memory.released.length, 0];
    const before = this.batches.length;
    const look = (): void => {
      const { store } = this.pipeline;
      const notifiedNow = this.batches.slice(before).flat().length;
      const seen: Seen = {
        resourceVersion: store.resourceVersion,
        size: store.size,
        newestIndexed: store.byIndex('byVersion', '2').length,
        indexed: this.indexed - indexed,
        released: this.memory.released.length - released,
        notified: notifiedNow - notified,
      };
      [indexed, released, notified] = [this.indexed, this.memory.released.length, notifiedNow];
      all.push(seen);
      during(seen, all.length);
      if (all.length < 60) this.runtime.queueTask(look);
    };
    this.runtime.queueTask(look);
    await this.runtime.settle();
    return all;
  }

  async end(): Promise<void> {
    this.abort.abort();
    await this.runtime.settle();
    await this.#running;
  }
}

/** The distinct states in which the store was seen, in order. */
function states(all: readonly Seen[]): string[] {
  const texts = all.map(({ resourceVersion, size, newestIndexed }) =>
    [resourceVersion, size, newestIndexed].join(' '),
  );
  return texts.filter((text, position) => text !== texts[position - 1]);
}

describe('a large relist', () => {
  it('is built in slices when it is the first, and seen whole or not at all', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '2'),
      '2',
    );
    const seen = await bench.watch();
    expect(states(seen)).to.deep.equal([' 0 0', `2 ${MANY} ${MANY}`]);
    expect(Math.max(...seen.map(({ indexed }) => indexed))).to.be.within(1, MOST_AT_ONCE);
    expect(bench.indexed).to.equal(MANY);
    expect(bench.batches.map((batch) => batch.length)).to.deep.equal([MANY]);
    expect(seen.filter(({ notified }) => notified > 0)).to.have.length(1);
    expect(bench.synced).to.equal(1);
    expect([...bench.memory.retained]).to.have.lengthOf(MANY);
    await bench.end();
  });

  it('is built in slices when most of it has changed, and releases the old state in slices', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '1', MANY + 100),
      '1',
    );
    await bench.watch();
    const list = bench.pipeline.store.list();
    bench.relist(
      many((index) => (index % 3 === 0 ? '1' : '2')),
      '2',
    );
    const changed = MANY - Math.ceil(MANY / 3);
    const seen = await bench.watch(({ resourceVersion }) => {
      if (resourceVersion === '1') expect(bench.pipeline.store.list()).to.equal(list);
    });
    expect(states(seen)).to.deep.equal([`1 ${MANY + 100} 0`, `2 ${MANY} ${changed}`]);
    expect(Math.max(...seen.map(({ indexed }) => indexed))).to.be.within(1, MOST_AT_ONCE);
    expect(Math.max(...seen.map(({ released }) => released))).to.be.within(1, MOST_AT_ONCE);
    expect(bench.indexed).to.equal(MANY + 100 + changed);
    const notified = bench.batches[1]!.map(({ type }) => type);
    expect(notified.slice(0, 100)).to.deep.equal(Array.from({ length: 100 }, () => 'delete'));
    expect(notified.slice(100)).to.deep.equal(Array.from({ length: changed }, () => 'update'));
    expect([...bench.memory.retained]).to.have.members([...bench.pipeline.store.list()]);
    await bench.end();
  });

  it('is applied in place when little has changed, with index functions run before', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '1'),
      '1',
    );
    await bench.watch();
    const kept = bench.memory.retains;
    bench.relist(
      many((index) => (index % 20 === 0 ? '2' : '1')),
      '2',
    );
    const changed = MANY / 20;
    const seen = await bench.watch();
    expect(states(seen)).to.deep.equal([`1 ${MANY} 0`, `2 ${MANY} ${changed}`]);
    expect(bench.indexed).to.equal(MANY + changed);
    expect(bench.memory.retains - kept).to.be.below(3 * changed);
    expect(bench.batches.map((batch) => batch.length)).to.deep.equal([MANY, changed]);
    expect([...bench.memory.retained]).to.have.members([...bench.pipeline.store.list()]);
    await bench.end();
  });

  it('comes after the events before it and before those behind it', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '1'),
      '1',
    );
    bench.pipeline.sink.apply([{ type: 'MODIFIED', object: numbered(0, '2') }]);
    await bench.watch();
    bench.pipeline.sink.apply([{ type: 'MODIFIED', object: numbered(1, '3') }]);
    bench.relist(
      many((index) => (index < 2 ? '4' : '2')),
      '4',
    );
    bench.pipeline.sink.apply([{ type: 'DELETED', object: numbered(0, '5') }]);
    await bench.watch();
    const of = bench.batches.flat().filter(({ key }) => key === 'ns0/p0' || key === 'ns1/p1');
    expect(
      of.map(({ type, key, object }) => `${type} ${key} ${object.metadata.resourceVersion}`),
    ).to.deep.equal([
      'add ns0/p0 1',
      'add ns1/p1 1',
      'update ns0/p0 2',
      'update ns1/p1 3',
      'update ns0/p0 4',
      'update ns1/p1 4',
      'delete ns0/p0 5',
    ]);
    expect(bench.pipeline.store.resourceVersion).to.equal('5');
    await bench.end();
  });

  it('takes what own writes lay over it meanwhile', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '1'),
      '1',
    );
    await bench.watch();
    bench.relist(
      many(() => '2'),
      '2',
    );
    const { pipeline } = bench;
    const shown: string[] = [];
    await bench.watch(({ resourceVersion }, turn) => {
      if (turn === 2) {
        expect(resourceVersion).to.equal('1');
        pipeline.overlay.written(numbered(3, '9').object);
        pipeline.overlay.written(numbered(4, '2').object);
        pipeline.overlay.deleted({ key: 'ns5/p5', uid: 'u5', resourceVersion: '8' });
      }
      const read = ['ns3/p3', 'ns4/p4', 'ns5/p5'].map(
        (key) => pipeline.overlay.get(key)?.metadata.resourceVersion ?? '-',
      );
      if (read.join(' ') !== shown.at(-1)) shown.push(read.join(' '));
    });
    expect(shown).to.deep.equal(['1 1 1', '9 2 -']);
    expect(pipeline.overlay.inspect().pending).to.equal(2);
    pipeline.sink.bookmark('10');
    await bench.watch();
    expect(pipeline.overlay.inspect().pending).to.equal(0);
    expect(pipeline.overlay.get('ns5/p5')?.metadata.resourceVersion).to.equal('2');
    await bench.end();
  });

  it('gets the indexes that come and go while it is built', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '2'),
      '2',
    );
    const { overlay, store } = bench.pipeline;
    await bench.watch((_, turn) => {
      if (turn !== 2) return;
      expect(store.size).to.equal(0);
      overlay.addIndexers({ byUid: ({ metadata }) => [metadata.uid!] });
      overlay.removeIndexers(['namespace']);
    });
    expect(overlay.indexNames).to.deep.equal(['byVersion', 'byUid']);
    expect(overlay.indexKeys('byUid', 'u8')).to.deep.equal(['ns1/p8']);
    expect(overlay.byIndex('byVersion', '2')).to.have.length(MANY);
    await bench.end();
  });

  it('comes to nothing when the informer stops before it is complete', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '2'),
      '2',
    );
    const seen = await bench.watch((_, turn) => {
      if (turn === 2) bench.abort.abort();
    });
    expect(states(seen)).to.deep.equal([' 0 0']);
    expect(bench.batches).to.have.length(0);
    expect(bench.synced).to.equal(0);
    await bench.end();
  });

  it('is applied in one step after all when working it out has failed', async () => {
    const bench = new Bench();
    bench.relist(
      many(() => '1'),
      '1',
    );
    await bench.watch();
    const retain = bench.memory.retain.bind(bench.memory);
    let failures = 1;
    bench.relist(
      many(() => '2'),
      '2',
    );
    bench.memory.retain = (object): typeof object => {
      if (bench.memory.retains > 45_000 && failures > 0) {
        failures -= 1;
        throw new Error('no memory');
      }
      return retain(object);
    };
    await bench.watch();
    expect(failures).to.equal(0);
    expect(bench.errors).to.deep.equal([]);
    expect(bench.pipeline.store.size).to.equal(MANY);
    expect([...bench.memory.retained]).to.have.members([...bench.pipeline.store.list()]);
    expect(bench.pipeline.store.resourceVersion).to.equal('2');
    expect(bench.batches.map((batch) => batch.length)).to.deep.equal([MANY, MANY]);
    await bench.end();
  });

  it('comes in pieces when changes are ordered by key, too', async () => {
    const bench = new Bench('key');
    const { memory, pipeline } = bench;
    const [first, second] = [numbered(0, '1'), numbered(1, '1')];
    const relist = pipeline.sink.beginRelist();
    relist.add([first]);
    relist.add([second]);
    expect([...memory.retained]).to.deep.equal([first, second]);
    await bench.watch();
    expect(pipeline.store.size).to.equal(0);
    relist.commit('1');
    await bench.watch();
    expect(pipeline.store.list()).to.deep.equal([first, second]);
    bench.relist([numbered(1, '1')], '2');
    await bench.watch();
    expect(pipeline.store.list()).to.deep.equal([second]);
    expect([...memory.retained]).to.deep.equal([second]);
    await bench.end();
  });
});
