import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { findSourceMap } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { machineRuntime, machineTimers } from '../ambient/real-sources.ts';
import { callPlace } from '../ambient/user-place.ts';
import { programPlace } from './guarded-process.ts';
import type { IsolationSettings } from './isolation-settings.ts';
import { GUARD_FILE, type ProcessEnd } from './process-end.ts';

/** The data of the thread of the guard. */
export interface GuardData {
  /** Its first number goes up while the main thread is alive; the second one is 1 when the thread of the guard is ready. */
  readonly beats: Int32Array;
  readonly blockedMs: number;
  readonly heapMb: number;
}

/** How often the main thread shows that it is alive, milliseconds. */
export const BEAT_MS = 100;
/** From this part of its memory on, allocations are sampled; at the other the process ends. */
const SAMPLED = 0.5;
const READY_MS = 5;
const FULL = 0.85;
const MOST_PLACES = 3;

/**
 * Guards this process against code that never ends and against memory that grows without a bound. A thread of its own looks whether this
 * one is alive, and asks its debugger where it is.
 */
export async function startGuard({ blockedMs, heapMb }: IsolationSettings): Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(8));
  const data: GuardData = { beats, blockedMs, heapMb };
  const thread = startThread(programPlace('isolation/guard-thread'), data);
  thread.unref();
  await new Promise<void>((resolve, reject) => {
    thread.once('error', reject);
    const look = (): void => {
      if (Atomics.load(beats, 1) === 1) resolve();
      else machineRuntime.setTimer(READY_MS, look);
    };
    look();
  });
  const memory = new MemoryWatch(heapMb);
  machineTimers
    .setInterval(() => {
      Atomics.add(beats, 0, 1);
      memory.look();
    }, BEAT_MS)
    .unref();
}

/** From source, the loader of this process does not apply in threads. */
function startThread(program: URL, workerData: GuardData): Worker {
  if (!program.pathname.endsWith('.ts')) return new Worker(program, { workerData, execArgv: [] });
  const [loader, place] = [import.meta.resolve('tsx/esm/api'), program.href];
  const code = `import('${loader}').then(({ register }) => { register(); return import('${place}'); })`;
  return new Worker(code, { workerData, eval: true, execArgv: ['--conditions=@listwatch/source'] });
}

/** Sends the process that has started this one the reason of its end. */
export function sendEnd(end: ProcessEnd): void {
  writeSync(GUARD_FILE, `${JSON.stringify(end)}\n`);
}

interface SamplingNode {
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  };
  readonly selfSize: number;
  readonly children: readonly SamplingNode[];
}

/** Looks at the memory of this thread. */
class MemoryWatch {
  readonly #limitBytes: number;
  readonly #session = new Session();
  #samples = false;
  #over = false;

  constructor(heapMb: number) {
    this.#limitBytes = heapMb * 2 ** 20;
    this.#session.connect();
  }

  look(): void {
    const used = getHeapStatistics().used_heap_size;
    if (this.#over || used < this.#limitBytes * SAMPLED) return;
    if (!this.#samples) {
      this.#samples = true;
      this.#session.post('HeapProfiler.startSampling');
    }
    if (used < this.#limitBytes * FULL) return;
    this.#session.post('HeapProfiler.collectGarbage');
    if (getHeapStatistics().used_heap_size < this.#limitBytes * FULL) return;
    this.#over = true;
    this.#session.post('HeapProfiler.getSamplingProfile', (_, result) => {
      const head = result?.profile.head;
      sendEnd({ class: 'memory', places: head === undefined ? [] : largest(head) });
    });
  }
}

function lineOf({ callFrame: { url, lineNumber, columnNumber } }: SamplingNode): number {
  const entry = findSourceMap(url)?.findEntry(lineNumber, columnNumber);
  return entry !== undefined && 'originalLine' in entry ? entry.originalLine + 1 : lineNumber + 1;
}

/** Where most of the memory was taken: by line of the user's code that has it below itself. */
function largest(head: SamplingNode): readonly string[] {
  const sizes = new Map<string, number>();
  const visit = (node: SamplingNode, above: string | undefined): void => {
    const { functionName, url } = node.callFrame;
    const { caller, place } = callPlace(`at (${url}:${lineOf(node)}:1)`);
    const isTheirs = caller === 'user' || caller === 'dependency';
    const text = isTheirs ? `${place}${functionName === '' ? '' : ` (${functionName})`}` : above;
    if (text !== undefined) sizes.set(text, (sizes.get(text) ?? 0) + node.selfSize);
    for (const child of node.children) visit(child, text);
  };
  visit(head, undefined);
  return [...sizes]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MOST_PLACES)
    .filter(([, size], _, [most]) => size * 4 > (most?.[1] ?? 0))
    .map(([text]) => text);
}
