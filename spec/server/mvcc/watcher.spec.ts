import { expect } from 'chai';
import { randomInteger } from '../../../lib/kernel/time/random.ts';
import type { KeyValueWatchMessage } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { describeMessage, EmbeddedStoreHarness, WatchReader } from './embedded-store-harness.ts';

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code,
  );
}

describe('a watch of the embedded store', () => {
  let harness: EmbeddedStoreHarness;
  const open = (options: ConstructorParameters<typeof EmbeddedStoreHarness>[0] = {}): void => {
    harness = new EmbeddedStoreHarness(options);
  };
  beforeEach(() => {
    open();
  });
  afterEach(async () => {
    await harness.store.close();
  });

  it('starts from now when no revision is given', async () => {
    await harness.put('a', '1');
    const reader = await harness.watch('');
    await harness.put('a', '2');
    expect(reader.watch.startedAt).to.equal(2n);
    expect(await reader.read()).to.deep.equal(['put a=2@3']);
  });

  it('delivers from its start revision on, that one included', async () => {
    for (const value of ['1', '2', '3']) await harness.put('a', value);
    const reader = await harness.watch('', 3n);
    await harness.put('a', '4');
    expect(await reader.read()).to.deep.equal(['put a=2@3', 'put a=3@4', 'put a=4@5']);
  });

  it('drops what comes before a start in the future', async () => {
    const reader = await harness.watch('', 4n);
    for (const value of ['1', '2', '3', '4']) await harness.put('a', value);
    expect(await reader.read()).to.deep.equal(['put a=3@4', 'put a=4@5']);
  });

  it('is over when its iterator is returned', async () => {
    const watch = await harness.store.watch({ key: 'a' });
    const iterator = watch[Symbol.asyncIterator]();
    const over = { done: true, value: undefined };
    expect(await iterator.return?.()).to.deep.equal(over);
    await harness.put('a');
    expect(await iterator.next()).to.deep.equal(over);
  });

  it('sees only its keys', async () => {
    const range = await harness.watch('/a/');
    const key = new WatchReader(await harness.store.watch({ key: '/a' }), harness.runtime);
    const all = await harness.watch('');
    for (const one of ['/a', '/a/', '/a/1', '/a0', '/ab', '/b/1', 'é\u{1f600}'])
      await harness.put(one);
    expect(await range.read()).to.deep.equal(['put /a/=@3', 'put /a/1=@4']);
    expect(await key.read()).to.deep.equal(['put /a=@2']);
    expect(await all.read()).to.have.lengthOf(7);
  });

  it('brings the state before a change when asked to', async () => {
    const reader = await harness.watch('', undefined, { previous: true });
    const plain = await harness.watch('');
    await harness.put('a', '1');
    await harness.put('a', '2');
    await harness.delete('a');
    await harness.put('a', '3');
    const previous = (message: KeyValueWatchMessage): string =>
      message.type === 'event' ? String(message.event.previous?.value ?? 'none') : '';
    expect(((await reader.batch()) as KeyValueWatchMessage[]).map(previous)).to.deep.equal([
      'none',
      '1',
      '2',
      'none',
    ]);
    const messages = (await plain.batch()) as KeyValueWatchMessage[];
    expect(messages.map(previous)).to.deep.equal(['none', 'none', 'none', 'none']);
  });

  it('fails when its start was compacted, and not at the boundary', async () => {
    for (const value of ['1', '2', '3']) await harness.put('a', value);
    await harness.store.compact(3n);
    const late = await harness.watch('', 2n);
    expect(await codeOf(late.read())).to.equal('COMPACTED');
    expect(await late.read(), 'then it is over').to.deep.equal(['end']);
    const boundary = await harness.watch('', 3n, { previous: true });
    const [first, second] = (await boundary.batch()) as KeyValueWatchMessage[];
    expect(first?.type === 'event' && first.event).to.not.have.property('previous');
    expect(second?.type === 'event' && second.event.previous?.modRevision).to.equal(3n);
  });

  it('still delivers a deletion at the boundary', async () => {
    await harness.put('a');
    await harness.delete('a');
    await harness.store.compact(3n);
    await harness.runtime.settle();
    expect(await (await harness.watch('', 3n)).read()).to.deep.equal(['delete a@3']);
  });

  it('never splits a revision over two batches', async () => {
    open({ watchBufferEvents: 3 });
    const reader = await harness.watch('');
    const put = (key: string) => ({ type: 'put', key, value: Buffer.from('') }) as const;
    await harness.store.txn({ compare: [], success: [put('a'), put('b')] });
    await harness.store.txn({ compare: [], success: [put('c'), put('d')] });
    await harness.store.txn({ compare: [], success: ['e', 'f', 'g', 'h', 'i'].map(put) });
    const batches: string[][] = [];
    for (let batch = await reader.batch(); Array.isArray(batch); batch = await reader.batch()) {
      batches.push(batch.map(describeMessage));
    }
    expect(batches[0]).to.deep.equal(['put a=@2', 'put b=@2']);
    const rest = batches.slice(1).flat();
    expect(rest.map((line) => line.slice(-1)).join('')).to.equal('3344444');
    for (const batch of batches.slice(1)) expect(batch.at(-1)?.slice(-1)).to.be.oneOf(['3', '4']);
    expect(batches).to.have.lengthOf(2);
  });

  it('ends when closed, aborted, left, or when the store closes', async () => {
    const controller = new AbortController();
    const closed = await harness.watch('');
    const aborted = new WatchReader(
      await harness.store.watch({ key: 'a', signal: controller.signal }),
      harness.runtime,
    );
    const cut = await harness.watch('');
    await harness.put('a');
    closed.watch.destroy();
    controller.abort();
    await harness.store.close();
    for (const reader of [closed, aborted, cut]) expect(await reader.read()).to.deep.equal(['end']);
  });

  it('ends at once when the signal was aborted before', async () => {
    const watch = await harness.store.watch({ key: 'a', signal: AbortSignal.abort() });
    expect(await new WatchReader(watch, harness.runtime).read()).to.deep.equal(['end']);
  });

  it('refuses a second reader at the same time', async () => {
    const { watch } = await harness.watch('');
    const first = watch[Symbol.asyncIterator]().next();
    expect(await codeOf(watch[Symbol.asyncIterator]().next())).to.equal('ALREADY_STARTED');
    watch.destroy();
    expect((await first).done).to.equal(true);
  });

  describe('whose reader is slow', () => {
    it('loses nothing with a buffer of any size', async () => {
      open({ watchBufferEvents: 10 });
      const reader = await harness.watch('k');
      for (let index = 0; index < 5000; index += 1)
        await harness.put(`${index % 3 === 0 ? 'x' : 'k'}${index}`);
      const early = (await reader.batch()) as KeyValueWatchMessage[];
      expect(early).to.have.lengthOf(10);
      await harness.put('k-late');
      const lines = [...early.map(describeMessage), ...(await reader.read())];
      expect(lines).to.have.lengthOf(3334);
      const revisions = lines.map((line) => BigInt(line.split('@')[1]!));
      expect(revisions.toSorted((left, right) => (left < right ? -1 : 1))).to.deep.equal(revisions);
      expect(new Set(lines).size).to.equal(3334);
      await harness.put('k-live');
      expect(await reader.read(), 'it is in step again').to.deep.equal(['put k-live=@5003']);
    });

    it('holds values up to a size only', async () => {
      open({ watchBufferBytes: 1000 });
      const reader = await harness.watch('');
      for (let index = 0; index < 5; index += 1) await harness.put('a', 'x'.repeat(400));
      expect(await reader.batch()).to.have.lengthOf(2);
      expect(await reader.batch()).to.have.lengthOf(3);
    });

    it('fails when compaction overtakes it, after what it had', async () => {
      open({ watchBufferEvents: 2 });
      const reader = await harness.watch('');
      for (let index = 0; index < 10; index += 1) await harness.put('a', `${index}`);
      await harness.store.compact(8n);
      expect(await reader.batch()).to.have.lengthOf(2);
      expect(await codeOf(reader.batch())).to.equal('COMPACTED');
    });

    it('lets others run while it looks through a long history', async () => {
      for (let index = 0; index < 25_000; index += 1) await harness.put('x');
      await harness.put('a');
      const reader = await harness.watch('a', 1n);
      const next = reader.batch();
      expect(harness.runtime.pending, 'not there in one go').to.equal(1);
      expect(await next).to.have.lengthOf(1);
    });
  });

  describe('progress', () => {
    it('comes on request, behind all events, with the current revision', async () => {
      const reader = await harness.watch('a');
      await harness.put('a');
      await harness.put('b');
      await reader.watch.requestProgress();
      expect(await reader.read()).to.deep.equal(['put a=@2', 'progress@3']);
      await Promise.all([reader.watch.requestProgress(), reader.watch.requestProgress()]);
      expect(await reader.read(), 'two requests, one answer').to.deep.equal(['progress@3']);
    });

    it('waits until a watch that is behind has caught up', async () => {
      for (let index = 0; index < 2500; index += 1) await harness.put('a');
      const reader = await harness.watch('', 1n);
      await reader.watch.requestProgress();
      const lines = await reader.read();
      expect(lines.indexOf('progress@2501')).to.equal(2500);
    });

    it('waits for a start in the future', async () => {
      const reader = await harness.watch('', 4n);
      await reader.watch.requestProgress();
      expect(await reader.read()).to.deep.equal([]);
      await harness.put('a');
      await harness.put('a');
      await reader.watch.requestProgress();
      expect(await reader.read()).to.deep.equal(['progress@3']);
    });

    it('comes by itself when idle, for watches with progressNotify', async () => {
      open({ progressIntervalMs: 1000 });
      const asking = await harness.watch('', undefined, { progressNotify: true });
      const silent = await harness.watch('');
      await harness.put('a');
      await harness.runtime.advance(1000);
      expect(await asking.read(), 'not idle').to.deep.equal(['put a=@2']);
      await harness.runtime.advance(1000);
      expect(await asking.read()).to.deep.equal(['progress@2']);
      expect(await silent.read()).to.deep.equal(['put a=@2']);
    });
  });

  it('agrees with the writes, for random watchers and readers', async () => {
    open({ watchBufferEvents: 4 });
    const { runtime } = harness;
    const written: string[] = [];
    const watchers: { prefix: string; from: number; reader: WatchReader; lines: string[] }[] = [];
    for (let step = 0; step < 2000; step += 1) {
      const key = `k${randomInteger(runtime, 0, 2)}/${randomInteger(runtime, 0, 3)}`;
      if (runtime.random() < 0.7) {
        const revision = await harness.put(key, `${step}`);
        written.push(`put ${key}=${step}@${revision}`);
      } else {
        const { revision, responses } = await harness.delete(key);
        const [response] = responses;
        if (response?.type === 'delete' && response.deleted > 0)
          written.push(`delete ${key}@${revision}`);
      }
      if (step % 50 === 0) {
        const prefix = ['', 'k0/', 'k1/', 'k'][randomInteger(runtime, 0, 3)]!;
        const from = randomInteger(runtime, 0, written.length);
        watchers.push({
          prefix,
          from,
          reader: await harness.watch(prefix, BigInt(from + 2)),
          lines: [],
        });
      }
      const lucky = watchers[randomInteger(runtime, 0, watchers.length - 1)]!;
      const batch = await lucky.reader.batch();
      if (Array.isArray(batch)) lucky.lines.push(...batch.map(describeMessage));
    }
    for (const { prefix, from, reader, lines } of watchers) {
      lines.push(...(await reader.read()));
      const mine = written.slice(from).filter((line) => line.split(' ')[1]!.startsWith(prefix));
      expect(lines).to.deep.equal(mine);
    }
  });
});
