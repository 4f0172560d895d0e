import type { Runtime, Timer } from '../../kernel/runtime.ts';

/** kube-apiserver asks as often. @see apiserver pkg/storage/cacher/progress/watch_progress.go progressRequestPeriod @ 24a394e */
const ASK_EVERY_MS = 100;

export interface ProgressRequestOptions {
  readonly runtime: Runtime;
  /** Sends a request over the present stream, if there is one. */
  readonly ask: () => void;
  /** Called where a request has stayed without an answer. */
  readonly onSilence: () => void;
}

/**
 * Asks for progress until there is an answer: a member says nothing to a watch that is behind, or that begins in the future,
 * and a stream that breaks takes the question with it.
 */
export class ProgressRequest {
  readonly #options: ProgressRequestOptions;
  #wanted = false;
  #timer: Timer | undefined;

  constructor(options: ProgressRequestOptions) {
    this.#options = options;
  }

  /** Whether a caller waits for an answer. */
  get wanted(): boolean {
    return this.#wanted;
  }

  start(): void {
    this.#wanted = true;
    this.ask();
  }

  /** Asks now, if a caller waits. */
  ask(): void {
    if (!this.#wanted) return;
    this.#options.ask();
    this.#timer?.cancel();
    this.#timer = this.#options.runtime.setTimer(ASK_EVERY_MS, () => {
      this.#options.onSilence();
      this.ask();
    });
  }

  /** The answer has come, or no caller waits any more. */
  stop(): void {
    this.#wanted = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
