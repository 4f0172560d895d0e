import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/virtual-runtime.ts';
import { identityOf } from '../../../lib/meta/object-view.ts';
import { CompressedKeeper } from '../../../lib/cache/memory/compressed-keeper.ts';
import { podOf, viewOf, viewOfText } from './kept-views.ts';

const MEGABYTE = 1024 * 1024;
const BUDGET = MEGABYTE;

function keeperOf(runtime: VirtualRuntime): CompressedKeeper {
  return new CompressedKeeper({ decodedBytes: BUDGET, runtime });
}

describe('CompressedKeeper', () => {
  it('compresses in the background, and gives what came in', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const views = Array.from({ length: 2000 }, (_, index) => viewOf(podOf(index, 1, 500)));
    for (const view of views) keeper.keep(view);
    const before = keeper.inspect();
    expect(before.compressionRatio).to.equal(undefined);
    await runtime.settle();
    const after = keeper.inspect();
    expect(after.uncompressedBytes).to.be.below(0.6 * MEGABYTE);
    expect(after.compressionRatio).to.be.above(3);
    expect(after.liveBytes).to.be.below(before.liveBytes / 2);
    for (const [index, view] of views.entries()) {
      expect(view.object).to.deep.equal(podOf(index, 1, 500));
      expect(view.metadata).to.deep.equal(podOf(index).metadata);
      const { uid, resourceVersion } = podOf(index).metadata ?? {};
      expect(identityOf(view)).to.include({ uid, resourceVersion });
    }
  });

  it('keeps nothing compressed in a small cache, and queues no work for it', () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    for (let index = 0; index < 100; index += 1) keeper.keep(viewOf(podOf(index)));
    expect(runtime.pending).to.equal(0);
    expect(keeper.inspect().slabBytes).to.be.below(100_000);
  });

  it('takes a few milliseconds of the event loop at a time', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    for (let index = 0; index < 2000; index += 1) keeper.keep(viewOf(podOf(index, 1, 500)));
    const { uncompressedBytes = 0 } = keeper.inspect();
    expect(runtime.pending).to.equal(1);
    let tasks = 0;
    const count = (): void => {
      tasks += 1;
      if (runtime.pending > 0) runtime.queueTask(count);
    };
    runtime.queueTask(count);
    await runtime.settle();
    expect(tasks).to.be.above(uncompressedBytes / (256 * 1024));
  });

  it('holds the source back while too much waits, and until half of it is done', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    let index = 0;
    let most = 0;
    let waits = 0;
    await runtime.run(async () => {
      for (; index < 400; index += 1) {
        keeper.keep(viewOf(podOf(index, 1, 100_000)));
        const room = keeper.waitForRoom();
        most = Math.max(most, keeper.inspect().uncompressedBytes ?? 0);
        if (room === undefined) continue;
        waits += 1;
        await room;
        expect(keeper.waitForRoom()).to.equal(undefined);
      }
    });
    expect(waits).to.be.above(2);
    expect(most).to.be.within(12 * MEGABYTE, 17 * MEGABYTE);
  });

  it('lets go of who waits for room, and of its work, when it is closed', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const views = Array.from({ length: 20 }, (_, index) => viewOf(podOf(index, 1, MEGABYTE)));
    for (const view of views) keeper.keep(view);
    const room = keeper.waitForRoom();
    expect(room).to.be.instanceOf(Promise);
    const { uncompressedBytes } = keeper.inspect();
    keeper.close();
    keeper.close();
    await runtime.run(room as Promise<void>);
    expect(runtime.pending).to.equal(0);
    expect(keeper.inspect().uncompressedBytes).to.equal(uncompressedBytes);
    expect(keeper.waitForRoom()).to.equal(undefined);
    for (const [index, view] of views.entries()) {
      expect(view.object).to.deep.equal(podOf(index, 1, MEGABYTE));
    }
  });

  it('compresses huge objects that are alone', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const view = viewOf(podOf(1, 1, 5 * MEGABYTE));
    keeper.keep(view);
    await runtime.settle();
    expect(keeper.inspect().slabBytes).to.be.below(MEGABYTE);
    expect(view.object).to.deep.equal(podOf(1, 1, 5 * MEGABYTE));
  });

  it('gives what has left, was decoded and comes back, though its JSON is written differently now', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const view = viewOfText(JSON.stringify(podOf(1), null, 2));
    keeper.keep(view);
    expect(view.object).to.deep.equal(podOf(1));
    keeper.release(view);
    keeper.keep(view);
    for (let index = 2; index < 4000; index += 1) keeper.keep(viewOf(podOf(index, 1, 500)));
    await runtime.settle();
    expect(keeper.inspect().compressionRatio).to.be.above(1);
    expect(view.object).to.deep.equal(podOf(1));
    expect(view.metadata).to.deep.equal(podOf(1).metadata);
    keeper.release(view);
    expect(view.object).to.deep.equal(podOf(1));
  });

  it('lets a view be read that was released before, while and after it was compressed', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const keepMany = (version: number): ReturnType<typeof viewOf>[] => {
      const made = Array.from({ length: 3000 }, (_, index) => viewOf(podOf(index, version, 1500)));
      for (const view of made) keeper.keep(view);
      return made;
    };
    const views = keepMany(1);
    for (const view of views.slice(1500)) keeper.release(view);
    // They must not get the memory of those.
    const others = keepMany(2);
    let turns = 0;
    runtime.queueTask(function midway(): void {
      turns += 1;
      if (turns < 3) runtime.queueTask(midway);
      else for (const view of views.slice(500, 1000)) keeper.release(view);
    });
    await runtime.settle();
    for (const view of views) keeper.release(view);
    for (const [index, view] of [...views, ...others].entries()) {
      const pod = podOf(index % 3000, index < 3000 ? 1 : 2, 1500);
      expect(view.uid).to.equal(pod.metadata?.uid);
      expect(view.resourceVersion).to.equal(pod.metadata?.resourceVersion);
      expect(view.object).to.deep.equal(pod);
    }
    for (const view of others) keeper.release(view);
    expect(keeper.inspect()).to.include({ liveBytes: 0, uncompressedBytes: 0 });
  });

  it('learns a new dictionary when what comes has nothing to do with the old one', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const noise = (index: number, length: number): string => {
      let [text, state] = ['', index + 1];
      while (text.length < length) {
        state = Math.imul(state, 0x5bd1e995) ^ (state >>> 13);
        text += (state >>> 0).toString(36);
      }
      return text;
    };
    const configOf = (index: number): object => ({
      kind: 'ConfigMap',
      metadata: { name: `config-${index}`, uid: `u-${index}`, resourceVersion: '1' },
      data: Object.fromEntries(
        Array.from({ length: 10 }, (_, field) => [noise(field, 30), noise(field * 7, 30)]),
      ),
    });
    const views = Array.from({ length: 5000 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) keeper.keep(view);
    await runtime.settle();
    for (const view of views) keeper.release(view);
    const configs = Array.from({ length: 5000 }, (_, index) => viewOf(configOf(index)));
    for (const view of configs) keeper.keep(view);
    await runtime.settle();
    expect(keeper.inspect().compressionRatio).to.be.above(4);
    for (const [index, view] of configs.entries()) {
      expect(view.object).to.deep.equal(configOf(index));
    }
  });

  it('keeps __proto__ a key and every letter what it is', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const text = (index: number): string =>
      `{"__proto__":{"a":1},"metadata":{"name":"n${index}","uid":"u${index}","resourceVersion":"1"},"text":"Größe ✓ 😀 \\ud83d\\u0000\\n","n":1e400}`;
    const views = Array.from({ length: 3000 }, (_, index) => viewOfText(text(index)));
    for (const view of views) keeper.keep(view);
    await runtime.settle();
    for (const [index, view] of views.entries()) {
      expect(view.object).to.deep.equal(JSON.parse(text(index)));
      expect(Object.hasOwn(view.object, '__proto__')).to.equal(true);
    }
  });

  it('lets go of everything in one step without moving any of it', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const views = Array.from({ length: 5000 }, (_, index) => viewOf(podOf(index, 1, 500)));
    for (const view of views) keeper.keep(view);
    await runtime.settle();
    const places = views.map(({ source, start }) => [source.bytes, start] as const);
    for (const view of views) keeper.release(view);
    expect(runtime.pending).to.be.at.most(1);
    expect(keeper.inspect()).to.include({ liveBytes: 0, uncompressedBytes: 0 });
    await runtime.settle();
    for (const [index, view] of views.entries()) {
      expect([view.source.bytes, view.start]).to.deep.equal(places[index]);
    }
    expect(runtime.pending).to.equal(0);
  });

  it('moves in the background what is left between what was released', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const views = Array.from({ length: 20_000 }, (_, index) => viewOf(podOf(index)));
    for (const view of views) keeper.keep(view);
    await runtime.settle();
    for (const [index, view] of views.entries()) if (index % 10 !== 0) keeper.release(view);
    const before = keeper.inspect().slabBytes;
    expect(runtime.pending).to.equal(1);
    await runtime.settle();
    const { slabBytes, liveBytes, uncompressedBytes = 0 } = keeper.inspect();
    expect(slabBytes).to.be.below(before);
    expect(slabBytes).to.be.below(2 * (liveBytes - uncompressedBytes) + 2 * MEGABYTE);
    for (const [index, view] of views.entries()) expect(view.object).to.deep.equal(podOf(index));
  });

  it('tells what compressing itself takes', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    expect(keeper.inspect().compressorBytes).to.equal(0);
    const views = Array.from({ length: 2000 }, (_, index) => viewOf(podOf(index, 1, 500)));
    for (const view of views) keeper.keep(view);
    await runtime.settle();
    expect(keeper.inspect().compressorBytes).to.be.within(250_000, 500_000);
  });

  it('drops decoded objects of compressed views beyond its budget', async () => {
    const runtime = new VirtualRuntime();
    const keeper = keeperOf(runtime);
    const views = Array.from({ length: 3000 }, (_, index) => viewOf(podOf(index, 1, 500)));
    for (const view of views) keeper.keep(view);
    await runtime.settle();
    for (const view of views) void view.object;
    expect(views.filter(({ held }) => held !== undefined).length).to.be.below(100);
    expect(keeper.inspect().decodedBytes).to.be.below(BUDGET);
  });
});
