import type { WriteFence } from '../../client/transport/contract/write-fence.ts';
import { errorMessage, isError, isListwatchError } from '../../kernel/failure/errors.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type { PartAdapter, PartKind } from './managed-parts.ts';

/** `waiting`: the parts before it are not ready. `standby`: another replica leads. `starting`: it runs, and is not ready. */
export type PartState =
  | 'waiting'
  | 'standby'
  | 'starting'
  | 'ready'
  | 'stopping'
  | 'stopped'
  | 'failed';

export interface PartHooks {
  /** The part has failed while it should run. */
  readonly onFailure: (error: unknown) => void;
  /** It has failed while it was asked to stop. */
  readonly onLateFailure: (error: unknown) => void;
  /** The longest wait until it is ready, milliseconds; undefined: the part limits it. */
  readonly readyTimeoutMs: number | undefined;
  /** The fence of its writes. */
  readonly fence?: WriteFence | undefined;
}

/** One part of a manager, from its start to its end. */
export class ManagedRun {
  readonly name: string;
  readonly kind: PartKind;
  /** See `PartAdapter`. */
  readonly leaderOnly: boolean;
  /** Opens when parts of later kinds may begin, or it has ended. */
  readonly started: Latch;
  /** Opens when it is ready, or has ended. */
  readonly ready: Latch;
  readonly ended: Latch;
  readonly #adapter: PartAdapter;
  readonly #runtime: Runtime;
  readonly #stop = deriveAbort();
  #state: PartState = 'waiting';
  #failure: unknown;
  /** It has given up waiting for its own work to end. */
  #gaveUp = false;

  /** @param name differs from that of the part if another has it. */
  constructor(adapter: PartAdapter, name: string, runtime: Runtime) {
    this.#adapter = adapter;
    this.#runtime = runtime;
    this.name = name;
    this.kind = adapter.kind;
    this.started = new Latch(`${name} to be started`);
    this.leaderOnly = adapter.leaderOnly;
    this.ready = new Latch(`${name} to be ready`);
    this.ended = new Latch(`${name} to end`);
  }

  get state(): PartState {
    return this.#state;
  }

  /** The message of its failure. */
  get failure(): string | undefined {
    return this.#failure === undefined ? undefined : errorMessage(this.#failure);
  }

  /** Throws while it cannot do its work. */
  check(): void {
    this.#adapter.check?.();
  }

  /** Whether some of its work goes on. */
  get isLeft(): boolean {
    return !this.ended.isOpen || this.#gaveUp;
  }

  /** It begins when this replica leads. */
  standBy(): void {
    if (this.#state === 'waiting') this.#state = 'standby';
  }

  start({ onFailure, onLateFailure, readyTimeoutMs: timeoutMs, fence }: PartHooks): void {
    this.#state = 'starting';
    const { signal } = this.#stop;
    const fail = (error: unknown): void => {
      if (this.#failure !== undefined) return;
      if (signal.aborted) {
        this.#gaveUp ||= isListwatchError(error, 'TIMEOUT');
        if (!isAbort(error, signal)) onLateFailure(error);
        return;
      }
      this.#failure = error;
      onFailure(error);
    };
    void this.#run(signal, fail, fence);
    void this.#awaitStarted(signal);
    void this.#awaitReady({ signal, timeoutMs }, fail);
  }

  /** Lets its work in progress end, for at most this time. */
  async drain(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#runs) return;
    this.#state = 'stopping';
    const drained = this.#adapter.drain?.(timeoutMs, signal);
    if (drained === undefined) return;
    const describe = (): string => `${this.name} to end its work in progress`;
    // The manager aborts next the work that has not ended.
    await withDeadline(this.#runtime, drained, { timeoutMs, signal, describe }).catch(() => {});
  }

  /** Asks it to end. */
  stop(): void {
    if (this.#runs) this.#state = 'stopping';
    this.#stop.abort();
    if (this.#state === 'waiting' || this.#state === 'standby') this.#end('stopped');
  }

  get #runs(): boolean {
    return this.#state === 'starting' || this.#state === 'ready' || this.#state === 'stopping';
  }

  async #run(
    signal: AbortSignal,
    fail: (error: unknown) => void,
    fence: WriteFence | undefined,
  ): Promise<void> {
    try {
      await this.#adapter.run(signal, fence);
    } catch (error) {
      fail(error);
    }
    this.#end(this.#failure === undefined ? 'stopped' : 'failed');
  }

  /** `run` and `whenReady` report why it does not start. */
  async #awaitStarted(signal: AbortSignal): Promise<void> {
    const started = this.#adapter.whenStarted?.({ signal });
    if (started === undefined) return;
    await started.then(
      () => {
        this.started.open();
      },
      () => {},
    );
  }

  async #awaitReady(
    options: { readonly signal: AbortSignal; readonly timeoutMs: number | undefined },
    fail: (error: unknown) => void,
  ): Promise<void> {
    try {
      const ready = this.#adapter.whenReady(options);
      const describe = (): string => `${this.name} to be ready`;
      // Caches and webhooks say what they wait for.
      const { timeoutMs } = this.kind === 'runnable' ? options : { timeoutMs: undefined };
      const limits = { timeoutMs, signal: options.signal };
      await withDeadline(this.#runtime, ready, { ...limits, describe });
      if (this.#state !== 'starting') return;
      this.#state = 'ready';
      this.started.open();
      this.ready.open();
    } catch (error) {
      // A part that ends before it is ready reports the reason in `run`.
      if (!this.ended.isOpen && !isListwatchError(error, 'CLOSED')) fail(error);
    }
  }

  #end(state: PartState): void {
    this.#state = state;
    this.started.open();
    this.ready.open();
    this.ended.open();
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || isListwatchError(error, 'ABORTED') || isNamedAbort(error);
}

function isNamedAbort(error: unknown): boolean {
  return isError(error) && (error.name === 'AbortError' || error.name === 'CanceledError');
}
