import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import type { TxnOperation, Revision } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { FRAME, FRAME_BYTES } from '../../../lib/server/mvcc/snapshot-frames.ts';
import { EmbeddedStoreHarness } from './embedded-store-harness.ts';
import { everythingOf, loadFrom, snapshotOf } from './snapshot-harness.ts';

const KEYS = ['a', 'b', 'c', 'd/é', 'd/中', '\u{1f600}', '\ue000'];

/** Writes `count` random transactions; some are compacted away. */
async function writeRandomly(
  { store, runtime }: EmbeddedStoreHarness,
  seed: number,
  count: number,
): Promise<void> {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const leases = [(await store.leaseGrant(100)).id, (await store.leaseGrant(200)).id];
  for (let write = 0; write < count; write += 1) {
    const keys = KEYS.filter(() => below(4) === 0);
    const success = keys.map((key): TxnOperation => {
      if (below(3) === 0) return { type: 'delete', key };
      const lease = below(3) === 0 ? leases[below(2)] : undefined;
      return { type: 'put', key, value: Buffer.from(`${write}`), lease };
    });
    await store.txn({ compare: [], success });
    if (below(20) > 0) continue;
    const { revision, compactedRevision } = await store.status();
    const target = compactedRevision + BigInt(below(Number(revision - compactedRevision)));
    if (target > compactedRevision) await store.compact(target);
    await runtime.settle();
  }
}

