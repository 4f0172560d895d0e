import { expect } from 'chai';
import { DeltaFIFO } from '../../../lib/cache/delta/delta-fifo.ts';
import type { WatchStream } from '../../../lib/cache/reflector/contract/lister-watcher.ts';
import { Reflector } from '../../../lib/cache/reflector/reflector.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import { expired, internalError, tooManyRequests } from '../../../lib/meta/failure/failures.ts';
import { DecodedView } from '../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import {
  RecordingSink,
  rig,
  thing,
  type RigOptions,
  type Thing,
  type View,
} from './reflector-support.ts';

const STEADY = { baseMs: 1000, capMs: 1000, jitter: 0 };

describe('Reflector beside client-go', () => {
  it('closes the watch that brought an error, and runs on', async () => {
    const { runtime, source, reflector, times, stop } = rig({ backoff: STEADY });
    await runtime.advance(2000);
    source.dropConnections(failure('InternalError', 'broken'));
    await runtime.settle();
    expect(source.openWatches).to.equal(0);
    expect(reflector.state.name).to.equal('backing-off');
    await runtime.advance(1000);
    expect(times('list')).to.deep.equal([0, 3000]);
    expect(source.openWatches).to.equal(1);
    await stop();
  });

  it('ends the stream exactly once when it is stopped', async () => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher<Thing>({ runtime });
    let opened = 0;
    let ended = 0;
    source.watch = (): Promise<WatchStream<View>> =>
      Promise.resolve({
        [Symbol.asyncIterator]: () => {
          opened += 1;
          return {
            next: () => new Promise<never>(() => {}),
            return: () => {
              ended += 1;
              return Promise.resolve({ done: true, value: undefined });
            },
          };
        },
      });
    const stopper = new AbortController();
    const sink = new RecordingSink();
    const reflector = new Reflector<View>({
      listerWatcher: source,
      sink,
      runtime,
      watchList: false,
    });
    const done = reflector.run({ signal: stopper.signal });
    await runtime.advance(10);
    stopper.abort();
    await runtime.run(done);
    expect([opened, ended]).to.deep.equal([1, 1]);
  });

  it('takes a watch that ends after 10 ms without an event for a very short one', async () => {
    const { runtime, source, errors, stop } = rig({ backoff: STEADY });
    await runtime.advance(10);
    source.closeWatches();
    await runtime.settle();
    expect(errors.map(({ error }) => error)).to.have.nested.property(
      '[0].code',
      'VERY_SHORT_WATCH',
    );
    expect(source.openWatches).to.equal(0);
    await stop();
  });

  it('leaves the same objects with plain and with streaming lists', async () => {
    const kept: unknown[] = [];
    for (const watchList of [false, true]) {
      const { runtime, source, sink, stop } = rig({ watchList });
      await runtime.advance(2000);
      source.add(thing('c'));
      source.modify(thing('a', 'new'));
      source.delete({ name: 'b' });
      await runtime.settle();
      kept.push(Object.fromEntries(sink.objects));
      await stop();
    }
    expect(kept[0]).to.have.all.keys('a', 'c');
    expect(kept[0]).to.deep.equal(kept[1]);
  });

  it('passes errors of lists and watches on as they were thrown, and lists what it has gathered', async () => {
    const listError = new Error('list');
    const openError = new Error('open');
    const { runtime, source, sink, errors, stop } = rig({
      backoff: STEADY,
      prepare: (scripted) => {
        scripted.failNext('list', listError);
        scripted.failNext('watch', openError);
      },
    });
    await runtime.advance(2500);
    expect(errors.map(({ error }) => error)).to.deep.equal([listError, openError]);
    source.add(thing('c'));
    source.delete({ name: 'a' });
    await runtime.settle();
    const gathered = Object.fromEntries(sink.objects);
    source.dropConnections(failure('StorageReadError', 'in the stream'));
    await runtime.advance(3000);
    expect(sink.calls.at(-1)).to.equal('replace b c @4');
    expect(Object.fromEntries(sink.objects)).to.deep.equal(gathered);
    source.closeWatches();
    await runtime.advance(1500);
    await stop();
    expect(errors.map(({ error }) => (error as Error).message)).to.deep.equal([
      'list',
      'open',
      'in the stream',
    ]);
  });

  it('takes exactly one step of the back-off for 429, at the opening and in the stream', async () => {
    const backoff = { baseMs: 1000, factor: 2, jitter: 0 };
    const { runtime, source, times, stop } = rig({
      backoff,
      prepare: (scripted) => scripted.failNext('watch', tooManyRequests('busy', 0)),
    });
    await runtime.advance(1500);
    source.dropConnections(tooManyRequests('busy', 0));
    await runtime.advance(2500);
    source.dropConnections(tooManyRequests('busy', 0));
    await runtime.advance(6000);
    expect(times('watch')).to.deep.equal([0, 1000, 3500, 8000]);
    expect(times('list')).to.deep.equal([0]);
    await stop();
  });

  it('opens the watch for the fifth time after four times 429, on one list', async () => {
    const { runtime, times, source, stop } = rig({
      prepare: (scripted) => scripted.failNext('watch', tooManyRequests('busy', 0), 4),
    });
    await runtime.advance(120_000);
    expect(times('list')).to.have.length(1);
    expect(times('watch')).to.have.length(5);
    expect(source.openWatches).to.equal(1);
    await stop();
  });

  const retriesOf = async (options: RigOptions, failures: number): Promise<number> => {
    const { runtime, times, stop } = rig({
      backoff: STEADY,
      ...options,
      prepare: (source) => source.failNext('watch', internalError('boom'), failures),
    });
    await runtime.advance(100_000);
    const [, relistMs = Infinity] = times('list');
    await stop();
    return times('watch').filter((atMs) => atMs > 0 && atMs < relistMs).length;
  };

  it('does not retry internal errors unless it is given time', async () => {
    expect(await retriesOf({}, 100)).to.equal(0);
  });

  it('retries internal errors once a second for 30 s, 31 times with both ends', async () => {
    // The last of the attempts fails a second too late and is followed by the list.
    expect(await retriesOf({ internalErrorRetryMs: 30_000 }, 100)).to.equal(31);
  });

  it('begins the time for internal errors again after a minute without one', async () => {
    const { runtime, source, times, stop } = rig({
      backoff: STEADY,
      internalErrorRetryMs: 30_000,
      prepare: (scripted) => scripted.failNext('watch', internalError('boom'), 9),
    });
    await runtime.advance(69_000);
    expect(times('watch')).to.have.length(10);
    source.failNext('watch', internalError('boom'), 100);
    source.dropConnections(internalError('boom'));
    await runtime.advance(100_000);
    const [, relistMs = 0] = times('list');
    const retries = times('watch').filter((atMs) => atMs > 0 && atMs < relistMs).length;
    expect(retries).to.equal(9 + 31);
    await stop();
  });

  it('neither begins nor ends the time for internal errors with other failures', async () => {
    const { runtime, times, stop } = rig({
      backoff: STEADY,
      internalErrorRetryMs: 5000,
      prepare: (source) => {
        source.failNext('watch', tooManyRequests('busy', 0), 10);
        source.failNext('watch', internalError('boom'), 3);
        source.failNext('watch', tooManyRequests('busy', 0));
        source.failNext('watch', internalError('boom'), 3);
      },
    });
    await runtime.advance(60_000);
    expect(times('list'), 'the first at 10 s, the one too late at 16 s').to.deep.equal([0, 17_000]);
    await stop();
  });

  for (const [title, minWatchTimeoutMs, least, most] of [
    ['5 to 10 minutes by default', undefined, 300, 600],
    ['one to two times what it is given', 1_800_000, 1800, 3600],
  ] as const) {
    it(`lets the server end a watch after ${title}`, async () => {
      const { runtime, source, stop } = rig({ minWatchTimeoutMs });
      await runtime.advance(20 * 3_600_000);
      const asked = source.requests
        .filter(({ kind }) => kind === 'watch')
        .map(({ request }) => request.timeoutSeconds as number);
      expect(asked.length).to.be.at.least(20);
      for (const seconds of asked) expect(seconds).to.be.within(least, most);
      await stop();
    });
  }

  it('drops an object that the server can no longer read, and keeps the others', async () => {
    const { runtime, source, sink, errors, stop } = rig({ backoff: STEADY });
    await runtime.advance(2000);
    source.pause();
    source.delete({ name: 'b' });
    source.dropConnections(
      failure('StorageReadError', 'data from the storage is not transformable'),
    );
    await runtime.advance(1000);
    expect([...sink.objects.keys()]).to.deep.equal(['a']);
    expect(sink.calls.at(-1)).to.equal('replace a @3');
    expect(errors).to.have.length(1);
    await stop();
  });

  it('is named after its collection unless it is given a name', () => {
    const listerWatcher = new ScriptedListerWatcher<Thing>({ description: 'pods in shop' });
    const sink = new RecordingSink();
    expect(new Reflector({ listerWatcher, sink }).name).to.equal('pods in shop');
    expect(new Reflector({ listerWatcher, sink, name: 'mine' }).name).to.equal('mine');
  });

  for (const order of ['arrival', 'key'] as const) {
    it(`lets a queue by ${order} transform every object of a streaming list and after it, each once`, async () => {
      const seen: string[] = [];
      const fifo = new DeltaFIFO<View>({
        order,
        transform: ({ object }) => {
          seen.push(object.metadata.name);
          return new DecodedView<Thing>({ ...object, spec: 'transformed' });
        },
      });
      const runtime = new VirtualRuntime();
      const objects = [thing('a'), thing('b')];
      const source = new ScriptedListerWatcher<Thing>({ runtime, objects });
      const stopper = new AbortController();
      const reflector = new Reflector<View>({ listerWatcher: source, sink: fifo, runtime });
      const done = reflector.run({ signal: stopper.signal });
      await runtime.settle();
      source.add(thing('c'));
      await runtime.settle();
      expect(source.requests.map(({ kind }) => kind)).to.deep.equal(['watch-list']);
      expect(seen.toSorted()).to.deep.equal(['a', 'b', 'c']);
      stopper.abort();
      await runtime.run(done);
    });
  }
});

