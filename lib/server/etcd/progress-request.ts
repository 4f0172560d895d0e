import type { Runtime, Timer } from '../../kernel/time/runtime.ts';

/** The interval of kube-apiserver. @see apiserver pkg/storage/cacher/progress/watch_progress.go progressRequestPeriod @ 24a394e */
const ASK_EVERY_MS = 100;

export interface ProgressRequestOptions {
  readonly runtime: Runtime;
  /** Sends a request on the present stream, if there is one. */
  readonly ask: () => void;
  /** Called when a request got no response. */
  readonly onSilence: () => void;
}

/**
 * Requests progress until there is a response. Repetition is needed: a member does not respond to a watch that is behind or that
 * begins in the future, and a request is lost when its stream breaks.
 */
export class ProgressRequest {
  readonly #options: ProgressRequestOptions;
  #wanted = false;
  #timer: Timer | undefined;

  constructor(options: ProgressRequestOptions) {
    this.#options = options;
  }

  /** Whether a caller waits for a response. */
  get wanted(): boolean {
    return this.#wanted;
  }

  start(): void {
    this.#wanted = true;
    this.ask();
  }

  /** Sends a request now, if a caller waits. */
  ask(): void {
    if (!this.#wanted) return;
    this.#options.ask();
    this.#timer?.cancel();
    this.#timer = this.#options.runtime.setTimer(ASK_EVERY_MS, () => {
      this.#options.onSilence();
      this.ask();
    });
  }

  /** Ends the requests: the response has arrived, or no caller waits any more. */
  stop(): void {
    this.#wanted = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
