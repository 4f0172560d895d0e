import { deriveAbort, onAbort, type DerivedAbort } from '../../kernel/time/abort.ts';
import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { startAtUser } from '../../kernel/failure/user-frames.ts';
import { Latch } from '../../kernel/time/latch.ts';
import { untilOpen } from '../../kernel/time/wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ReflectorErrorContext } from '../reflector/options/reflector-report.ts';
import type { WaitOptions } from './handlers/handler-registration.ts';
import { StartCheck } from './handlers/start-check.ts';
import type { InformerPhase } from './observe/informer-inspection.ts';
import type { ResolvedInformerOptions } from './options/informer-options.ts';
import { unknownResource } from './options/start-failure.ts';

export type InformerLifeOptions = Pick<
  ResolvedInformerOptions<KubernetesObject>,
  'name' | 'runtime' | 'subject' | 'missingResource'
>;

/** The life of an informer, from its start to its end or its failure, and the wait for its first list. */
export class InformerLife {
  readonly synced: Latch;
  readonly stopped: Latch;
  /** The error that has stopped it. */
  failure: ListwatchError | undefined;
  readonly #options: InformerLifeOptions;
  readonly #start: StartCheck;
  readonly #abort: DerivedAbort = deriveAbort();
  #phase: 'new' | 'running' | 'stopped' = 'new';

  constructor(options: InformerLifeOptions) {
    const { name: informer, runtime } = options;
    this.#options = options;
    this.#start = new StartCheck({ informer, runtime, started: () => this.#phase !== 'new' });
    this.synced = new Latch(`first list of ${informer}`);
    this.stopped = new Latch(`end of ${informer}`);
  }

  /** `stopped` as soon as a stop was requested. */
  get phase(): InformerPhase {
    if (this.failure !== undefined) return 'failed';
    return this.signal.aborted ? 'stopped' : this.#phase;
  }

  get isNew(): boolean {
    return this.#phase === 'new';
  }

  /** Aborts when a stop is requested. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The reason why it is not synced, as text. @param situation the present step of a running informer */
  waitingFor(situation: () => string): string | undefined {
    if (this.synced.isOpen) return undefined;
    const what = `the first list of ${this.#options.name}`;
    if (this.#phase === 'new') return `${what}, which has not been started`;
    if (this.failure !== undefined) return `${what}, which has failed: ${this.failure.message}`;
    return what + (this.#phase === 'stopped' ? ', which has stopped' : situation());
  }

  /** @throws {ListwatchError} code ALREADY_STARTED or CLOSED. */
  requireNew(what: string): void {
    const phase = this.#phase;
    if (phase === 'new') return;
    const code = phase === 'running' ? 'ALREADY_STARTED' : 'CLOSED';
    throw new ListwatchError(code, `${what} before it runs: it is ${phase}`);
  }

  /** @throws {ListwatchError} code CLOSED. */
  refuseStopped(): void {
    if (this.#phase !== 'stopped') return;
    const text = `the informer ${this.#options.name} has stopped; make a new one`;
    throw new ListwatchError('CLOSED', text);
  }

  /** It runs until `signal` aborts, or `end` is called. Returns what releases the signal. */
  begin(signal: AbortSignal | undefined): () => void {
    if (this.#phase === 'running') {
      const text = `the informer ${this.#options.name} runs already; run it once, or make another one`;
      throw new ListwatchError('ALREADY_STARTED', text);
    }
    this.refuseStopped();
    this.#phase = 'running';
    return onAbort(signal, () => this.#abort.abort(signal?.reason));
  }

  /** Requests its end. */
  end(): void {
    this.#abort.abort();
  }

  /** It no longer runs. */
  ended(): void {
    this.#phase = 'stopped';
    this.stopped.open();
  }

  /** Whether an error of a list or a watch stops it. */
  endsWith(error: unknown, { next }: ReflectorErrorContext): boolean {
    const { missingResource, subject } = this.#options;
    if (missingResource === 'fail') this.failure ??= unknownResource(error, subject);
    if (next === 'stop' && isListwatchError(error)) this.failure ??= error;
    if (this.failure === undefined) return false;
    this.#abort.abort(this.failure);
    return true;
  }

  /** @throws as `SharedIndexInformer.whenSynced`. */
  async whenSynced({ timeoutMs, signal }: WaitOptions, describe: () => string): Promise<void> {
    const { name, runtime } = this.#options;
    const latches = [this.synced, this.stopped, this.#start.latch()];
    try {
      await untilOpen(runtime, latches, { timeoutMs, signal, describe });
    } catch (error) {
      // A timer has made it; the line that waits is of use.
      if (error instanceof ListwatchError) startAtUser(error);
      throw error;
    }
    if (this.synced.isOpen) return;
    this.#start.throwIfNotStarted();
    if (this.failure !== undefined) throw this.failure;
    throw new ListwatchError('CLOSED', `the informer ${name} stopped before it was synced`);
  }
}