describe('Reflector with streaming lists beside client-go', () => {
  it('asks a source for them that says nothing about them', async () => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher<Thing>({ runtime, objects: [thing('a')] });
    const silent = {
      description: 'things',
      list: source.list.bind(source),
      watch: source.watch.bind(source),
    };
    const stopper = new AbortController();
    const sink = new RecordingSink();
    const reflector = new Reflector<View>({ listerWatcher: silent, sink, runtime });
    const done = reflector.run({ signal: stopper.signal });
    await runtime.settle();
    expect(source.requests.map(({ kind }) => kind)).to.deep.equal(['watch-list']);
    stopper.abort();
    await runtime.run(done);
  });

  it('has no version while a streaming list brought nothing', async () => {
    const { runtime, reflector, stop } = rig({
      watchList: true,
      source: { objects: [] },
      prepare: (source) => {
        source.withholdInitialEventsEnd = true;
      },
    });
    await runtime.settle();
    expect(reflector.lastSyncResourceVersion).to.equal('');
    await stop();
  });

  it('does not hold a watch to the time its list had', async () => {
    const { runtime, source, errors, times, stop } = rig({ watchList: true });
    await runtime.advance(240_000);
    expect(errors).to.deep.equal([]);
    expect(times('watch-list')).to.deep.equal([0]);
    expect(source.openWatches).to.equal(1);
    await stop();
  });

  it('watches on from its last version when the stream of a streaming list ends', async () => {
    const { runtime, source, requests, sink, stop } = rig({ watchList: true });
    await runtime.advance(2000);
    source.add(thing('c'));
    await runtime.settle();
    source.closeWatches();
    await runtime.settle();
    expect(requests().slice(1)).to.deep.equal(['watch allowWatchBookmarks=true resourceVersion=3']);
    source.add(thing('d'));
    await runtime.settle();
    expect(sink.calls.at(-1)).to.equal('ADDED d @4');
    await stop();
  });

  it('reports a version that has expired when the watch is reopened, and begins a new round', async () => {
    const { runtime, source, errors, times, stop } = rig({ watchList: true, backoff: STEADY });
    await runtime.advance(2000);
    const tooOld = expired('too old');
    source.failNext('watch', tooOld);
    source.closeWatches();
    await runtime.advance(1000);
    expect(errors.map(({ error }) => error)).to.deep.equal([tooOld]);
    expect(times('watch-list')).to.deep.equal([0, 3000]);
    await stop();
  });
});
