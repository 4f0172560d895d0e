import { expect } from 'chai';
import type { CacheOptions } from '../../../lib/cache/memory/cache-options.ts';
import {
  type ListerWatcher,
  type ListPage,
  type ListRequest,
  type WatchRequest,
  type WatchStream,
  isProbe,
} from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { deferred } from '../../../lib/kernel/time/latch.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { ObjectView } from '../../../lib/meta/object-view.ts';
import type { WatchEvent } from '../../../lib/meta/watch-event.ts';
import { replay } from '../../../lib/recorder/replay/replay.ts';
import { record, type Recording } from '../../../lib/recorder/source-recording.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../../cache/support/bytes-source.ts';
import { pod, type Pod } from '../../cache/support/objects.ts';
import { asFile, MemoryFiles } from '../support/memory-files.ts';
import { byName, play, Recorded } from '../support/recorded-informer.ts';

type State = Record<string, Pod>;

/** Changes at random, many of them without a pause, and the state at each version. */
class Changes {
  readonly #recorded: Recorded;
  readonly #random: () => number;
  readonly states = new Map<string, State>();
  #count = 0;

  constructor(recorded: Recorded, seed: number) {
    this.#recorded = recorded;
    this.#random = seededRandom(seed);
    this.#note();
  }

  async burst(): Promise<void> {
    const { runtime } = this.#recorded;
    // Now and then more than the ring holds.
    const most = this.#below(10) === 0 ? 600 : 20;
    for (let left = 1 + this.#below(most); left > 0; left -= 1) this.#change();
    await runtime.settle();
  }

  /** Changes that no watch brings. */
  async relist(): Promise<void> {
    const { pods, runtime } = this.#recorded;
    pods.pause();
    for (let left = 1 + this.#below(10); left > 0; left -= 1) this.#change();
    pods.dropConnections();
    pods.compact();
    pods.resume();
    await runtime.advance(60_000);
  }

  #change(): void {
    const { pods } = this.#recorded;
    // A few objects change often, so that several of their changes come together.
    const name = `pod-${this.#below(this.#below(3) === 0 ? 30 : 3)}`;
    const isPresent = pods.objects.some(({ metadata }) => metadata.name === name);
    this.#count += 1;
    const object = pod(name, { annotations: { a: `${this.#count} `.repeat(30) } });
    if (!isPresent) pods.add(object);
    else if (this.#below(5) === 0) pods.delete({ namespace: 'shop', name });
    else pods.modify(object);
    this.#note();
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #note(): void {
    const { pods } = this.#recorded;
    this.states.set(pods.resourceVersion, byName(pods.objects));
  }
}

/** The state that a recording of the last minutes begins with. */
async function firstState(path: string): Promise<{ version: string | undefined; state: State }> {
  const runtime = new VirtualRuntime();
  const source = await replay<Pod>(path, { runtime, speed: 'step' });
  const first = source.list({});
  await runtime.run(source.step());
  const { items } = await runtime.run(first);
  return { version: source.header.keptFrom, state: byName(items.map(({ object }) => object)) };
}

/** A relist notifies deletions in the order of the store, which a replay fills in another order. */
function inOrder(log: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let missed: string[] = [];
  for (const line of [...log, '']) {
    if (/^-.*!$/.test(line)) missed.push(line);
    else {
      lines.push(...missed.toSorted(), line);
      missed = [];
    }
  }
  return lines;
}

describe('RecordingRing', () => {
  const caches: Record<string, CacheOptions> = {
    'of bytes': 'bytes',
    'of objects': 'objects',
    'of bytes without a budget for objects': { mode: 'bytes', decodedBytes: 0 },
  };
  for (const [name, cache] of Object.entries(caches)) {
    for (const watchList of [true, false]) {
      it(`has the state before its oldest record, whatever came together, in a cache ${name}${watchList ? ' that is filled by a stream' : ''}`, async () => {
        for (let seed = 1; seed <= 4; seed += 1) await states(seed, cache, watchList);
      });
    }
  }

  it('has it of objects that come decoded, which are copied', async () => {
    for (let seed = 1; seed <= 4; seed += 1) await states(seed, 'objects', true, 'decoded');
  });

  async function states(
    seed: number,
    cache: CacheOptions,
    watchList: boolean,
    comes: 'as bytes' | 'decoded' = 'as bytes',
  ): Promise<void> {
    const reads = seed % 2 === 0 ? 'metadata' : 'object';
    const recorded = new Recorded({ watchList, cache }, 20, reads, comes);
    const recording = await recorded.record({ keepMinutes: 60, maxBytes: 65_536 });
    await recorded.start();
    const changes = new Changes(recorded, seed);
    let begun = 0;
    for (let round = 0; round < 60; round += 1) {
      await changes.burst();
      if (round % 7 === 3) await changes.relist();
      if (round % 7 === 4) await changes.burst();
      expect(recording.inspect().bytes).to.be.at.most(65_536);
      if (round % 6 !== 5) continue;
      await recorded.runtime.run(recording.dump('incident.listwatch'));
      await asFile(recorded.files.bytes('incident.listwatch'), async (path) => {
        const what = `seed ${seed}, round ${round}`;
        const { version, state } = await firstState(path);
        if (version !== undefined) {
          expect(state, what).to.deep.equal(changes.states.get(version));
          begun += 1;
        }
        const { log, objects } = await play(path);
        const later = log.slice(Object.keys(state).length);
        const live = recorded.log.slice(recorded.log.length - later.length);
        expect(inOrder(later), what).to.deep.equal(inOrder(live));
        expect(byName(objects), what).to.deep.equal(byName(recorded.pods.objects));
      });
    }
    expect(begun, 'dumps that begin in the middle').to.be.above(5);
    await recorded.stop();
    await recording.close();
  }

  it('copies what the cache does not take: a state that it has already', async () => {
    const recorded = new Recorded({ watchList: false }, 400);
    const recording = await recorded.record({ keepMinutes: 60 });
    await recorded.start();
    const { bytes } = recording.inspect();
    const { pods, runtime } = recorded;
    pods.pause();
    pods.add(pod('unseen'));
    pods.dropConnections();
    pods.compact();
    pods.resume();
    await runtime.advance(60_000);
    pods.add(pod('late'));
    await runtime.settle();
    expect(recording.inspect().bytes - bytes).to.be.above(400 * 200);
    await runtime.run(recording.dump('incident.listwatch'));
    await asFile(recorded.files.bytes('incident.listwatch'), async (path) => {
      const { objects, log } = await play(path);
      expect(log).to.deep.equal(recorded.log);
      expect(byName(objects)).to.deep.equal(byName(recorded.pods.objects));
    });
    await recorded.stop();
    await recording.close();
  });

  it('counts what it has copied until no record needs it: nothing when all are too old', async () => {
    const recorded = new Recorded({ watchList: false }, 10, 'object', 'decoded');
    const recording = await recorded.record({ keepMinutes: 1 });
    await recorded.start();
    const changes = new Changes(recorded, 3);
    for (let round = 0; round < 10; round += 1) await changes.burst();
    const { runtime, pods } = recorded;
    const full = recording.inspect().bytes;
    expect(full).to.be.above(10_000);
    // Two batches without a backlog, by which older states are no longer asked for.
    for (const name of ['one', 'two', 'three']) {
      await runtime.advance(61_000);
      pods.add(pod(name));
      await runtime.settle();
    }
    const { bytes, records } = recording.inspect();
    expect(records).to.be.within(1, 3);
    await recorded.stop();
    expect(bytes).to.be.within(1, 1000);
    await runtime.advance(61_000);
    await recording.dump();
    expect(recording.inspect().records).to.equal(0);
    // The newest state of three objects may still be asked for.
    expect(recording.inspect().bytes).to.be.within(0, bytes);
    await recording.close();
    expect(recording.inspect().bytes).to.equal(0);
  });

  it('gives the memory of the cache back when it ends', async () => {
    const recorded = new Recorded({ watchList: false }, 10);
    const recording = await recorded.record({ keepMinutes: 60 });
    await recorded.start();
    const live = (): number => recorded.informer.inspect().memory.liveBytes;
    const before = live();
    const changes = new Changes(recorded, 1);
    for (let round = 0; round < 30; round += 1) await changes.burst();
    expect(live()).to.be.above(3 * before);
    await recording.close();
    for (let round = 0; round < 30; round += 1) await changes.burst();
    expect(live()).to.be.below(2 * before + 20 * 300);
    await recorded.stop();
  });
});

/** A source whose watches can be silent, but for those by which a reflector asks whether one should have brought something. */
class SilentSource implements ListerWatcher<ObjectView<Pod>> {
  readonly description = 'pods';
  readonly #pods: ScriptedListerWatcher<Pod>;
  /** Events wait for it. */
  silence: Promise<void> = Promise.resolve();

  constructor(pods: ScriptedListerWatcher<Pod>) {
    this.#pods = pods;
  }

  list(request: ListRequest): Promise<ListPage<ObjectView<Pod>>> {
    return this.#pods.list(request);
  }

  async watch(request: WatchRequest): Promise<WatchStream<ObjectView<Pod>>> {
    const stream = await this.#pods.watch(request);
    return isProbe(request) ? stream : this.#silent(stream);
  }

  async *#silent(
    stream: WatchStream<ObjectView<Pod>>,
  ): AsyncGenerator<readonly WatchEvent<ObjectView<Pod>>[], undefined> {
    for await (const batch of stream) {
      await this.silence;
      yield batch;
    }
    return undefined;
  }
}

describe('RecordingRing of a watch that a reflector doubts', () => {
  async function doubted(use: (parts: Doubted) => Promise<void>): Promise<void> {
    const runtime = new VirtualRuntime();
    const objects = [pod('first')];
    const pods = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
    const source = new SilentSource(pods);
    const listerWatcher = new BytesSource(source);
    const informer = new SharedIndexInformer<Pod>({
      listerWatcher,
      runtime,
      watchList: false,
      logger: silentLogger,
      onError: () => {},
    });
    const files = new MemoryFiles();
    const recording = await record<Pod>(informer, 'pods.listwatch', { files, keepMinutes: 0.01 });
    const running = informer.run();
    await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
    const heard = deferred<void>();
    source.silence = heard.promise;
    await runtime.advance(10_000);
    pods.add(pod('late'));
    // The probe gets the event, and it is no longer one of the last records.
    await runtime.advance(31_000);
    await use({ runtime, recording, files, informer, hear: () => heard.resolve() });
    heard.resolve();
    await runtime.run(informer.close());
    await running;
    await recording.close();
  }

  it('names in the header of a dump the version of the state that it begins with', async () => {
    await doubted(async ({ runtime, recording, files }) => {
      await runtime.run(recording.dump());
      await asFile(files.bytes('pods.listwatch'), async (path) => {
        const { version, state } = await firstState(path);
        expect(Object.keys(state)).to.deep.equal(['first']);
        expect(version).to.equal(state['first']?.metadata.resourceVersion);
      });
    });
  });

  it('goes on with the watch that it has, and not with that of the probe', async () => {
    await doubted(async ({ runtime, recording, files, informer, hear }) => {
      hear();
      await runtime.settle();
      expect(informer.lister.list()).to.have.length(2);
      await runtime.run(recording.dump());
      await asFile(files.bytes('pods.listwatch'), async (path) => {
        const { log } = await play(path);
        expect(log).to.deep.equal(['+shop/first@1!', '+shop/late@2']);
      });
    });
  });
});

interface Doubted {
  readonly runtime: VirtualRuntime;
  readonly recording: Recording<Pod>;
  readonly files: MemoryFiles;
  readonly informer: SharedIndexInformer<Pod>;
  readonly hear: () => void;
}
