import { Worker } from 'node:worker_threads';

/** Far more than an input takes on a busy machine; only a hang reaches it. Milliseconds. */
const HANG_MS = 120_000;
/** Bytes of the description of an input that are kept. */
const MOST_TEXT_BYTES = 4_096;

/** Looks once a second; a loop without an end lets nothing else of the thread that it watches run. */
const WATCHER = `
const { workerData: { shared, hangMs } } = require('node:worker_threads');
const head = new Int32Array(shared, 0, 2);
const pause = new Int32Array(new SharedArrayBuffer(4));
for (let last = -1, sinceMs = performance.now(); ; Atomics.wait(pause, 0, 0, 1000)) {
  const now = Atomics.load(head, 0);
  if (now !== last) sinceMs = performance.now();
  else if (performance.now() - sinceMs > hangMs) {
    const text = Buffer.from(new Uint8Array(shared, 8, head[1])).toString();
    require('node:fs').writeSync(2, 'FAILED no end of ' + text + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  last = now;
}`;

/** Kills the process, and names the input, when one input takes two minutes. */
export class HangWatch implements AsyncDisposable {
  readonly #head: Int32Array;
  readonly #text: Uint8Array;
  readonly #worker: Worker;
  readonly #encoder = new TextEncoder();

  constructor(hangMs: number = HANG_MS) {
    const shared = new SharedArrayBuffer(8 + MOST_TEXT_BYTES);
    this.#head = new Int32Array(shared, 0, 2);
    this.#text = new Uint8Array(shared, 8);
    this.#worker = new Worker(WATCHER, {
      eval: true,
      execArgv: [],
      workerData: { shared, hangMs },
    });
    this.#worker.unref();
  }

  /** The input that follows is this one. */
  begin(input: string): void {
    const { written } = this.#encoder.encodeInto(input, this.#text);
    this.#head[1] = written;
    Atomics.add(this.#head, 0, 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
