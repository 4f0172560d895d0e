import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { WatchReader } from '../../../../lib/cache/reflector/watch/watch-reader.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import type { Timer } from '../../../../lib/kernel/time/runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../../lib/testing/scripted-lister-watcher.ts';
import { thing, type Thing, type View } from '../reflector-support.ts';

function reader(timeoutSeconds: number = 100): {
  runtime: VirtualRuntime;
  source: ScriptedListerWatcher<Thing>;
  stopper: AbortController;
  watch: WatchReader<View>;
} {
  const runtime = new VirtualRuntime();
  const source = new ScriptedListerWatcher<Thing>({ runtime, objects: [thing('a')] });
  const stopper = new AbortController();
  const request = { resourceVersion: '1', timeoutSeconds };
  const { signal } = stopper;
  return {
    runtime,
    source,
    stopper,
    watch: new WatchReader({ runtime, listerWatcher: source, request, signal }),
  };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

/** A watch that brings nothing and does not end. */
const SILENT = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };

describe('WatchReader', () => {
  it('reads batches and then the end', async () => {
    const { runtime, source, watch } = reader();
    await watch.open();
    source.add(thing('b'));
    source.add(thing('c'));
    expect(await watch.read()).to.have.length(2);
    expect(watch.events).to.equal(2);
    source.closeWatches();
    expect(await watch.read()).to.equal(undefined);
    watch.close();
    expect(runtime.pending).to.equal(0);
  });

  it('leaves no listener on the signal and no timer, at every kind of end', async () => {
    const endings: ((test: ReturnType<typeof reader>) => void)[] = [
      ({ watch }) => watch.close(),
      ({ watch }) => watch.interrupt(new Error('enough')),
      ({ stopper }) => stopper.abort(),
    ];
    for (const end of endings) {
      const test = reader();
      await test.watch.open();
      const read = failureOf(test.watch.read());
      end(test);
      expect(await read).to.be.an.instanceOf(Error);
      expect(getEventListeners(test.stopper.signal, 'abort')).to.have.length(0);
      expect(test.runtime.pending).to.equal(0);
      expect(test.source.openWatches).to.equal(0);
    }
  });

  it('leaves no timer after a long pause of its reader, with an idle limit and without', async () => {
    for (const idleTimeoutMs of [undefined, 7000]) {
      const runtime = new VirtualRuntime();
      const source = new ScriptedListerWatcher<Thing>({ runtime });
      source.watch = () => Promise.resolve(SILENT);
      const watch = new WatchReader({
        runtime,
        listerWatcher: source,
        request: { resourceVersion: '1', timeoutSeconds: 5 },
        signal: new AbortController().signal,
        idleTimeoutMs,
      });
      await watch.open();
      expect(runtime.pending, 'the deadline; the idle limit has no timer without a read').to.equal(
        1,
      );
      await runtime.advance(100_000);
      expect(runtime.pending, 'it has armed itself again').to.equal(1);
      watch.close();
      expect(runtime.pending).to.equal(0);
    }
  });

  it('leaves no timer when it is closed before the source has answered', async () => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher<Thing>({ runtime });
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    source.watch = async () => {
      await answered;
      return SILENT;
    };
    const watch = new WatchReader({
      runtime,
      listerWatcher: source,
      request: { resourceVersion: '1', timeoutSeconds: 5 },
      signal: new AbortController().signal,
      idleTimeoutMs: 7000,
    });
    const opened = failureOf(watch.open());
    watch.close();
    answer();
    expect(await opened).to.have.property('code', 'CLOSED');
    await runtime.settle();
    expect(runtime.pending).to.equal(0);
  });

  it('gives a source up that does not end at its timeout', async () => {
    const { runtime, source, watch } = reader(5);
    source.watch = () => Promise.resolve(SILENT);
    await watch.open();
    const read = failureOf(watch.read());
    await runtime.advance(14_999);
    expect(runtime.pending).to.equal(1);
    await runtime.advance(1);
    const error = await read;
    expect(error).to.be.an.instanceOf(ListwatchError).with.property('code', 'TIMEOUT');
    expect((error as Error).message).to.include('timeout of 5 s');
  });

  it('does not take its own slowness for a dead source', async () => {
    const { runtime, source, watch } = reader(5);
    await watch.open();
    await runtime.advance(4000);
    source.add(thing('b'));
    await runtime.advance(60_000);
    expect(source.openWatches, 'the source has ended the watch').to.equal(0);
    expect(await watch.read()).to.have.length(1);
    expect(await watch.read()).to.equal(undefined);
    watch.close();
    expect(runtime.pending).to.equal(0);
  });

  it('fails to open when the signal has aborted', async () => {
    const runtime = new VirtualRuntime();
    const source = new ScriptedListerWatcher<Thing>({ runtime });
    const reason = new Error('stopped before');
    const watch = new WatchReader({
      runtime,
      listerWatcher: source,
      request: { timeoutSeconds: 5 },
      signal: AbortSignal.abort(reason),
    });
    expect(await failureOf(watch.open())).to.equal(reason);
    await runtime.settle();
    expect(source.openWatches).to.equal(0);
    expect(runtime.pending).to.equal(0);
  });

  it('rejects an invalid result of a stream, and a throw in place of one', async () => {
    const answers: (() => unknown)[] = [
      () => Promise.resolve(undefined),
      () => Promise.resolve({ done: false }),
      () => undefined,
      () => {
        throw new TypeError('no next');
      },
    ];
    for (const next of answers) {
      const { runtime, source, watch } = reader();
      const stream = { [Symbol.asyncIterator]: () => ({ next }) };
      source.watch = () => Promise.resolve(stream as Awaited<ReturnType<typeof source.watch>>);
      await watch.open();
      expect(await failureOf(watch.read())).to.be.an.instanceOf(TypeError);
      watch.close();
      expect(runtime.pending).to.equal(0);
    }
  });

  it('counts nothing that comes after its end', async () => {
    const { source, watch } = reader();
    let bring: (result: unknown) => void = () => {};
    const next = (): Promise<unknown> => new Promise((resolve) => (bring = resolve));
    const stream = { [Symbol.asyncIterator]: () => ({ next }) };
    source.watch = () => Promise.resolve(stream as Awaited<ReturnType<typeof source.watch>>);
    await watch.open();
    const read = failureOf(watch.read());
    watch.interrupt(new Error('enough'));
    bring({ done: false, value: [1, 2, 3] });
    expect(await read).to.have.property('message', 'enough');
    await Promise.resolve();
    expect(watch.events).to.equal(0);
  });

  it('arms no timer for a batch', async () => {
    const { runtime, source, watch } = reader();
    await watch.open();
    let armed = 0;
    const setTimer = runtime.setTimer.bind(runtime);
    runtime.setTimer = (...timer): Timer => {
      armed += 1;
      return setTimer(...timer);
    };
    for (let count = 0; count < 100; count += 1) {
      source.add(thing(`n${count}`));
      expect(await watch.read()).to.have.length(1);
    }
    expect(armed).to.equal(0);
    watch.close();
  });

  it('passes a throw of the source on', async () => {
    const { source, watch } = reader();
    source.watch = () => {
      throw new Error('broken source');
    };
    expect(await failureOf(watch.open())).to.have.property('message', 'broken source');
    watch.close();
  });
});
