import type { Client } from '../../client/rest/client.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/**
 * The input of one incarnation of a controller: one process of it, from its start to its crash or its end.
 *
 * @experimental
 */
export interface Incarnation<Types extends object = object> {
  /** Sends its requests through the simulated network, where faults meet them. */
  readonly client: Client<Types>;
  /** The clock, the timers and the random numbers of the simulation: informers, queues, loops and controllers take it as `runtime`. */
  readonly runtime: Runtime;
  /** Aborts when the process is asked to stop. A crash does not abort it: a crashed process is not notified. */
  readonly signal: AbortSignal;
  /** Its lines enter the story of a run. */
  readonly logger: Logger;
  /** The number of the replica, from 0. */
  readonly replica: number;
  /** Names the process, as a pod name does: unique for each incarnation. */
  readonly identity: string;
}

/**
 * A controller under test, as a factory: each incarnation starts clean.
 *
 * @experimental
 */
export interface SimulatedController<Types extends object = object> {
  /** Names it in reports. */
  readonly name: string;
  /**
   * Processes that run at the same time.
   * @defaultValue 1
   */
  readonly replicas?: number | undefined;
  /**
   * Runs one incarnation until `signal` aborts. A promise that rejects, or that resolves before `signal` aborts, is the end of
   * the process: it is reported, and the process starts again after a back-off, as a pod does.
   */
  run(incarnation: Incarnation<Types>): Promise<void>;
}
