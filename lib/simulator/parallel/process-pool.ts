import type { ChildProcess } from 'node:child_process';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import { startProcess } from '../isolation/guarded-process.ts';
import { isolationSettings } from '../isolation/isolation-settings.ts';
import { endFinding, type ProcessEnd } from '../isolation/process-end.ts';
import type { PlanResult, PlanRunner } from '../search/plan-runner.ts';
import type { WorkerAnswer, WorkerArgument, WorkerRequest } from './plan-worker.ts';

/** Runs of a process that loads modules anew for each of their incarnations, before another one takes its place. */
const FRESH_RUNS = 500;

interface Waiting {
  readonly resolve: (result: PlanResult) => void;
  readonly reject: (error: unknown) => void;
}

class PlanProcess {
  readonly #module: string;
  #child: ChildProcess;
  #waiting: Waiting | undefined;
  #runs = 0;

  constructor(module: string) {
    this.#module = module;
    this.#child = this.#start();
  }

  get isFree(): boolean {
    return this.#waiting === undefined && this.#child.connected;
  }

  run(plan: SimulationPlan): Promise<PlanResult> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      const request: WorkerRequest = { plan };
      this.#child.send(request);
    });
  }

  close(): void {
    this.#child.kill();
  }

  #start(): ChildProcess {
    const settings = isolationSettings();
    const argument: WorkerArgument = { module: this.#module, settings };
    const child = startProcess(
      {
        program: 'parallel/plan-worker',
        argument: JSON.stringify(argument),
        settings,
        prints: false,
      },
      {
        message: (message) => this.#answered(message as WorkerAnswer),
        gone: (reason, end) => {
          if (this.#child === child) this.#gone(reason, end);
        },
      },
    );
    return child;
  }

  #answered({ result, error }: WorkerAnswer): void {
    if (result === undefined) this.#fail(error ?? 'no answer');
    else {
      this.#renew();
      this.#take()?.resolve(result);
    }
  }

  /** Modules that were loaded anew for each incarnation stay in memory as long as their process. */
  #renew(): void {
    this.#runs += 1;
    if (isolationSettings()?.modules !== 'fresh' || this.#runs < FRESH_RUNS) return;
    this.#runs = 0;
    this.#child.kill();
    this.#child = this.#start();
  }

  /** Its guard has ended it because of the plan: that is the result of the plan, and another process takes its place. */
  #gone(reason: string, end: ProcessEnd | undefined): void {
    const settings = isolationSettings();
    if (end === undefined || settings === undefined) {
      this.#fail(reason);
      return;
    }
    this.#child = this.#start();
    this.#take()?.resolve({ findings: [endFinding(end, settings)], virtualMs: 0, coverage: [] });
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #fail(reason: string): void {
    const text = `a process of the simulation failed: ${reason}`;
    this.#take()?.reject(new ListwatchError('PROGRAM_FAILED', text));
  }
}

/**
 * Processes that run plans. Each imports the module with the options, so state at module level is not shared. Processes and not threads,
 * because loaders that a program is started with do not always apply in threads.
 */
export function processPool(module: string, processes: number): PlanRunner {
  const all = Array.from({ length: processes }, () => new PlanProcess(module));
  let runsElsewhere = 0;
  return {
    width: processes,
    get runsElsewhere() {
      return runsElsewhere;
    },
    run: (plan) => {
      runsElsewhere += 1;
      const free = all.find(({ isFree }) => isFree);
      if (free !== undefined) return free.run(plan);
      const text = 'all processes of the simulation have ended';
      return Promise.reject(new ListwatchError('PROGRAM_FAILED', text));
    },
    close: () => {
      for (const one of all) one.close();
      return Promise.resolve();
    },
  };
}
