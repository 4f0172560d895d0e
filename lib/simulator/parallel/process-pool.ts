import { fork, type ChildProcess } from 'node:child_process';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { nodeArguments } from '../../kernel/time/real-process.ts';
import type { SimulationPlan } from '../contract/fault.ts';
import type { PlanResult, PlanRunner } from '../search/plan-runner.ts';
import type { WorkerAnswer, WorkerRequest } from './plan-worker.ts';

/** A run makes much garbage that is soon dead: a large young generation keeps it cheap. */
const FLAGS: readonly string[] = ['--max-semi-space-size=64'];

const IS_SOURCE = import.meta.url.endsWith('.ts');

/**
 * The program of the processes. In the published package this module lies in a chunk, whose place says nothing about that of the program.
 * From source, the process that runs the specs may have got its loader in another way than by an argument.
 */
const PLACE = IS_SOURCE
  ? { loader: ['--import', 'tsx'], program: () => new URL('./plan-worker.ts', import.meta.url) }
  : {
      loader: [],
      program: () =>
        new URL('./parallel/plan-worker.js', import.meta.resolve('listwatch/simulator')),
    };

interface Waiting {
  readonly resolve: (result: PlanResult) => void;
  readonly reject: (error: unknown) => void;
}

class PlanProcess {
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;

  constructor(module: string) {
    const { program, loader } = PLACE;
    this.#child = fork(program(), [module], {
      execArgv: [...nodeArguments(), ...loader, ...FLAGS],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', ({ result, error }: WorkerAnswer) => {
      if (result === undefined) this.#fail(error ?? 'no answer');
      else this.#take()?.resolve(result);
    });
    this.#child.on('error', (error) => this.#fail(error.message));
    this.#child.on('exit', (code, signal) => this.#fail(`it ended with ${signal ?? code ?? ''}`));
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
