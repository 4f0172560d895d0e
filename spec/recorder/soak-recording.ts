import type { SharedIndexInformerOptions } from '../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { objectJson } from '../../lib/cache/memory/views/object-json.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import type { ObjectView } from '../../lib/meta/object-view.ts';
import { record, type Recording } from '../../lib/recorder/source-recording.ts';
import { replay } from '../../lib/recorder/replay/replay.ts';
import { drawScenario, type Scenario } from '../soak/scenario.ts';
import { runScenario } from '../soak/soak-run.ts';
import type { Thing } from '../soak/thing.ts';
import { MemoryFiles } from './support/memory-files.ts';

/** The results of an informer with a recording. */
export interface Notified {
  /** A line for each call of a handler: kind, key, version. */
  readonly calls: readonly string[];
  /** The bytes of each object at the end, by key. */
  readonly objects: Readonly<Record<string, string>>;
}

/** The world of a seed of the soak, recorded. */
export interface RecordedSoak {
  readonly bytes: Buffer;
  readonly live: Notified;
  readonly virtualMs: number;
  readonly failures: readonly string[];
}

const LIMIT_MS = 86_400_000;

/** A scenario whose handlers get what came, in the order in which it came: without resyncs and transforms. */
export function plainScenario(seed: number): Scenario {
  const scenario = drawScenario(seed);
  const faults = scenario.faults.filter((kind) => kind !== 'transform' && kind !== 'index');
  return {
    ...scenario,
    source: 'model',
    order: 'arrival',
    // An informer that is closed has not applied all that it has received.
    closesEarly: false,
    resyncIntervalMs: 0,
    transform: false,
    faults,
  };
}

export async function recordSoak(seed: number): Promise<RecordedSoak> {
  const files = new MemoryFiles();
  let recording: Promise<Recording<Thing>> | undefined;
  let notified: (() => Notified) | undefined;
  const { virtualMs, failures } = await runScenario(plainScenario(seed), {
    through: (source, runtime) => {
      const begun = record<Thing>(source, 'soak', { files, runtime });
      recording = begun;
      return {
        description: source.description,
        supports: source.supports,
        list: async (request, onItems) => (await begun).listerWatcher.list(request, onItems),
        watch: async (request) => (await begun).listerWatcher.watch(request),
      };
    },
    onInformer: (informer) => {
      notified = listen(informer as unknown as SharedIndexInformer<KubernetesObject>);
    },
  });
  const recorded = await recording;
  await recorded?.close();
  if (recorded?.failure !== undefined) throw recorded.failure as Error;
  return { bytes: files.bytes('soak'), live: notified!(), virtualMs, failures };
}

/** Replays a recording at its own times, in virtual time. */
export async function replaySoak(path: string, seed: number): Promise<Notified> {
  const { order, pageSize, queueCapacity, minWatchTimeoutMs, listTimeoutMs, watchListTimeoutMs } =
    plainScenario(seed);
  const { idleTimeoutMs, silenceProbeMs, internalErrorRetryMs, freeze, cache } =
    plainScenario(seed);
  const options: Partial<SharedIndexInformerOptions<KubernetesObject>> = {
    order,
    pageSize,
    queueCapacity,
    minWatchTimeoutMs,
    listTimeoutMs,
    watchListTimeoutMs,
    idleTimeoutMs,
    silenceProbeMs,
    internalErrorRetryMs,
    freeze,
    cache,
  };
  const runtime = new VirtualRuntime();
  const source = await replay(path, { runtime });
  const informer = new SharedIndexInformer<KubernetesObject>({
    listerWatcher: source,
    runtime,
    logger: silentLogger,
    onError: () => {},
    ...options,
  });
  const notified = listen(informer);
  const running = informer.run();
  await runtime.run(source.whenFinished(), { limitMs: LIMIT_MS });
  await runtime.settle();
  await runtime.advance(1000);
  const end = notified();
  await runtime.run(informer.close());
  await running;
  return end;
}

function listen(informer: SharedIndexInformer<KubernetesObject>): () => Notified {
  const calls: string[] = [];
  informer.addHandler({
    view: 'metadata',
    onAdd: ({ key, metadata }) => void calls.push(`+ ${key} ${metadata.resourceVersion}`),
    onUpdate: (_, { key, metadata }) => void calls.push(`~ ${key} ${metadata.resourceVersion}`),
    onDelete: ({ key, metadata }) => void calls.push(`- ${key} ${metadata.resourceVersion}`),
  });
  const { lazy } = informer.indexer;
  return () => {
    const objects: Record<string, string> = {};
    for (const key of lazy.keys()) {
      const view = lazy.get(key) as ObjectView | undefined;
      if (view !== undefined) objects[key] = objectJson(view).toString('utf8');
    }
    return { calls: [...calls], objects };
  };
}
