import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import type {
  ChangesOptions,
  InformerChange,
  SyncedChange,
} from '../../../../lib/cache/informer/changes/changes-options.ts';
import { SharedIndexInformer } from '../../../../lib/cache/informer/shared-index-informer.ts';
import { Harness, type HarnessOptions } from '../../support/informer-harness.ts';
import { CountingSource } from '../../support/counting-source.ts';
import { codeOf, pod, rejection, type Pod } from '../../support/objects.ts';

type Change = InformerChange<{ readonly metadata: Pod['metadata'] }> | SyncedChange;

/** `+a@1!` is an initial addition, `~a@1>2` an update, `-a@3` a deletion, `-a@1!` one that was missed. */
function text(change: Change): string {
  if (change.type === 'synced') return 'synced';
  const { key, object, old } = change;
  const version = object.metadata.resourceVersion;
  switch (change.type) {
    case 'add':
      return `+${key}@${version}${change.initial ? '!' : ''}`;
    case 'update':
      return `~${key}@${old?.metadata.resourceVersion}>${version}`;
    case 'delete':
      return `-${key}@${version}${change.finalStateUnknown ? '!' : ''}`;
  }
}

/** A reader that reads on command. */
class Reader {
  readonly log: string[] = [];
  readonly #changes: AsyncIterator<Change>;
  readonly #harness: Harness;

  constructor(harness: Harness, options: ChangesOptions = {}) {
    this.#harness = harness;
    this.#changes = harness.informer.changes(options)[Symbol.asyncIterator]();
  }

  /** Reads so many, or until there is no more. */
  async read(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const next = await this.#harness.runtime.run(this.#changes.next());
      if (next.done === true) break;
      seen.push(text(next.value));
    }
    return seen;
  }

  leave(): Promise<unknown> {
    return this.#changes.return!();
  }
}

/** Loops in the background. */
function follow(
  harness: Harness,
  options: ChangesOptions = {},
): { readonly log: string[]; readonly end: Promise<unknown> } {
  const log: string[] = [];
  const loop = async (): Promise<unknown> => {
    try {
      for await (const change of harness.informer.changes(options)) log.push(text(change));
      return 'ended';
    } catch (error) {
      return error;
    }
  };
  return { log, end: loop() };
}

async function started(options: HarnessOptions = {}): Promise<Harness> {
  const harness = new Harness({ objects: [pod('a'), pod('b')], ...options });
  await harness.start();
  return harness;
}

