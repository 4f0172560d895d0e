/** Milliseconds between two lines. */
const PERIOD_MS = 2_000;
/** The rate is that of this many of the last lines, so that it follows the load of the machine. */
const LINES_OF_RATE = 10;

/** Says on stderr how far a run is: inputs done, rate, alarms, seconds left. At most a line each two seconds. */
export class FuzzProgress {
  alarms = 0;
  readonly #inputs: number;
  readonly #marks: { readonly atMs: number; readonly done: number }[];

  constructor(inputs: number) {
    this.#inputs = inputs;
    this.#marks = [{ atMs: performance.now(), done: 0 }];
  }

  update(done: number): void {
    const nowMs = performance.now();
    if (nowMs - (this.#marks.at(-1)?.atMs ?? 0) < PERIOD_MS) return;
    this.#marks.push({ atMs: nowMs, done });
    if (this.#marks.length > LINES_OF_RATE) this.#marks.shift();
    const [first] = this.#marks;
    if (first === undefined) return;
    const rate = ((done - first.done) * 1_000) / (nowMs - first.atMs);
    const left = rate === 0 ? '?' : Math.ceil(Math.max(0, this.#inputs - done) / rate);
    console.error(
      `${done} of ${this.#inputs} inputs, ${rate.toFixed(0)}/s, ${this.alarms} alarms, ${left} s left`,
    );
  }
}
