import type { PodLog, PodLogLine } from '../../../server/api/pods/pod-log-bytes.ts';

const MOST_LINES = 10_000;
const LONGEST_LINE = 16_384;
const DONE = { done: true, value: undefined } as const;

/** The log of one run of a container. Memory: its last 10 000 to 20 000 lines, each of at most 16 384 characters. */
export class ContainerLog {
  #lines: PodLogLine[] = [];
  /** Lines that are not kept any more. */
  #dropped = 0;
  #isEnded = false;
  readonly #waiting = new Set<() => void>();

  add(text: string, timeMs: number): void {
    if (this.#isEnded) return;
    for (const part of text.replace(/\n$/, '').split('\n')) {
      this.#lines.push({ text: part.slice(0, LONGEST_LINE), timeMs });
    }
    if (this.#lines.length > 2 * MOST_LINES) {
      this.#dropped += this.#lines.length - MOST_LINES;
      this.#lines = this.#lines.slice(-MOST_LINES);
    }
    this.#wake();
  }

  /** The container has ended: so do the readers that follow. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** The lines so far, and those that follow. A reader that is late misses those that were dropped. */
  read(): PodLog {
    const from = this.#dropped + this.#lines.length;
    return { lines: [...this.#lines], live: { [Symbol.asyncIterator]: () => this.#follow(from) } };
  }

  #follow(from: number): AsyncIterator<PodLogLine, undefined> {
    let at = from;
    let isLeft = false;
    let leave = (): void => {};
    const next = async (): Promise<IteratorResult<PodLogLine, undefined>> => {
      while (!isLeft) {
        at = Math.max(at, this.#dropped);
        const value = this.#lines[at - this.#dropped];
        at += 1;
        if (value !== undefined) return { done: false, value };
        at -= 1;
        if (this.#isEnded) return DONE;
        await new Promise<void>((resolve) => {
          leave = resolve;
          this.#waiting.add(resolve);
        });
        this.#waiting.delete(leave);
      }
      return DONE;
    };
    return {
      next,
      return: () => {
        isLeft = true;
        leave();
        return Promise.resolve(DONE);
      },
    };
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
