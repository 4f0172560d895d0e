import { inProcessTransport } from '../client/transport/in-process/in-process-transport.ts';
import type { Transport } from '../client/transport/contract/transport.ts';
import { ListwatchError } from '../kernel/failure/errors.ts';
import { is, optionsOf } from '../kernel/options/options-schema.ts';
import { realRuntime } from '../kernel/time/real-runtime.ts';
import type { Runtime, Timer } from '../kernel/time/runtime.ts';
import { ActiveFault } from '../server/api/faults/active-fault.ts';
import { checkFaultRule } from '../server/api/faults/check-fault-rule.ts';
import type { Fault, FaultRule } from '../server/api/faults/fault-rule.ts';
import { faultTarget } from '../server/api/faults/fault-target.ts';
import type { ApiHandler, ApiRequest, ApiResponse } from '../server/http/api-request.ts';

/** One run of a program, from a start to a crash or to the end. */
export interface ProgramRun {
  /** The way to the server; it ends with the run. */
  readonly transport: Transport;
  /** Aborts when the run ends. */
  readonly signal: AbortSignal;
}

export interface TestProgramOptions {
  /** The server that the program talks to: `server.handler`. */
  readonly handler: ApiHandler;
  /**
   * The program, which runs until its signal aborts. It is called at each start: what it keeps in its own variables is lost by a crash, as
   * the memory of a process is.
   */
  readonly main: (run: ProgramRun) => Promise<void>;
  /** Pause between a crash at a crash point and the next start, milliseconds. @defaultValue 1000 */
  readonly restartAfterMs?: number | undefined;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
}

/** At which request of the program it crashes. @see FaultRule */
export interface CrashPoint
  extends Pick<FaultRule, 'match' | 'skip' | 'times' | 'probability' | 'seed'> {
  /**
   * Whether the server handles the request: a write is stored, and the program dies before it has the answer. False: the program dies
   * before it sends the request. @defaultValue true
   */
  readonly handled?: boolean | undefined;
}

const OPTIONS = optionsOf<TestProgramOptions>()('TestProgram', {
  handler: is.callback().required,
  main: is.callback().required,
  restartAfterMs: is.number({ min: 0 }).default(1000),
  runtime: is.object().default(realRuntime),
});
const POINT = optionsOf<CrashPoint>()('crashAt', {
  match: is.anything(),
  skip: is.anything(),
  times: is.anything(),
  probability: is.anything(),
  seed: is.anything(),
  handled: is.flag(),
});

interface Run {
  readonly stop: AbortController;
  /** Ends its connections. */
  cut(): void;
}

/**
 * A program of a test, e.g. an operator, that crashes where the test says, and is started again as a cluster does it.
 *
 * Guarantees:
 * - From the moment of a crash, no request of that run reaches the server, and none gets an answer. Its watches end on the server.
 * - A crash takes place in one synchronous step: `crash()` returns when the run is cut off.
 * - With a virtual runtime, the same seed crashes at the same point.
 *
 * Not guaranteed: that the code of a crashed run has ended. Its signal has aborted, and all its calls fail; until it returns, it can still
 * change variables that the test shares with it.
 *
 * @example
 * await using operator = new TestProgram({
 *   handler: server.handler,
 *   runtime,
 *   main: async ({ transport, signal }) => {
 *     await using client = new Client({ transport, runtime });
 *     await shops(client).run({ signal });
 *   },
 * });
 * operator.crashAt({ match: { verb: 'create', resource: 'secrets' } });
 * operator.start();
 */
