import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** Longer than the timeout of mocha, which names a spec that hangs while the event loop turns. */
const LIMIT_MS = Number(process.env['LISTWATCH_SPEC_HANG_MS'] ?? 900_000);

const TITLE_BYTES = 1_000;

/** Plain JavaScript for a thread of its own: what it reads is written by a thread that may be stuck in a loop. */
const WATCH = `
const { writeSync } = require('node:fs');
const { beats, title, limitMs } = require('node:worker_threads').workerData;
let last = -1;
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat === last) {
    const name = Buffer.from(title).toString().replace(/\\0+$/, '');
    writeSync(2, '\\nstuck for ' + limitMs + ' ms in: ' + name + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  last = beat;
}, limitMs);
`;

/** Names a spec that never gives the event loop back, which no timer can, and ends the process. */
export class HangWatchdog {
  readonly #beats = new Int32Array(new SharedArrayBuffer(4));
  readonly #title = new Uint8Array(new SharedArrayBuffer(TITLE_BYTES));
  #isRunning = false;

  /** A second call has no effect: in a worker of the suite the hooks run once for each file. */
  start(): void {
    // A debugger may stop a spec for as long as it likes.
    if (this.#isRunning || inspectorUrl() !== undefined) return;
    this.#isRunning = true;
    const workerData = { beats: this.#beats, title: this.#title, limitMs: LIMIT_MS };
    new Worker(WATCH, { eval: true, execArgv: [], workerData }).unref();
  }

  /** Says that the spec of this title begins. */
  beat(title: string): void {
    this.#title.fill(0);
    new TextEncoder().encodeInto(title, this.#title);
    Atomics.add(this.#beats, 0, 1);
  }
}
