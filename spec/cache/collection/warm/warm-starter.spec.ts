import { expect } from 'chai';
import type { WarmStart, WarmState } from '../../../../lib/cache/collection/warm/warm-start.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type { ObjectView } from '../../../../lib/meta/object-view.ts';
import { ScriptedListerWatcher } from '../../../../lib/testing/scripted-lister-watcher.ts';
import { Harness, recorder } from '../../support/informer-harness.ts';
import { pod, type Pod } from '../../support/objects.ts';

interface KeptOptions {
  /** How long its objects take to be read, milliseconds. */
  readonly readMs: number;
  /** The rest cannot be read. */
  readonly damaged?: boolean;
}

/** A state of three pods at version 3, as an informer has saved it. */
class KeptState implements WarmStart {
  readonly everyMs = 60_000;
  closed = 0;
  readonly #runtime: VirtualRuntime;
  readonly #options: KeptOptions;

  constructor(runtime: VirtualRuntime, options: KeptOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  async load(): Promise<WarmState> {
    const { items, resourceVersion } = await threePods().list({});
    const close = (): Promise<void> => {
      this.closed += 1;
      return Promise.resolve();
    };
    return { resourceVersion, pieces: this.#pieces(items), close };
  }

  save(): Promise<void> {
    return Promise.resolve();
  }

  async *#pieces(items: readonly ObjectView<Pod>[]): AsyncGenerator<readonly ObjectView<Pod>[]> {
    const { readMs, damaged = false } = this.#options;
    for (const item of items) {
      await sleep(this.#runtime, readMs / items.length);
      yield [item];
    }
    if (damaged) throw new Error('cut short');
  }
}

const PODS = [pod('a'), pod('b'), pod('c')];

function threePods(): ScriptedListerWatcher<Pod> {
  return new ScriptedListerWatcher<Pod>({ objects: PODS, description: 'pods' });
}

/** An informer of three pods that starts from what was saved of them. */
function warmInformer(
  options: KeptOptions,
  runtime: VirtualRuntime = new VirtualRuntime(),
): {
  readonly harness: Harness;
  readonly kept: KeptState;
  readonly log: string[];
} {
  const warmStart = new KeptState(runtime, options);
  const harness = new Harness({ runtime, objects: PODS, warmStart, watchList: false });
  const log: string[] = [];
  harness.informer.addHandler(recorder(log));
  return { harness, kept: warmStart, log };
}

/** Its tasks run after the timers that are due, as where the event loop was blocked. */
class BlockedRuntime extends VirtualRuntime {
  override queueTask(task: () => void): void {
    this.setTimer(0, task);
  }
}

/** Kinds and times of the requests so far. */
const requestsOf = ({ source }: Harness): string[] =>
  source.requests.map(({ kind, atMs, request }) =>
    `${kind} ${request.resourceVersion ?? ''} at ${atMs}`.replace('  ', ' '),
  );

describe('WarmStarter', () => {
  it('requests the watch before it reads the saved objects, and reads it after them', async () => {
    const { harness, log } = warmInformer({ readMs: 3000 });
    harness.launch();
    await harness.runtime.advance(1000);
    expect(requestsOf(harness)).to.deep.equal(['list at 0', 'watch 3 at 0']);
    harness.source.add(pod('late'));
    await harness.runtime.advance(1900);
    expect(log).to.deep.equal([]);
    await harness.runtime.advance(200);
    expect(log.slice(0, 3)).to.have.members(['+shop/a@1!', '+shop/b@2!', '+shop/c@3!']);
    expect(log.slice(3)).to.deep.equal(['+shop/late@4']);
    expect(harness.informer.synced).to.equal(true);
    expect(requestsOf(harness)).to.have.length(2);
    await harness.stop();
  });

  it('is synced 100 ms after the saved objects were read, where that took a second', async () => {
    const { harness } = warmInformer({ readMs: 3000 });
    harness.launch();
    await harness.runtime.advance(3090);
    expect(harness.informer.synced).to.equal(false);
    await harness.runtime.advance(20);
    expect(harness.informer.synced).to.equal(true);
    await harness.stop();
  });

  it('is synced a second after the watch was accepted, where the objects were read sooner', async () => {
    const { harness } = warmInformer({ readMs: 300 });
    harness.launch();
    await harness.runtime.advance(990);
    expect(harness.informer.synced).to.equal(false);
    await harness.runtime.advance(20);
    expect(harness.informer.synced).to.equal(true);
    await harness.stop();
  });

  it('is not synced by the silence of a watch that has failed since', async () => {
    const { harness } = warmInformer({ readMs: 3000 });
    harness.launch();
    await harness.runtime.advance(3050);
    harness.source.dropConnections();
    harness.source.failNext('watch', new Error('away'));
    harness.source.failNext('list', new Error('away'));
    await harness.runtime.advance(200);
    expect(harness.informer.synced).to.equal(false);
    await harness.runtime.run(harness.informer.whenSynced());
    const [, first, second] = requestsOf(harness);
    expect([first, second?.slice(0, 10)]).to.deep.equal(['watch 3 at 0', 'watch 3 at']);
    await harness.stop();
  });

  it('is not synced by the silence of a watch whose failure is there, and not read', async () => {
    const { harness } = warmInformer({ readMs: 3000 }, new BlockedRuntime());
    harness.launch();
    await harness.runtime.advance(3050);
    harness.runtime.setTimer(50, () => {
      harness.source.dropConnections();
      harness.source.failNext('watch', new Error('away'));
      harness.source.failNext('list', new Error('away'));
    });
    await harness.runtime.advance(100);
    expect(harness.source.openWatches).to.equal(0);
    expect(harness.informer.synced).to.equal(false);
    await harness.runtime.run(harness.informer.whenSynced());
    await harness.stop();
  });

  it('lists when the watch was refused meanwhile, and notifies handlers of deletions', async () => {
    const { harness, log } = warmInformer({ readMs: 3000 });
    harness.source.delete({ namespace: 'shop', name: 'b' });
    harness.source.compact();
    harness.launch();
    await harness.runtime.advance(5000);
    expect(requestsOf(harness).slice(0, 2)).to.deep.equal(['list at 0', 'watch 3 at 0']);
    expect(requestsOf(harness)[2]).to.match(/^list 3 at 3\d{3}$/);
    expect(log.slice(0, 3)).to.have.members(['+shop/a@1!', '+shop/b@2!', '+shop/c@3!']);
    expect(log.slice(3)).to.deep.equal(['-shop/b@2!']);
    expect(harness.informer.synced).to.equal(true);
    await harness.stop();
  });

  it('waits for no silence of a server that did not say its version, and opens no watch before', async () => {
    const { harness } = warmInformer({ readMs: 300 });
    harness.source.failNext('list', new Error('away'));
    harness.launch();
    await harness.runtime.advance(2000);
    expect(requestsOf(harness)).to.deep.equal(['list at 0', 'watch 3 at 300']);
    expect(harness.informer.synced).to.equal(false);
    harness.source.bookmark();
    await harness.settle();
    expect(harness.informer.synced).to.equal(true);
    await harness.stop();
  });

  it('closes the watch and lists when what was saved is damaged', async () => {
    const { harness, kept, log } = warmInformer({ readMs: 3000, damaged: true });
    harness.launch();
    await harness.runtime.advance(2500);
    expect(harness.source.openWatches).to.equal(1);
    await harness.runtime.run(harness.informer.whenSynced());
    await harness.settle();
    expect(harness.source.openWatches).to.equal(1);
    expect(requestsOf(harness)).to.deep.equal([
      'list at 0',
      'watch 3 at 0',
      'list 0 at 3000',
      'watch 3 at 3000',
    ]);
    expect(harness.errors.map(({ error }) => error.message)).to.deep.equal(['cut short']);
    expect(log).to.have.length(3);
    expect(kept.closed).to.equal(1);
    await harness.stop();
  });

  it('leaves no watch open when the informer stops while it reads what was saved', async () => {
    const { harness, kept } = warmInformer({ readMs: 3000 });
    harness.launch();
    await harness.runtime.advance(1000);
    expect(harness.source.openWatches).to.equal(1);
    await harness.stop();
    expect(harness.source.openWatches).to.equal(0);
    expect(kept.closed).to.equal(1);
    expect(harness.runtime.pending).to.equal(0);
  });
});
