import type { Client } from '../../client/rest/client.ts';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Metrics } from '../../kernel/report/metrics.ts';
import { deriveAbort } from '../../kernel/time/abort.ts';
import { Backoff } from '../../kernel/time/backoff.ts';
import { Latch } from '../../kernel/time/latch.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { ControllerInspection } from '../builder/controller-inspection.ts';
import type { AnyController } from '../manager/managed-parts.ts';

/** The state of one cluster of a `ClusterSet` at one moment. */
export interface MemberInspection {
  readonly name: string;
  /**
   * `syncing`: the first lists are read. `waiting`: its controllers have failed, and new ones are made after a pause. `ended`: its
   * controllers have been closed by the program, or drained by a `Manager` that stops.
   */
  readonly state: 'new' | 'syncing' | 'running' | 'waiting' | 'removing' | 'ended';
  /** Failures of its controllers, each followed by new ones. */
  readonly failures: number;
  readonly lastError: string | undefined;
  readonly controllers: readonly ControllerInspection[];
}

export interface ClusterMemberParts {
  readonly name: string;
  /** The client as it was added. */
  readonly client: Client;
  /** Makes the controllers. Called at the start, and after each failure. */
  readonly make: () => readonly AnyController[];
  readonly metrics: () => Metrics | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** An unreachable cluster is tried again for as long as it is in the set. */
const PAUSE = { baseMs: 1_000, capMs: 60_000 };

/** One cluster of a set: its controllers from the moment it is added until it is removed. */
export class ClusterMember {
  readonly name: string;
  readonly client: Client;
  /** Opens when the first lists of all its controllers are read for the first time. */
  readonly ready: Latch;
  readonly ended: Latch;
  readonly #parts: ClusterMemberParts;
  readonly #stop = deriveAbort();
  #state: MemberInspection['state'] = 'new';
  #controllers: readonly AnyController[] = [];
  #running: Promise<void> | undefined;
  /** Aborts when no controllers are made any more. */
  readonly #draining = deriveAbort(this.#stop.signal);
  #failures = 0;
  #lastError: string | undefined;

  constructor(parts: ClusterMemberParts) {
    const { name, client } = parts;
    this.#parts = parts;
    this.name = name;
    this.client = client;
    this.ready = new Latch(`the controllers of the cluster ${name}`);
    this.ended = new Latch(`the end of the cluster ${name}`);
  }

  get controllerNames(): readonly string[] {
    return this.#controllers.map(({ name }) => name);
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  inspect(): MemberInspection {
    const controllers = this.#controllers.map((controller) => controller.inspect());
    const isReady = controllers.every(({ phase }) => phase !== 'new' && phase !== 'syncing');
    return {
      name: this.name,
      state: this.#state === 'syncing' && isReady ? 'running' : this.#state,
      failures: this.#failures,
      lastError: this.#lastError,
      controllers,
    };
  }

  /** Makes the controllers and starts them after `before`. @throws what making them throws. */
  start(before: Promise<unknown> | undefined): void {
    this.#controllers = this.#made();
    this.#state = 'syncing';
    this.#running = this.#work(before);
    // `stop` reports it.
    this.#running.catch(() => {});
  }

  /** Begins no further run, and lets running ones end undisturbed, for at most `timeoutMs`. */
  async drain(options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<void> {
    this.#draining.abort();
    await Promise.all(this.#controllers.map((one) => one.drain(options)));
  }

  /** Resolves when its informers and runs have ended. @throws {ListwatchError} code TIMEOUT naming the runs that did not end in time. */
  async stop(): Promise<void> {
    if (this.#state !== 'ended') this.#state = 'removing';
    this.#stop.abort();
    this.ended.open();
    await this.#running;
  }

  #made(): readonly AnyController[] {
    const made = this.#parts.make();
    const metrics = this.#parts.metrics();
    if (metrics !== undefined) for (const one of made) one.reportTo(metrics);
    return made;
  }

  async #work(before: Promise<unknown> | undefined): Promise<void> {
    const { runtime, logger, name: cluster } = this.#parts;
    const [{ signal }, draining] = [this.#stop, this.#draining.signal];
    const pause = new Backoff(runtime, PAUSE);
    // The one before has reported how it ended.
    await before?.catch(() => {});
    if (signal.aborted) for (const one of this.#controllers) await one.drain({ timeoutMs: 0 });
    while (!draining.aborted) {
      try {
        if (this.#state === 'waiting') this.#controllers = this.#made();
        this.#state = 'syncing';
        await this.#run(signal);
        break;
      } catch (error) {
        if (signal.aborted) throw error;
        this.#failures += 1;
        this.#lastError = errorMessage(error);
        const failure = { cluster, failures: this.#failures, error };
        if (draining.aborted) {
          logger.warn('a cluster failed while it was drained', failure);
          break;
        }
        this.#state = 'waiting';
        const delayMs = Math.round(pause.step());
        const text = 'a cluster failed; its controllers are made again after a pause';
        logger.warn(text, { ...failure, delayMs });
        await sleep(runtime, delayMs, { signal: draining }).catch(() => {});
      }
    }
    this.#state = 'ended';
    this.ended.open();
  }

  /** The failure of one controller ends the others of the cluster, so that all are made again. */
  async #run(parent: AbortSignal): Promise<void> {
    const controllers = this.#controllers;
    const attempt = deriveAbort(parent);
    const { signal } = attempt;
    const failed: unknown[] = [];
    const runs = controllers.map(async (controller) => {
      try {
        await controller.run({ signal, fence: undefined });
      } catch (error) {
        failed.push(error);
        attempt.abort(error);
      }
    });
    void Promise.all(controllers.map((one) => one.whenReady({ signal }))).then(
      () => {
        this.ready.open();
      },
      () => {},
    );
    await Promise.all(runs);
    attempt.destroy();
    if (failed.length > 0) throw failed[0];
  }
}

/** @throws {ListwatchError} code INVALID_OPTION for what is no controller; NAME_TAKEN for a name that another cluster's has. */
export function checkedControllers(
  made: unknown,
  cluster: string,
  taken: readonly string[],
): readonly AnyController[] {
  const controllers = (Array.isArray(made) ? made : [made]) as readonly unknown[];
  const names = new Set(taken);
  return controllers.map((one) => {
    if (!isController(one)) {
      const text = `ClusterSet: the function must return a controller, of \`reconcile(…)\`, or an array of them, for the cluster ${cluster}`;
      throw new ListwatchError('INVALID_OPTION', text);
    }
    if (names.has(one.name)) {
      const text = `ClusterSet: another cluster has a controller named ${JSON.stringify(one.name)} already: give each its own, with option name: \`${one.name}-\${cluster}\``;
      throw new ListwatchError('NAME_TAKEN', text);
    }
    names.add(one.name);
    return one;
  });
}

function isController(one: unknown): one is AnyController {
  return typeof one === 'object' && one !== null && 'drain' in one && 'shareWork' in one;
}