describe('a snapshot', () => {
  let harness: EmbeddedStoreHarness;
  beforeEach(() => {
    harness = new EmbeddedStoreHarness();
  });
  afterEach(async () => {
    await harness.store.close();
  });

  for (let seed = 1; seed <= 12; seed += 1) {
    it(`with history brings back every kept revision and every watch from there (seed ${seed})`, async () => {
      const { store, runtime } = harness;
      await writeRandomly(harness, seed, 10 + seed * 5);
      const bytes = await snapshotOf(store, runtime, { history: true });
      const loaded = await loadFrom(bytes, runtime);
      expect(await everythingOf(loaded, runtime)).to.deep.equal(await everythingOf(store, runtime));
      await writeRandomly(harness, seed + 100, 5);
      await loaded.close();
    });

    it(`without history brings back the present and nothing before it (seed ${seed})`, async () => {
      const { store, runtime } = harness;
      await writeRandomly(harness, seed, 10 + seed * 5);
      const loaded = await loadFrom(await snapshotOf(store, runtime), runtime);
      const { revision } = await store.status();
      expect(await loaded.status()).to.deep.equal({ revision, compactedRevision: revision });
      const present = `state ${revision}:`;
      const stateOf = (lines: string[]): string[] =>
        lines.filter((line) => line.startsWith(present));
      expect(stateOf(await everythingOf(loaded, runtime))).to.deep.equal(
        stateOf(await everythingOf(store, runtime)),
      );
      await loaded.close();
    });
  }

  it('of a store that was never written to is such a store', async () => {
    const { store, runtime } = harness;
    for (const history of [false, true]) {
      const loaded = await loadFrom(await snapshotOf(store, runtime, { history }), runtime);
      expect(await loaded.status()).to.deep.equal({ revision: 1n, compactedRevision: 0n });
      await loaded.close();
    }
  });

  it('refuses a watch of the revision it was taken at, whose changes it does not know', async () => {
    await harness.put('a', '1');
    const loaded = await loadFrom(
      await snapshotOf(harness.store, harness.runtime),
      harness.runtime,
    );
    const [, , watchOfTwo] = (await everythingOf(loaded, harness.runtime)).slice(-3);
    expect(watchOfTwo).to.equal('watch 2: COMPACTED');
    const put = { type: 'put', key: 'b', value: Buffer.from('2') } as const;
    const watch = await loaded.watch({ key: 'b', startRevision: 3n });
    expect((await loaded.txn({ compare: [], success: [put] })).revision).to.equal(3n);
    for await (const [message] of watch) {
      expect(message?.type === 'event' && message.event.kv.modRevision).to.equal(3n);
      break;
    }
    await loaded.close();
  });

  it('continues at a higher revision on request, where all watches start over', async () => {
    await harness.put('a', '1');
    await harness.put('a', '2');
    for (const history of [false, true]) {
      const bytes = await snapshotOf(harness.store, harness.runtime, { history });
      const loaded = await loadFrom(bytes, harness.runtime, { bumpRevision: 1000n });
      expect(await loaded.status()).to.deep.equal({ revision: 1003n, compactedRevision: 1003n });
      const lines = await everythingOf(loaded, harness.runtime);
      expect(lines).to.include('state 1002: COMPACTED');
      expect(lines).to.include('state 1003: 1: a=2@3 (2, 2, 0)');
      expect(lines.filter((line) => line === 'watch 1003: COMPACTED')).to.have.length(2);
      await loaded.close();
    }
  });

  for (const history of [false, true]) {
    it(`continues leases with the time they had left (history: ${history})`, async () => {
      const { store, runtime } = harness;
      const short = await store.leaseGrant(10);
      const long = await store.leaseGrant(100);
      const gone = await store.leaseGrant(100);
      await harness.put('short', '', short.id);
      await harness.put('long', '', long.id);
      await harness.put('gone', '', gone.id);
      await harness.put('free');
      await store.leaseRevoke(gone.id);
      await runtime.advance(4000);
      const bytes = await snapshotOf(store, runtime, { history });
      await store.close();
      await runtime.advance(50_000);
      const loaded = await loadFrom(bytes, runtime);
      const keys = async (): Promise<string> =>
        (await loaded.range({ key: 'a', rangeEnd: 'z' })).items.map(({ key }) => key).join(' ');
      expect((await loaded.leaseGrant(5)).id).to.not.be.oneOf([short.id, long.id, gone.id]);
      await runtime.advance(5999);
      expect(await keys()).to.equal('free long short');
      await runtime.advance(1);
      expect(await keys()).to.equal('free long');
      await loaded.leaseRevoke(long.id);
      expect(await keys()).to.equal('free');
      await loaded.close();
    });
  }

  it('is the state at one revision, despite writes and compactions while it is read', async () => {
    await harness.store.close();
    harness = new EmbeddedStoreHarness({ maxHistoryBytes: 20_000, compactionIntervalMs: 0 });
    const { store, runtime } = harness;
    const keys = Array.from({ length: 12_000 }, (_, index) => `k${index}`);
    const write = async (value: string, some: readonly string[]): Promise<void> => {
      for (let from = 0; from < some.length; from += 100) {
        const success = some.slice(from, from + 100).map((key): TxnOperation => {
          return { type: 'put', key, value: Buffer.from(value) };
        });
        await store.txn({ compare: [], success });
      }
    };
    await write('x'.repeat(100), keys);
    await harness.delete('k5', 'k6');
    const before = await harness.list('');
    let revision: Revision | undefined;
    const chunks: Uint8Array[] = [];
    await runtime.run(async () => {
      for await (const chunk of store.snapshot()) {
        revision ??= (await store.status()).revision;
        chunks.push(chunk);
        await write(
          `after ${chunks.length}`,
          keys.filter((_, index) => index % 3 > 0),
        );
        await harness.delete('k1', 'k3');
        await harness.put('k50', 'again');
      }
    });
    expect((await store.status()).compactedRevision > (revision ?? 0n)).to.equal(true);
    const loaded = await loadFrom(Buffer.concat(chunks), runtime);
    expect((await loaded.status()).revision).to.equal(revision);
    const { items } = await loaded.range({ key: 'k', rangeEnd: 'l' });
    expect(
      items.map((kv) => `${kv.key}=${Buffer.from(kv.value).toString()}@${kv.modRevision}`),
    ).to.deep.equal(before);
    await loaded.close();
  });

  it('leaves no more history behind than there would be without it', async () => {
    const { store, runtime } = harness;
    for (let write = 0; write < 50; write += 1) await harness.put(`k${write % 5}`, `${write}`);
    await harness.delete('k0');
    const reading = store.snapshot()[Symbol.asyncIterator]();
    await reading.next();
    await harness.put('k1', 'late');
    await store.compact((await store.status()).revision);
    await runtime.settle();
    await reading.return?.();
    await runtime.settle();
    const lines = await everythingOf(store, runtime);
    const loaded = await loadFrom(await snapshotOf(store, runtime, { history: true }), runtime);
    expect(await everythingOf(loaded, runtime)).to.deep.equal(lines);
    expect(lines.at(-3)).to.match(/^state 53: 4: /);
    await loaded.close();
  });

  it('ends when the store is closed or the caller aborts', async () => {
    const { store, runtime } = harness;
    await harness.put('a');
    const abort = new AbortController();
    const aborted = store.snapshot({ signal: abort.signal })[Symbol.asyncIterator]();
    const cut = store.snapshot()[Symbol.asyncIterator]();
    for (const reading of [aborted, cut]) await reading.next();
    abort.abort();
    const codeOf = async (reading: AsyncIterator<Uint8Array>): Promise<string> =>
      await runtime.run(async () => {
        try {
          for (;;) if ((await reading.next()).done === true) return 'done';
        } catch (error) {
          const { code, name } = error as { code?: unknown; name: string };
          return typeof code === 'string' ? code : name;
        }
      });
    expect(await codeOf(aborted)).to.equal('AbortError');
    await store.close();
    expect(await codeOf(cut)).to.equal('CLOSED');
    expect(() => store.snapshot()).to.throw('closed');
  });

  it('ends between two frames of past events when the caller aborts', async () => {
    const { store, runtime } = harness;
    for (let write = 0; write < 40; write += 1) await harness.put('a', 'x'.repeat(20_000));
    const abort = new AbortController();
    const frames = store.snapshot({ history: true, signal: abort.signal });
    let events = 0;
    const work = async (): Promise<void> => {
      for await (const frame of frames) {
        if (frame[0] !== FRAME.events) continue;
        events += 1;
        abort.abort();
      }
    };
    const error = await runtime.run(work()).catch((reason: unknown) => reason);
    expect(error).to.include({ name: 'AbortError' });
    expect(events).to.equal(1);
  });

  it('has frames of 256 KiB at most, unless a single record is longer', async () => {
    const { store, runtime } = harness;
    for (let write = 0; write < 30; write += 1) {
      await harness.put(`k${write}`, 'x'.repeat(30_000));
    }
    for (const history of [false, true]) {
      const sizes: number[] = [];
      await runtime.run(async () => {
        for await (const frame of store.snapshot({ history })) sizes.push(frame.byteLength);
      });
      expect(Math.max(...sizes)).to.be.within(240_000, FRAME_BYTES);
    }
    await harness.put('large', 'y'.repeat(FRAME_BYTES));
    const loaded = await loadFrom(await snapshotOf(store, runtime), runtime);
    const [large] = (await loaded.range({ key: 'large' })).items;
    expect(large?.value.byteLength).to.equal(FRAME_BYTES);
    await loaded.close();
  });

  it('has every key of a state that is read in several steps', async () => {
    const { store, runtime } = harness;
    const keys = Array.from({ length: 10_001 }, (_, at) => `k${String(at).padStart(5, '0')}`);
    for (let from = 0; from < keys.length; from += 100) {
      const success = keys.slice(from, from + 100).map((key): TxnOperation => {
        return { type: 'put', key, value: Buffer.of() };
      });
      await store.txn({ compare: [], success });
    }
    const loaded = await loadFrom(await snapshotOf(store, runtime), runtime);
    const { items } = await loaded.range({ key: 'k', rangeEnd: 'l' });
    expect(items.map(({ key }) => key)).to.deep.equal(keys);
    await loaded.close();
  });

  it('names options it does not know, or whose value breaks its rule', async () => {
    expect(() => harness.store.snapshot({ hist: true } as object)).to.throw(
      'unknown option "hist"',
    );
    const bytes = await snapshotOf(harness.store, harness.runtime);
    for (const bumpRevision of [0n, 2n ** 62n]) {
      await (await loadFrom(bytes, harness.runtime, { bumpRevision })).close();
    }
    for (const options of [
      { bumpRevision: 2n ** 62n + 1n },
      { bumpRevision: -1n },
      { bumpRevision: 5 },
      { firstRevision: 5n },
    ]) {
      const error: unknown = await loadFrom(bytes, harness.runtime, options as object).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.include({ code: 'INVALID_OPTION' });
    }
  });
});