export class TestProgram implements AsyncDisposable {
  readonly #main: TestProgramOptions['main'];
  readonly #runtime: Runtime;
  readonly #restartAfterMs: number;
  readonly #points = new Set<ActiveFault>();
  /** The ends of the runs whose code has not ended. */
  readonly #ends = new Set<Promise<void>>();
  #handler: ApiHandler;
  #run: Run | undefined;
  #restart: Timer | undefined;
  #starts = 0;
  #crashes = 0;
  #closed = false;
  #failure: { readonly error: unknown } | undefined;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: TestProgramOptions) {
    const { handler, main, restartAfterMs, runtime } = OPTIONS.read(options);
    this.#handler = handler;
    this.#main = main;
    this.#runtime = runtime;
    this.#restartAfterMs = restartAfterMs;
  }

  /** Whether a run is under way. */
  get running(): boolean {
    return this.#run !== undefined;
  }

  /** The number of starts so far. */
  get starts(): number {
    return this.#starts;
  }

  /** The number of crashes so far. */
  get crashes(): number {
    return this.#crashes;
  }

  /**
   * Starts the program; from now on it talks to `handler`, if one is given, e.g. that of a second server.
   * @throws {ListwatchError} code ALREADY_STARTED while it runs; CLOSED.
   */
  start(handler: ApiHandler = this.#handler): void {
    if (this.#closed) throw new ListwatchError('CLOSED', 'the program of the test is closed');
    if (this.#run !== undefined) {
      const text = 'the program of the test runs already: call crash() before the next start()';
      throw new ListwatchError('ALREADY_STARTED', text);
    }
    this.#restart?.cancel();
    this.#handler = handler;
    this.#starts += 1;
    this.#begin(handler);
  }

  /** Cuts the run off now. The program stays down until `start`. Has no effect on a program that is down, but that it stays so. */
  crash(): void {
    this.#restart?.cancel();
    this.#die();
  }

  /**
   * Crashes the program at a request that matches, by default once; it is started again after `restartAfterMs`. The result counts, and
   * ends the rule when it is disposed of.
   * @throws {ListwatchError} code INVALID_OPTION.
   */
  crashAt(point: CrashPoint): Fault {
    POINT.read(point);
    const { handled = true, times = 1, ...rest } = point;
    const rule: FaultRule = { ...rest, times, reset: handled ? { handled } : true };
    checkFaultRule(rule);
    const added = new ActiveFault(rule, (removed) => {
      this.#points.delete(removed);
    });
    this.#points.add(added);
    return added;
  }

  /**
   * Ends the program with its signal, and resolves when the code of all runs has ended.
   * @throws what `main` has thrown in a run that had not crashed.
   */
  async close(): Promise<void> {
    this.#closed = true;
    this.#restart?.cancel();
    this.#run?.stop.abort(new ListwatchError('ABORTED', 'the program of the test was closed'));
    await Promise.all(this.#ends);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #begin(handler: ApiHandler): void {
    const stop = new AbortController();
    const transport = inProcessTransport((request) => this.#handle(run, handler, request));
    const run: Run = { stop, cut: () => void transport.close() };
    this.#run = run;
    const ended = this.#work(run, { transport, signal: stop.signal });
    this.#ends.add(ended);
    void ended.then(() => this.#ends.delete(ended));
  }

  /** Never rejects. */
  async #work(run: Run, given: ProgramRun): Promise<void> {
    try {
      await this.#main(given);
    } catch (error) {
      if (!given.signal.aborted) this.#failure ??= { error };
    }
    run.cut();
    if (this.#run === run) this.#run = undefined;
  }

  async #handle(run: Run, handler: ApiHandler, request: ApiRequest): Promise<ApiResponse> {
    const target = faultTarget(request);
    // Every point counts the request.
    const [fate] = [...this.#points].filter((point) => point.chooses(target));
    if (fate?.rule.reset === true) return this.#crashAt(run, fate);
    const response = await handler(request);
    return fate === undefined ? response : this.#crashAt(run, fate);
  }

  #crashAt(run: Run, point: ActiveFault): never {
    // The run of the request may have crashed while the server handled it.
    if (this.#run === run) {
      point.strike();
      this.#die();
      this.#restart = this.#runtime.setTimer(this.#restartAfterMs, () => {
        this.start();
      });
    }
    throw crashed();
  }

  #die(): void {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    this.#crashes += 1;
    run.cut();
    run.stop.abort(crashed());
  }
}

function crashed(): ListwatchError {
  return new ListwatchError('ABORTED', 'the program of the test has crashed, as the test said');
}
