import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod, type Pod } from '../support/objects.ts';

interface Run {
  /** The events, with the virtual time. */
  readonly trace: readonly string[];
  /** The content of the cache at the end. */
  readonly cache: Readonly<Record<string, string>>;
}

interface RunOptions {
  readonly seed: number;
  readonly order: 'fifo' | 'random';
}

/** Names, but not their resource versions, are the same whatever the order of the writers. */
const NAMES = ['a', 'b', 'c', 'd', 'e'];

/**
 * An informer with an instant handler and one that takes its time, two writers, and a connection that breaks in between.
 * Everything that is a matter of chance comes from the runtime.
 */
async function play({ seed, order }: RunOptions): Promise<Run> {
  const runtime = new VirtualRuntime({ seed, order });
  const trace: string[] = [];
  const note = (text: string): void => {
    trace.push(`${runtime.monotonicMs()} ${text}`);
  };
  const source = new ScriptedListerWatcher<Pod>({
    runtime,
    description: 'pods',
    objects: NAMES.map((name) => pod(name)),
    latencyMs: 3,
  });
  const informer = new SharedIndexInformer<Pod>({
    listerWatcher: source,
    runtime,
    resyncIntervalMs: 2000,
    indexers: { byLabel: ({ metadata }) => Object.values(metadata.labels ?? {}) },
    onError: (_, { message }) => note(message),
  });
  informer.events.on('transition', ({ from, to }) => note(`reflector ${from} -> ${to}`));
  for (const name of ['instant', 'thoughtful']) {
    const notify = async (what: string, object: Pod): Promise<void> => {
      const { metadata } = object;
      note(`${name} ${what} ${metadata.name}@${metadata.resourceVersion}`);
      if (name === 'thoughtful') await sleep(runtime, 1 + runtime.random() * 20);
    };
    informer.addHandler(
      {
        onAdd: (object) => notify('add', object),
        onUpdate: (_, object, { resync }) => notify(resync ? 'resync' : 'update', object),
        onDelete: (object) => notify('delete', object),
      },
      { name },
    );
  }
  const running = informer.run();
  await runtime.run(async () => {
    await informer.whenSynced({ timeoutMs: 10_000 });
    const writers = ['red', 'blue'].map((color) => write(runtime, source, color));
    await sleep(runtime, 500);
    source.dropConnections();
    await Promise.all(writers);
    source.delete({ namespace: 'shop', name: 'e' });
    await sleep(runtime, 10_000);
    await informer.close();
  });
  await running;
  const labels = informer.indexer
    .list()
    .map(({ metadata }): [string, string] => [metadata.name, Object.keys(metadata.labels!).join()]);
  return {
    trace,
    cache: Object.fromEntries(labels.toSorted(([left], [right]) => (left < right ? -1 : 1))),
  };
}

/** Labels every pod, in an order and at times that the seed decides. */
async function write(
  runtime: VirtualRuntime,
  source: ScriptedListerWatcher<Pod>,
  color: string,
): Promise<void> {
  for (const name of NAMES) {
    await new Promise<void>((resolve) => {
      runtime.queueTask(resolve);
    });
    if (runtime.random() < 0.5) await sleep(runtime, runtime.random() * 300);
    const present = source.objects.find(({ metadata }) => metadata.name === name);
    const labels = { ...present?.metadata.labels, [color]: 'yes' };
    const sorted = Object.entries(labels).toSorted(([left], [right]) => (left < right ? -1 : 1));
    source.modify(pod(name, { labels: Object.fromEntries(sorted) }));
  }
}

describe('a run of an informer in virtual time', () => {
  for (const order of ['fifo', 'random'] as const) {
    it(`is repeated exactly by its seed (order ${order})`, async () => {
      const [first, second] = [await play({ seed: 7, order }), await play({ seed: 7, order })];
      expect(first.trace.length).to.be.greaterThan(40);
      expect(second).to.deep.equal(first);
    });
  }

  it('takes another course with another seed, and ends in the same cache', async () => {
    const runs: Run[] = [];
    for (let seed = 1; seed <= 5; seed += 1) runs.push(await play({ seed, order: 'random' }));
    const traces = new Set(runs.map(({ trace }) => trace.join('\n')));
    expect(traces.size).to.equal(runs.length);
    for (const { cache } of runs) {
      expect(cache).to.deep.equal({ a: 'blue,red', b: 'blue,red', c: 'blue,red', d: 'blue,red' });
    }
  });
});
