import type { Metrics } from '../../kernel/report/metrics.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { ObjectChange } from '../change/object-change.ts';
import {
  ObjectDaemons,
  type DaemonOptions,
  type ObjectTasksInspection,
} from '../helpers/object-daemons.ts';
import { ObjectTimer, type EveryOptions } from '../helpers/object-timer.ts';
import type { DaemonWork, ReconcileObject } from './run/author-functions.ts';
import type { SharedKeys } from './shared-keys.ts';
import type { ObjectRuns } from './run/object-runs.ts';

/** Work for each object beside its reconcile, as its author declares it. */
export interface TaskDeclarations<T extends KubernetesObject, Types extends object> {
  readonly timers: readonly {
    readonly intervalMs: number;
    readonly work: ReconcileObject<T, Types>;
    readonly options: EveryOptions;
  }[];
  readonly daemons: readonly {
    readonly work: DaemonWork<T, Types>;
    readonly options: DaemonOptions;
  }[];
}

export interface ObjectTasksParts<T extends KubernetesObject, Types extends object> {
  readonly controller: string;
  readonly declarations: TaskDeclarations<T, Types>;
  readonly runs: ObjectRuns<T, Types>;
  /** Which objects are this replica's. */
  readonly shared: Pick<SharedKeys, 'run'>;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
}

/** The timers and daemons of a controller: they begin with an object, and end when it is being deleted. */
export class ObjectTasks<T extends KubernetesObject, Types extends object> {
  readonly #parts: ObjectTasksParts<T, Types>;
  readonly #timers: readonly ObjectTimer[];
  readonly #daemons: readonly ObjectDaemons[];
  readonly #timing: Promise<void>[] = [];

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(parts: ObjectTasksParts<T, Types>) {
    this.#parts = parts;
    const { declarations, runs, shared, ...common } = parts;
    this.#timers = declarations.timers.map(({ work, ...timer }) => {
      const run = runs.timer(work);
      const ofShare: typeof run = (key, context) =>
        shared.run(key, () => run(key, context), 'gone');
      return new ObjectTimer({ ...common, ...timer, work: ofShare });
    });
    this.#daemons = declarations.daemons.map(({ work, options }) => {
      return new ObjectDaemons({ ...common, options, start: runs.daemon(work) });
    });
  }

  observe({ type, key, metadata }: ObjectChange): void {
    const goes = type === 'deleted' || metadata.deletionTimestamp !== undefined;
    for (const daemon of this.#daemons) {
      if (goes) daemon.unwant(key);
      else daemon.want(key, metadata.uid ?? '');
    }
    if (type === 'added' && !goes) for (const timer of this.#timers) timer.want(key);
  }

  /** Daemons have no metrics. */
  reportTo(metrics: Metrics): void {
    for (const timer of this.#timers) timer.reportTo(metrics);
  }

  begin(signal: AbortSignal): void {
    const { controller, logger } = this.#parts;
    for (const daemon of this.#daemons) daemon.begin();
    for (const timer of this.#timers) {
      const late = (error: unknown): void => {
        logger.error('timer failed', { controller, timer: timer.name, error });
      };
      this.#timing.push(timer.run(signal).catch(late));
    }
  }

  /** Ends the daemons of these objects; timers find out by themselves. */
  async leave(covers: (key: string) => boolean): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.leave(covers)));
  }

  /** Resolves when all have ended, or have run longer than they may. */
  async close(): Promise<void> {
    for (const timer of this.#timers) timer.close();
    const daemons = this.#daemons.map((daemon) => daemon.close());
    await Promise.all([...daemons, ...this.#timing]);
  }

  /** Timers only; a daemon is one run without an end. */
  pause(): void {
    for (const timer of this.#timers) timer.pause();
  }

  resume(): void {
    for (const timer of this.#timers) timer.resume();
  }

  inspect(): readonly ObjectTasksInspection[] {
    return [...this.#timers, ...this.#daemons].map((tasks) => tasks.inspect());
  }
}