describe('an informer as a stream of changes', () => {
  it('begins with the present objects, and continues with every change', async () => {
    const harness = await started();
    const { log, end } = follow(harness);
    await harness.settle();
    harness.source.add(pod('c'));
    harness.source.modify(pod('a', { labels: { x: 'y' } }));
    harness.source.delete({ namespace: 'shop', name: 'b' });
    await harness.settle();
    expect(log).to.deep.equal([
      '+shop/a@1!',
      '+shop/b@2!',
      '+shop/c@3',
      '~shop/a@1>4',
      '-shop/b@5',
    ]);
    await harness.stop();
    expect(await end).to.equal('ended');
  });

  it('may begin before the informer does', async () => {
    const harness = new Harness({ objects: [pod('a')] });
    const { log, end } = follow(harness, { markSynced: true });
    await harness.settle();
    expect(log).to.deep.equal([]);
    await harness.start();
    harness.source.add(pod('b'));
    await harness.settle();
    expect(log).to.deep.equal(['+shop/a@1!', 'synced', '+shop/b@2']);
    await harness.stop();
    await end;
  });

  it('marks the end of the state at the start, even where changes follow at once', async () => {
    const harness = await started();
    const { log, end } = follow(harness, { markSynced: true });
    harness.source.add(pod('c'));
    harness.source.add(pod('d'));
    await harness.settle();
    expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!', 'synced', '+shop/c@3', '+shop/d@4']);
    await harness.stop();
    await end;
  });

  it('marks an empty state, too', async () => {
    const harness = await started({ objects: [] });
    const { log, end } = follow(harness, { markSynced: true });
    await harness.settle();
    expect(log).to.deep.equal(['synced']);
    await harness.stop();
    await end;
  });

  it('delivers a missed deletion with the last state that was seen', async () => {
    const harness = await started();
    const { log, end } = follow(harness);
    await harness.relist(() => {
      harness.source.modify(pod('b', { labels: { last: 'seen by no reader' } }));
      harness.source.delete({ namespace: 'shop', name: 'b' });
    });
    expect(log).to.deep.equal(['+shop/a@1!', '+shop/b@2!', '-shop/b@2!']);
    await harness.stop();
    await end;
  });

  it('leaves out resyncs, in which nothing changes', async () => {
    const harness = await started({ resyncIntervalMs: 1000 });
    const { log, end } = follow(harness);
    await harness.runtime.advance(10_000);
    expect(log).to.have.length(2);
    await harness.stop();
    await end;
  });

  for (const watchList of [false, true]) {
    it(`looks the same when the first list comes ${watchList ? 'as a stream' : 'in one answer'}`, async () => {
      const harness = await started({ watchList });
      const { log, end } = follow(harness);
      await harness.settle();
      const [first] = harness.source.requests;
      expect(first?.kind).to.equal(watchList ? 'watch-list' : 'list');
      harness.source.add(pod('c'));
      harness.source.modify(pod('b'));
      harness.source.delete({ namespace: 'shop', name: 'a' });
      await harness.settle();
      expect(log).to.deep.equal([
        '+shop/a@1!',
        '+shop/b@2!',
        '+shop/c@3',
        '~shop/b@2>4',
        '-shop/a@5',
      ]);
      for (let index = 0; index < 10; index += 1) harness.source.add(pod(`unread-${index}`));
      await harness.stop();
      expect(await end).to.equal('ended');
      expect(harness.source.openWatches).to.equal(0);
    });
  }

  it('keeps the order of thousands of changes, whenever they are read', async () => {
    const harness = await started({ objects: [] });
    const reader = new Reader(harness);
    for (let index = 0; index < 3000; index += 1) harness.source.add(pod(`p${index}`));
    const early = await reader.read(100);
    await harness.settle();
    const late = await reader.read(2900);
    expect([...early, ...late]).to.deep.equal(
      Array.from({ length: 3000 }, (_, index) => `+shop/p${index}@${index + 1}`),
    );
    await reader.leave();
    await harness.stop();
  });

  it('shows no bookmark', async () => {
    const harness = await started();
    const { log, end } = follow(harness);
    harness.source.skipVersions(10);
    harness.source.bookmark();
    await harness.settle();
    expect(harness.informer.indexer.resourceVersion).to.equal('12');
    expect(log).to.have.length(2);
    await harness.stop();
    await end;
  });

  it('gives every loop all changes', async () => {
    const harness = await started();
    const changes = harness.informer.changes();
    for (let loop = 0; loop < 2; loop += 1) {
      const iterator = changes[Symbol.asyncIterator]();
      const first = await harness.runtime.run(iterator.next());
      expect(first.value).to.include({ type: 'add', key: 'shop/a', initial: true });
      await iterator.return?.();
    }
    await harness.stop();
  });

  it('narrows by type, and carries old states, origins and metadata where they belong', async () => {
    const harness = await started({ objects: [pod('a', { nodeName: 'n1' })] });
    const nodes: (string | undefined)[] = [];
    const keys: string[] = [];
    await harness.runtime.run(async () => {
      for await (const change of harness.informer.changes()) {
        nodes.push(change.object.spec?.nodeName);
        if (change.type === 'add') harness.source.modify(pod('a', { nodeName: 'n2' }));
        if (change.type !== 'update') continue;
        nodes.push(change.old.spec?.nodeName);
        expect(change.origin).to.equal('other');
        break;
      }
      for await (const { key, object } of harness.informer.changes({ view: 'metadata' })) {
        keys.push(key, object.key, object.metadata.name!);
        break;
      }
    });
    expect(nodes).to.deep.equal(['n1', 'n2', 'n1']);
    expect(keys).to.deep.equal(['shop/a', 'shop/a', 'a']);
    await harness.stop();
  });

  it('decodes what is read, and nothing with view metadata', async () => {
    const harness = new Harness({ objects: [pod('a'), pod('b'), pod('c')] });
    const listerWatcher = new CountingSource<Pod>(harness.source);
    const { runtime } = harness;
    const informer = new SharedIndexInformer<Pod>({ listerWatcher, runtime });
    void informer.run();
    await runtime.run(async () => {
      await informer.whenSynced();
      for await (const change of informer.changes({ view: 'metadata' })) {
        if (change.key === 'shop/c') break;
      }
      expect(listerWatcher.decoded).to.equal(0);
      for await (const change of informer.changes()) {
        if (change.key === 'shop/b') break;
      }
      expect(listerWatcher.decoded).to.equal(2);
      await informer.close();
    });
  });

  describe('ends', () => {
    it('for the informer when the loop is left', async () => {
      const harness = await started();
      await harness.runtime.run(async () => {
        for await (const { key } of harness.informer.changes({ name: 'short' })) {
          expect(harness.informer.inspect().handlers.map(({ name }) => name)).to.deep.equal([
            'short',
          ]);
          if (key === 'shop/a') break;
        }
      });
      expect(harness.informer.inspect().handlers).to.deep.equal([]);
      expect(harness.informer.events.listenerCount('stopped')).to.equal(0);
      await harness.stop();
    });

    it('when it is left while it waits', async () => {
      const harness = await started({ objects: [] });
      const changes = harness.informer.changes()[Symbol.asyncIterator]();
      const waiting = changes.next();
      await harness.settle();
      await changes.return?.();
      expect(await waiting).to.deep.equal({ done: true, value: undefined });
      expect(harness.informer.inspect().handlers).to.deep.equal([]);
      await harness.stop();
    });

    it('when the informer stops, after what was read in by then, even for a reader that is busy', async () => {
      const harness = await started();
      const reader = new Reader(harness);
      expect(await reader.read(1)).to.deep.equal(['+shop/a@1!']);
      harness.source.add(pod('c'));
      await harness.settle();
      await harness.stop();
      expect(await reader.read(9)).to.deep.equal(['+shop/b@2!', '+shop/c@3']);
    });

    it('when the signal aborts, with its reason', async () => {
      const harness = await started();
      const stopper = new AbortController();
      const { signal } = stopper;
      const { log, end } = follow(harness, { signal });
      await harness.settle();
      const reason = new Error('enough');
      stopper.abort(reason);
      expect(await end).to.equal(reason);
      expect(log).to.have.length(2);
      expect(await follow(harness, { signal }).end, 'before it begins').to.equal(reason);
      expect(harness.informer.inspect().handlers).to.deep.equal([]);
      expect(getEventListeners(signal, 'abort')).to.have.length(0);
      await harness.stop();
    });

    it('before it begins when the informer has stopped', async () => {
      const harness = await started();
      await harness.stop();
      const error = await rejection(
        follow(harness).end.then((one) => Promise.reject(one as Error)),
      );
      expect(error.code).to.equal('CLOSED');
    });
  });

  describe('behind a reader that does not read', () => {
    it('keeps the net change of each object once too many wait, and every initial one', async () => {
      const harness = await started();
      const reader = new Reader(harness, { maxBuffered: 5, markSynced: true });
      await harness.settle();
      for (let round = 0; round < 100; round += 1) {
        harness.source.modify(pod('a', { labels: { round: `${round}` } }));
        harness.source.add(pod(`short-${round}`));
        harness.source.delete({ namespace: 'shop', name: `short-${round}` });
        await harness.settle();
      }
      harness.source.delete({ namespace: 'shop', name: 'b' });
      harness.source.add(pod('c'));
      await harness.settle();
      const log = await reader.read(4);
      expect(log.slice(0, 3)).to.deep.equal(['+shop/a@1!', '+shop/b@2!', 'synced']);
      expect(log[3]).to.match(/^~shop\/a@1>\d+$/);
      const rest = await reader.read(2);
      expect(rest.length).to.be.at.most(8);
      await reader.leave();
      await harness.stop();
    });

    it('never holds more than twice as many changes as there are objects', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
      const harness = await started({ objects: names.map((name) => pod(name)) });
      const reader = new Reader(harness, { maxBuffered: 10 });
      await harness.settle();
      for (let round = 0; round < 40; round += 1) {
        for (const name of names) harness.source.modify(pod(name, { labels: { x: `${round}` } }));
        await harness.settle();
      }
      harness.source.add(pod('last'));
      await harness.settle();
      await harness.stop();
      const log = await reader.read(Infinity);
      expect(log.filter((line) => line.endsWith('!'))).to.have.length(50);
      expect(log.length).to.be.at.most(50 + 2 * 2 * 51);
      expect(log.at(-1)).to.equal(`+shop/last@${50 + 40 * 50 + 1}`);
      // Whatever was merged, the story of each object holds together.
      const present = new Map<string, string>();
      for (const line of log) {
        const [, sign, key, versions] = /^([+~-])(.*)@([\d>]+)!?$/.exec(line)!;
        const [first, second] = versions!.split('>');
        expect(present.get(key!), line).to.equal(sign === '+' ? undefined : first);
        present.set(key!, second ?? first!);
      }
      expect(present.get('shop/p0')).to.equal(String(50 + 39 * 50 + 1));
    });

    it('throws when it may hold so many and no more, after those', async () => {
      const harness = await started();
      const reader = new Reader(harness, { maxBuffered: 3, overflow: 'error' });
      await harness.settle();
      for (const name of ['c', 'd', 'e']) harness.source.add(pod(name));
      await harness.settle();
      expect(harness.informer.inspect().handlers, 'three are allowed').to.have.length(1);
      harness.source.add(pod('f'));
      await harness.settle();
      expect(harness.informer.inspect().handlers).to.deep.equal([]);
      expect(await reader.read(6)).to.deep.equal([
        '+shop/a@1!',
        '+shop/b@2!',
        '+shop/c@3',
        '+shop/d@4',
        '+shop/e@5',
        '+shop/f@6',
      ]);
      const error = await rejection(reader.read(1));
      expect(error.code).to.equal('BUFFER_FULL');
      expect(error.message).to.include('changes of pods').and.to.include('no more than 3');
      await harness.stop();
    });

    it('counts what is still on its way to it', async () => {
      const harness = await started();
      const { end } = follow(harness, { maxBuffered: 10, overflow: 'error' });
      await harness.settle();
      for (let index = 0; index < 5000; index += 1) harness.source.add(pod(`many-${index}`));
      await harness.settle();
      expect(await end).to.have.property('code', 'BUFFER_FULL');
      await harness.stop();
    });

    it('costs other readers and handlers nothing', async () => {
      const harness = await started();
      const stuck = new Reader(harness, { maxBuffered: 1 });
      const { log, end } = follow(harness);
      for (let index = 0; index < 3000; index += 1) {
        harness.source.modify(pod('a', { labels: { index: `${index}` } }));
      }
      await harness.settle();
      expect(log).to.have.length(3002);
      await harness.stop();
      await end;
      await stuck.leave();
    });
  });

  it('lets other tasks run while it is read', async () => {
    const harness = await started({
      objects: Array.from({ length: 5000 }, (_, index) => pod(`p${index}`)),
    });
    const changes = harness.informer.changes()[Symbol.asyncIterator]();
    await harness.settle();
    let read = 0;
    let readBefore = 0;
    let longest = 0;
    const other = (): void => {
      longest = Math.max(longest, read - readBefore);
      readBefore = read;
      if (read < 5000) harness.runtime.queueTask(other);
    };
    harness.runtime.queueTask(other);
    await harness.runtime.run(async () => {
      for (; read < 5000; read += 1) await changes.next();
    });
    await harness.settle();
    expect(longest).to.be.within(1, 1024);
    await changes.return?.();
    await harness.stop();
  });

  it('refuses options it does not know', async () => {
    const harness = await started();
    const call = (options: object) => () => harness.informer.changes(options);
    for (const wrong of [
      { maxBufered: 1 },
      { maxBuffered: 0 },
      { maxBuffered: 1.5 },
      { view: 'lazy' },
      { overflow: 'drop' },
    ]) {
      expect(codeOf(call(wrong)), JSON.stringify(wrong)).to.equal('INVALID_OPTION');
    }
    await harness.stop();
  });
});
