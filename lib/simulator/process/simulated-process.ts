import { Client } from '../../client/rest/client.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger, LogFields } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { ApiHandler } from '../../server/http/api-request.ts';
import { atPlaceOf } from '../ambient/user-place.ts';
import { inScope } from '../ambient/ambient-scope.ts';
import type { SimulatedController } from '../contract/simulated-controller.ts';
import type { ProcessLink, StaleView } from '../network/process-link.ts';
import type { Latency } from '../network/latency.ts';
import { SimulatedTransport, type NetworkEvents } from '../network/simulated-transport.ts';
import type { Journal } from '../record/journal.ts';
import { IncarnationRuntime } from '../network/incarnation-runtime.ts';

export interface SimulatedProcessOptions {
  readonly name: string;
  readonly controller: SimulatedController;
  readonly replica: number;
  readonly world: Runtime;
  readonly handler: ApiHandler;
  readonly link: ProcessLink;
  readonly latency: Latency;
  readonly journal: Journal;
  readonly events: NetworkEvents;
  readonly nextId: () => number;
  /** It has ended by itself. */
  readonly onExit: (process: SimulatedProcess) => void;
  /** Something has happened that keeps the run from being idle. */
  readonly onBusy: () => void;
}

interface Running {
  readonly runtime: IncarnationRuntime;
  readonly transport: SimulatedTransport;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** Its informers and queues. */
  readonly parts: ReadonlySet<object>;
}

/** From a crash to the next start, milliseconds: a container starts again after about a second. */
const RESTART_MS = [500, 2500] as const;
const LONGEST_BACKOFF_MS = 60_000;
const RESOLVED =
  'run() has resolved before its signal was aborted; await in it what ends with the signal';

/** A process of a controller: one incarnation after the other. */
export class SimulatedProcess {
  readonly name: string;
  readonly link: ProcessLink;
  readonly #options: SimulatedProcessOptions;
  readonly #skew = { ms: 0 };
  #incarnation = 0;
  #running: Running | undefined;
  #restarts = false;
  /** How often it ended by itself. */
  exits: number = 0;
  lastExit: string | undefined;

  constructor(options: SimulatedProcessOptions) {
    this.#options = options;
    this.name = options.name;
    this.link = options.link;
  }

  /** Whether a request of it is under way, or it is about to start again. */
  get isBusy(): boolean {
    return this.#restarts || (this.#running?.transport.inFlight ?? 0) > 0;
  }

  /** The informers and queues of the present incarnation. */
  get parts(): Iterable<object> {
    return this.#running?.parts ?? [];
  }

  start(): void {
    const { controller, replica, journal, world, link } = this.#options;
    this.#restarts = false;
    this.#incarnation += 1;
    const parts = new Set<object>();
    const runtime = new IncarnationRuntime(world, this.#skew, this.name, (part) => parts.add(part));
    const identity = `${this.name}-${this.#incarnation}`;
    journal.add(this.name, 'start', `as ${identity}`);
    const transport = new SimulatedTransport({
      ...this.#options,
      actor: this.name,
      process: runtime,
      link,
      crash: (reason) => {
        if (this.#running?.runtime === runtime) this.crash(reason);
      },
    });
    const logger = this.#logger(runtime);
    const client = new Client({
      transport,
      runtime,
      logger,
      fieldManager: controller.name,
      onWarning: () => {},
    });
    const stop = new AbortController();
    const { signal } = stop;
    runtime.exit = (reason) => this.#exited(runtime, signal, reason);
    const run = async (): Promise<void> =>
      await controller.run({ client, runtime, signal, logger, replica, identity });
    const ended = inScope(runtime, run).then(
      () => this.#exited(runtime, signal, 'it has ended by itself', RESOLVED),
      (error: unknown) => {
        const reason = errorMessage(error);
        this.#exited(runtime, signal, reason, `${reason}${atPlaceOf(error)}`);
      },
    );
    this.#running = { runtime, transport, stop, ended, parts };
  }

  /** Ends the process without a word, and starts another incarnation a little later. */
  crash(reason: string, view?: StaleView): void {
    const { journal, link } = this.#options;
    if (this.#running === undefined) return;
    journal.add(this.name, 'crash', reason);
    this.#end();
    link.stale = view;
    if (view !== undefined) link.hold();
    const [least, most] = RESTART_MS;
    this.#restartAfter(least + this.#options.world.random() * (most - least));
  }

  pause(forMs: number): void {
    this.#running?.runtime.stop(forMs);
  }

  shiftClock(byMs: number): void {
    this.#skew.ms += byMs;
  }

  /** Asks the process to stop; resolves when it has. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    inScope(running.runtime, () => running.stop.abort());
    await running.ended;
    running.runtime.isStopped = true;
  }

  /** Ends it for good. */
  kill(): void {
    this.#end();
  }

  #end(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.runtime.kill();
    running?.transport.disconnect();
    this.link.forget();
  }

  #exited(runtime: IncarnationRuntime, signal: AbortSignal, reason: string, shown = reason): void {
    if (this.#running?.runtime !== runtime || signal.aborted) return;
    this.exits += 1;
    this.lastExit = shown;
    this.#options.journal.add(this.name, 'exit', reason);
    this.#end();
    this.#options.onExit(this);
    this.#restartAfter(Math.min(1000 * 2 ** (this.exits - 1), LONGEST_BACKOFF_MS));
  }

  #restartAfter(delayMs: number): void {
    this.#restarts = true;
    this.#options.world.setTimer(delayMs, () => {
      this.#options.onBusy();
      if (this.#restarts) this.start();
    });
  }

  #logger(runtime: IncarnationRuntime): Logger {
    const { journal } = this.#options;
    const write = (level: string) => (message: string, fields?: LogFields) => {
      if (runtime.isDead) return;
      journal.log(this.name, level, message, fields);
    };
    return { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') };
  }
}
