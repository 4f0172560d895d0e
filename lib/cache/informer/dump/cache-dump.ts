import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { is, optionsOf, type FilledOptions } from '../../../kernel/options/options-schema.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { nextTask } from '../../../kernel/time/wait.ts';
import { ObjectMask, type MaskChoice } from '../../../meta/masking/object-mask.ts';
import type { ResourceName } from '../../../meta/collection-options.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { objectJson } from '../../memory/views/object-json.ts';
import type { ObjectMemory } from '../../memory/object-memory.ts';
import type { InformerInspection } from '../observe/informer-inspection.ts';

export interface DumpOptions {
  /** Which values are not shown. @defaultValue 'secrets' */
  readonly mask?: MaskChoice | undefined;
  /** A chunk is passed on when it has this many bytes; an object that is larger is a chunk of its own. @defaultValue 65 536 */
  readonly chunkBytes?: number | undefined;
  /** The longest time that the reader takes for one chunk, milliseconds. After it the dump ends with TIMEOUT. @defaultValue 30 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The source of a dump. */
export interface DumpSource {
  readonly name: string;
  /** Undefined: not known. */
  readonly resource: ResourceName | undefined;
  readonly runtime: Runtime;
  readonly memory: ObjectMemory;
  /** The stored objects, in one state. */
  readonly store: {
    readonly resourceVersion: string;
    list(): readonly ObjectView[];
  };
  inspect(): InformerInspection;
}

const OPTIONS = optionsOf<DumpOptions>()('dump', {
  mask: is.anything(),
  chunkBytes: is.number({ min: 1 }).default(65_536),
  timeoutMs: is.number({ min: 1 }).default(30_000),
  signal: is.abortSignal(),
});
/** The version of the format. */
const FORMAT = 1;

/**
 * The content of a cache as text, chunk by chunk; each chunk is a number of whole lines, each line is JSON. The first line is
 * `{"dump":1,"informer":…,"resourceVersion":…,"objects":…,"mask":…,"inspection":{…}}`, then comes an object a line, and the last line is
 * `{"end":true,"objects":…}`: a dump without it was cut short. Each loop over it is a dump of its own.
 *
 * Guarantees:
 * - The objects are those of one moment, that of the first read.
 * - The informer does not wait for the reader. Objects that leave the cache meanwhile stay in memory until the dump ends, so a dump takes
 *   at most the memory of the cache; a reader that takes longer than `timeoutMs` for a chunk loses them.
 * - It takes a few milliseconds of the event loop at a time, also with a reader that is always ready.
 */
export function dumpOf(source: () => DumpSource, options: DumpOptions = {}): AsyncIterable<string> {
  const read = OPTIONS.read(options);
  const mask = new ObjectMask('dump', read.mask);
  return { [Symbol.asyncIterator]: () => chunks(source(), mask, read) };
}

async function* chunks(
  source: DumpSource,
  mask: ObjectMask,
  { chunkBytes, timeoutMs, signal }: FilledOptions<DumpOptions, 'chunkBytes' | 'timeoutMs'>,
): AsyncGenerator<string, undefined> {
  const { runtime, store } = source;
  signal?.throwIfAborted();
  const held = new HeldObjects(source.memory, store.list());
  const count = held.objects.length;
  const collectionMask = mask.of(source.resource);
  try {
    let text = `${headLine(source, count, mask)}\n`;
    for (let next = 0; next < count; next += 1) {
      const object = held.objects[next] as ObjectView;
      text += `${collectionMask.apply(objectJson(object)).toString('utf8')}\n`;
      if (text.length < chunkBytes) continue;
      const reading = held.releaseAfter(runtime, timeoutMs);
      yield text;
      reading.cancel();
      text = '';
      // A reader that is always ready continues in microtasks.
      await nextTask(runtime);
      signal?.throwIfAborted();
      if (held.released) throw tooSlow(source.name, timeoutMs, next + 1, count);
    }
    yield `${text}${JSON.stringify({ end: true, objects: count })}\n`;
  } finally {
    held.release();
  }
}

function headLine(source: DumpSource, objects: number, mask: ObjectMask): string {
  const { resourceVersion } = source.store;
  const inspection = source.inspect();
  const head = { dump: FORMAT, informer: source.name, resourceVersion, objects };
  return JSON.stringify({ ...head, mask: mask.choice, inspection });
}

function tooSlow(name: string, timeoutMs: number, done: number, count: number): ListwatchError {
  return new ListwatchError(
    'TIMEOUT',
    `the dump of ${name} ended after ${done} of ${count} objects: its reader took longer than ${timeoutMs} ms for a chunk`,
  );
}

/** Objects that stay readable when they leave the cache. */
class HeldObjects {
  objects: readonly ObjectView[];
  readonly #pin: Disposable;
  #released = false;

  constructor(memory: ObjectMemory, objects: readonly ObjectView[]) {
    this.#pin = memory.pin('body');
    this.objects = objects;
  }

  get released(): boolean {
    return this.#released;
  }

  releaseAfter(runtime: Runtime, delayMs: number): Timer {
    return runtime.setTimer(delayMs, () => this.release(), { background: true });
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.objects = [];
    this.#pin[Symbol.dispose]();
  }
}
