import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import {
  CacheSyncError,
  waitForCacheSync,
  type CacheSync,
  type CacheSyncOptions,
  type CacheSyncProgress,
} from '../../../../lib/cache/informer/factory/wait-for-cache-sync.ts';
import { abortable } from '../../../../lib/kernel/time/abort.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { Latch } from '../../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { forbidden } from '../../../../lib/meta/failure/failures.ts';
import { Harness } from '../../support/informer-harness.ts';
import { pod, rejection } from '../../support/objects.ts';
import { lineLogger } from '../../../support/line-logger.ts';

/** A cache that syncs, or ends, on command. */
class ScriptedCache implements CacheSync {
  readonly name: string;
  readonly #latch: Latch;
  #failure: Error | undefined;

  constructor(name: string) {
    this.name = name;
    this.#latch = new Latch(name);
  }

  get synced(): boolean {
    return this.#latch.isOpen && this.#failure === undefined;
  }

  get waitingFor(): string {
    return `the list of ${this.name}`;
  }

  async whenSynced({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<void> {
    await abortable(this.#latch.opened, signal);
    if (this.#failure !== undefined) throw this.#failure;
  }

  sync(): void {
    this.#latch.open();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#latch.open();
  }
}

describe('waitForCacheSync', () => {
  let runtime: VirtualRuntime;
  let pods: ScriptedCache;
  let nodes: ScriptedCache;
  let warnings: string[];
  let notes: string[];

  beforeEach(() => {
    runtime = new VirtualRuntime();
    pods = new ScriptedCache('pods');
    nodes = new ScriptedCache('nodes');
    warnings = [];
    notes = [];
  });

  const wait = (caches: readonly CacheSync[], options: CacheSyncOptions = {}): Promise<void> =>
    waitForCacheSync(caches, {
      runtime,
      logger: lineLogger(
        (line, level) => (level === 'debug' ? notes : warnings).push(line),
        ['debug', 'warn'],
      ),
      ...options,
    });

  const failureOf = async (work: Promise<void>): Promise<CacheSyncError> => {
    const error = await runtime.run(rejection(work));
    expect(error).to.be.instanceOf(CacheSyncError);
    return error as unknown as CacheSyncError;
  };

  it('needs no time for nothing at all and for what is synced, even when it was aborted', async () => {
    const signal = AbortSignal.abort();
    pods.sync();
    await wait([], { signal });
    await wait([pods], { signal, timeoutMs: 0 });
    expect(runtime.pending).to.equal(0);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('resolves when the last one has synced, and notes each', async () => {
    runtime.setTimer(100, () => pods.sync());
    runtime.setTimer(300, () => nodes.sync());
    await runtime.run(wait([pods, nodes], { timeoutMs: 1_000 }));
    expect(runtime.monotonicMs()).to.equal(300);
    expect(notes).to.deep.equal([
      'cache synced (name=pods elapsedMs=100 missing=1)',
      'cache synced (name=nodes elapsedMs=300 missing=0)',
    ]);
    expect(warnings).to.deep.equal([]);
    expect(runtime.pending).to.equal(0);
  });

  it('says every ten seconds what is missing and why', async () => {
    runtime.setTimer(15_000, () => pods.sync());
    runtime.setTimer(25_000, () => nodes.sync());
    await runtime.run(wait([pods, nodes]));
    expect(warnings).to.deep.equal([
      'caches are not synced yet (waitsFor="2 of 2 caches: the list of nodes; the list of pods" elapsedMs=10000)',
      'caches are not synced yet (waitsFor="1 of 2 caches: the list of nodes" elapsedMs=20000)',
    ]);
  });

  it('calls a hook instead, in whole milliseconds, also whenever an informer has synced', async () => {
    const seen: CacheSyncProgress[] = [];
    runtime.setTimer(15_000.0228, () => pods.sync());
    runtime.setTimer(25_000, () => nodes.sync());
    const onProgress = (progress: CacheSyncProgress): void => {
      seen.push(progress);
    };
    await runtime.run(wait([pods, nodes], { onProgress, progressIntervalMs: 20_000 }));
    const waiting = { name: 'nodes', waitingFor: 'the list of nodes' };
    expect(seen).to.deep.equal([
      { elapsedMs: 15_000, synced: ['pods'], missing: [waiting] },
      { elapsedMs: 20_000, synced: ['pods'], missing: [waiting] },
      { elapsedMs: 25_000, synced: ['nodes', 'pods'], missing: [] },
    ]);
    expect(warnings).to.deep.equal([]);
  });

  it('continues when the hook throws, and logs it', async () => {
    const errors: string[] = [];
    const logger = lineLogger((line) => errors.push(line));
    const onProgress = (): never => {
      throw new Error('boom');
    };
    runtime.setTimer(5, () => pods.sync());
    await runtime.run(wait([pods], { onProgress, logger }));
    expect(errors).to.deep.equal(['hook threw: boom (hook=onProgress)']);
  });

  it('gives up at its deadline and names what is missing, sorted, and nothing else', async () => {
    const services = new ScriptedCache('services');
    runtime.setTimer(10, () => nodes.sync());
    const { signal } = new AbortController();
    const error = await failureOf(wait([services, pods, nodes], { timeoutMs: 50, signal }));
    expect(error.code).to.equal('TIMEOUT');
    expect(error.message).to.equal(
      'gave up after 50 ms waiting for 2 of 3 caches: the list of pods; the list of services',
    );
    expect(error.missing.map(({ name }) => name)).to.deep.equal(['pods', 'services']);
    expect(runtime.monotonicMs()).to.equal(50);
    expect(runtime.pending).to.equal(0);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('names all of them when none has synced in time', async () => {
    const last = new ScriptedCache('last');
    const error = await failureOf(wait([pods, nodes, last], { timeoutMs: 60_000 }));
    expect(error.missing.map(({ name }) => name)).to.deep.equal(['last', 'nodes', 'pods']);
    expect(notes).to.deep.equal([]);
    expect(runtime.monotonicMs()).to.equal(60_000);
  });

  it('gives up when it is aborted, with the reason as the cause', async () => {
    const stop = new AbortController();
    const reason = new Error('shutting down');
    runtime.setTimer(10, () => nodes.sync());
    runtime.setTimer(20, () => stop.abort(reason));
    const { signal } = stop;
    const error = await failureOf(wait([pods, nodes], { signal, timeoutMs: 100_000 }));
    expect(error.code).to.equal('ABORTED');
    expect(error.message)
      .to.include('shutting down')
      .and.include('1 of 2 caches: the list of pods');
    expect(error.cause).to.equal(reason);
    expect(error.missing).to.have.length(1);
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
    expect(runtime.pending).to.equal(0);
  });

  it('gives up at once when it was aborted before', async () => {
    const reason = new Error('shut down');
    const error = await failureOf(wait([pods, nodes], { signal: AbortSignal.abort(reason) }));
    expect(error.missing.map(({ name }) => name)).to.deep.equal(['nodes', 'pods']);
    expect(error.cause).to.equal(reason);
    expect(runtime.monotonicMs()).to.equal(0);
  });

  it('gives up as soon as one of them has ended, with its code', async () => {
    const unknown = new ListwatchError('RESOURCE_UNKNOWN', 'the server does not serve nodes');
    runtime.setTimer(5, () => nodes.fail(unknown));
    const error = await failureOf(wait([pods, nodes], { timeoutMs: 1_000 }));
    expect(error.code).to.equal('RESOURCE_UNKNOWN');
    expect(error.message).to.equal('the server does not serve nodes');
    expect(error.cause).to.equal(unknown);
    expect(runtime.monotonicMs()).to.equal(5);
  });

  it('waits for handlers as it does for caches, and says which one has not seen everything', async () => {
    const objects = [pod('a'), pod('b'), pod('c')];
    const harness = new Harness({ objects, runtime });
    const slow = harness.informer.addHandler(
      { onAdd: async () => await new Promise<void>(() => {}) },
      { name: 'slow' },
    );
    const quick = harness.informer.addHandler({ onAdd: () => {} }, { name: 'quick' });
    harness.launch();
    await runtime.run(wait([harness.informer, quick], { timeoutMs: 1_000 }));
    const error = await failureOf(wait([harness.informer, quick, slow], { timeoutMs: 1_000 }));
    expect(error.message).to.equal(
      'gave up after 1000 ms waiting for 1 of 3 caches: slow to see 3 more initial objects',
    );
    slow.remove();
    await harness.informer.close().catch(() => {});
  });

  it('repeats what a server said about a cache that does not sync', async () => {
    const harness = new Harness({ runtime });
    const refusal = forbidden({ group: '', resource: 'pods' }, '', 'no rule allows it');
    harness.source.failNext('watch-list', refusal, 1_000);
    harness.source.failNext('list', refusal, 1_000);
    harness.launch();
    const error = await failureOf(wait([harness.informer], { timeoutMs: 15_000 }));
    for (const text of [error.message, warnings[0]]) {
      expect(text).to.include('no rule allows it').and.include('apiGroups');
    }
    await harness.stop();
  });

  it('refuses options that make no sense', async () => {
    const codes = [
      { timeoutMs: -1 },
      { timeoutMs: Number.NaN },
      { progressIntervalMs: 0 },
      { timeout: 5 } as object,
    ].map(async (options) => (await rejection(wait([pods], options))).code);
    expect(await Promise.all(codes)).to.deep.equal(Array(4).fill('INVALID_OPTION'));
  });

  it('fails at once for an informer that has not been started, and for a handler on it', async () => {
    const harness = new Harness();
    const registration = harness.informer.addHandler({ onAdd: () => {} });
    for (const cache of [harness.informer, registration]) {
      const options = { runtime: harness.runtime, logger: silentLogger };
      const error = await harness.runtime.run(rejection(waitForCacheSync([cache], options)));
      expect(error).to.be.an.instanceOf(CacheSyncError).with.property('code', 'NOT_STARTED');
      expect(error.message).to.include('call start()');
    }
    await harness.stop();
  });
});
