import type {
  ObjectMetadata,
  ResourceEventHandler,
} from '../../../lib/cache/informer/handlers/event-handler.ts';
import type { SharedIndexInformerOptions } from '../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { record } from '../../../lib/recorder/source-recording.ts';
import type { RecordOptions } from '../../../lib/recorder/record-options.ts';
import { replay, type ReplayOptions } from '../../../lib/recorder/replay/replay.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { BytesSource } from '../../cache/support/bytes-source.ts';
import { recorder } from '../../cache/support/informer-harness.ts';
import { pod, type Pod } from '../../cache/support/objects.ts';
import { MemoryFiles } from './memory-files.ts';

/** An informer of scripted pods in virtual time, recorded in memory. */
export class Recorded {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly files: MemoryFiles = new MemoryFiles();
  readonly log: string[] = [];
  readonly pods: ScriptedListerWatcher<Pod>;
  readonly informer: SharedIndexInformer<Pod>;
  #running: Promise<void> | undefined;

  constructor(
    options: Partial<SharedIndexInformerOptions<Pod>> = {},
    count: number = 3,
    reads: 'object' | 'metadata' = 'object',
    comes: 'as bytes' | 'decoded' = 'as bytes',
  ) {
    const { runtime } = this;
    const objects = Array.from({ length: count }, (_, index) => pod(`pod-${index}`));
    this.pods = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
    this.informer = new SharedIndexInformer<Pod>({
      listerWatcher: comes === 'decoded' ? this.pods : new BytesSource(this.pods),
      runtime,
      logger: silentLogger,
      ...options,
    });
    if (reads === 'object') this.informer.addHandler(recorder(this.log));
    else this.informer.addHandler(metadataRecorder(this.log));
  }

  async record(options: RecordOptions = {}): Promise<Awaited<ReturnType<typeof record<Pod>>>> {
    return await record<Pod>(this.informer, 'pods.listwatch', { files: this.files, ...options });
  }

  async start(): Promise<void> {
    this.#running = this.informer.run();
    await this.runtime.run(this.informer.whenSynced({ timeoutMs: 60_000 }));
    await this.runtime.settle();
  }

  async stop(): Promise<void> {
    await this.runtime.run(this.informer.close());
    await this.#running;
  }

  get bytes(): Buffer {
    return this.files.bytes('pods.listwatch');
  }
}

export interface Played {
  readonly log: readonly string[];
  readonly objects: readonly Pod[];
  readonly virtualMs: number;
}

/** An informer that reads a recording to its end. */
export async function play(
  path: string,
  replayOptions: ReplayOptions = {},
  options: Partial<SharedIndexInformerOptions<Pod>> = {},
): Promise<Played> {
  const runtime = new VirtualRuntime();
  const source = await replay<Pod>(path, { runtime, ...replayOptions });
  const informer = new SharedIndexInformer<Pod>({
    listerWatcher: source,
    runtime,
    logger: silentLogger,
    ...options,
  });
  const log: string[] = [];
  informer.addHandler(recorder(log));
  const running = informer.run();
  await runtime.run(source.whenFinished({ timeoutMs: 3_600_000 }), { limitMs: 7_200_000 });
  const virtualMs = runtime.monotonicMs();
  await runtime.advance(0);
  await runtime.settle();
  const objects = informer.lister.list();
  await runtime.run(informer.close());
  await running;
  return { log, objects, virtualMs };
}

export function byName(objects: readonly Pod[]): Record<string, Pod> {
  return Object.fromEntries(objects.map((object) => [object.metadata.name, object]));
}

/** As `recorder`; the cache retains only the metadata of what leaves it. */
function metadataRecorder(log: string[]): ResourceEventHandler<Pod> {
  const note = (sign: string, { key, metadata }: ObjectMetadata, mark: boolean): void => {
    log.push(`${sign}${key}@${metadata.resourceVersion}${mark ? '!' : ''}`);
  };
  return {
    view: 'metadata',
    onAdd: (added) => note('+', added, added.initial),
    onUpdate: (_, updated) => note('~', updated, updated.resync),
    onDelete: (deleted) => note('-', deleted, deleted.finalStateUnknown),
  };
}
