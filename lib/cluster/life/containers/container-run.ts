import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Runtime, Timer } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import type { Container, Pod } from '../../../types/built-in/core-v1-kinds.ts';
import type { ContainerBehaviour, ContainerRunContext } from './container-behaviour.ts';

/** The end of a function that stands for a container. */
export interface RunEnd {
  readonly exitCode: number;
  readonly message?: string | undefined;
}

export interface ContainerRunOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly restartCount: number;
  readonly run: NonNullable<ContainerBehaviour['run']>;
  readonly log: (line: string) => void;
  readonly runtime: Runtime;
  /** Called at most once, and never in the constructor or after `abandon`. */
  readonly onEnd: (end: RunEnd) => void;
  readonly onReady: (ready: boolean) => void;
  readonly onHealthy: (healthy: boolean) => void;
}

/** A function failed. */
const FAILED = 1;
/** A function returned something that is no exit code. */
const NO_CODE = 2;
const LONGEST_MESSAGE = 4096;

/**
 * The run of a function that stands for a container. An error of the function, and a result that is no exit code, is an end with a code and
 * a message. A function that does not end is forgotten when its container is killed.
 */
export class ContainerRun {
  readonly #options: ContainerRunOptions;
  readonly #stop = new AbortController();
  #timer: Timer | undefined;
  #isOver = false;

  constructor(options: ContainerRunOptions) {
    this.#options = options;
    void this.#perform();
  }

  /** Sends SIGTERM, after the time of a hook. */
  stop(afterMs: number): void {
    if (this.#timer !== undefined || this.#stop.signal.aborted) return;
    if (afterMs <= 0) this.#signal();
    else this.#timer = this.#options.runtime.setTimer(afterMs, () => this.#signal());
  }

  /** It has ended for the pod, whatever the function does. */
  abandon(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#signal();
  }

  async #perform(): Promise<void> {
    let end: RunEnd;
    try {
      // Its constructor must have returned before anything is called.
      await Promise.resolve();
      end = endOf(await this.#options.run(this.#context()));
    } catch (error) {
      end = { exitCode: FAILED, message: errorMessage(error).slice(0, LONGEST_MESSAGE) };
      // A function that only passes on its signal has ended by it.
      if (this.#stop.signal.aborted && error === this.#stop.signal.reason) end = { exitCode: 0 };
    }
    if (this.#isOver) return;
    this.abandon();
    this.#options.onEnd(end);
  }

  #context(): ContainerRunContext {
    const { pod, container, restartCount, log, runtime, onReady, onHealthy } = this.#options;
    const { signal } = this.#stop;
    const whileRunning =
      <Value>(call: (value: Value) => void) =>
      (value: Value): void => {
        if (!this.#isOver) call(value);
      };
    return {
      pod,
      container,
      restartCount,
      signal,
      // The caller may be a program without types.
      log: whileRunning((line: unknown) => log(String(line))),
      sleep: (ms) => sleep(runtime, ms, { signal }),
      setReady: whileRunning((ready: unknown) => onReady(Boolean(ready))),
      setHealthy: whileRunning((healthy: unknown) => onHealthy(Boolean(healthy))),
    };
  }

  #signal(): void {
    this.#stop.abort(new Error('the container is stopped'));
  }
}

function endOf(result: unknown): RunEnd {
  if (result === undefined) return { exitCode: 0 };
  if (typeof result === 'number' && Number.isInteger(result) && result >= 0 && result <= 255) {
    return { exitCode: result };
  }
  const shown = typeof result === 'number' ? String(result) : typeof result;
  const message = `the function of the container returned ${shown}: return a whole number from 0 to 255, or nothing`;
  return { exitCode: NO_CODE, message };
}
