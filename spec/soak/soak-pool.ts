import { fork, type ChildProcess } from 'node:child_process';
import type { FaultKind } from './faults.ts';
import type { SeedReport } from './soak-report.ts';
import type { Assignment } from './soak-worker.ts';

export interface PoolOptions {
  readonly seeds: readonly number[];
  readonly without: ReadonlySet<FaultKind>;
  readonly workers: number;
  readonly onReport: (report: SeedReport) => void;
  /** Asked before more work is given out. */
  readonly enough: () => boolean;
}

type Message = { readonly report: SeedReport } | { readonly done: true };

const CHUNK = 10;
/** A seed takes a fraction of a second. */
const HUNG_MS = 60_000;
const WORKER = new URL('./soak-worker.ts', import.meta.url);

/** Plays seeds in processes of their own; one that hangs costs its seed and is replaced. */
export async function playInPool(options: PoolOptions): Promise<void> {
  const left = [...options.seeds];
  const work = async (): Promise<void> => {
    while (left.length > 0 && !options.enough()) await new PoolWorker(options, left).run();
  };
  await Promise.all(Array.from({ length: options.workers }, work));
}

class PoolWorker {
  readonly #options: PoolOptions;
  /** Shared by all workers. */
  readonly #left: number[];
  readonly #child: ChildProcess;
  #mine: number[] = [];
  #watchdog: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions, left: number[]) {
    this.#options = options;
    this.#left = left;
    this.#child = fork(WORKER, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  }

  /** Until there is no more work, or the process has ended. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.on('message', (message: Message) => {
        if ('report' in message) this.#take(message.report);
        else this.#assign();
      });
      this.#child.once('exit', (code, signal) => {
        clearTimeout(this.#watchdog);
        const seed = this.#mine[0];
        if (seed !== undefined) this.#lose(seed, `the process ended with ${signal ?? code}`);
        resolve();
      });
      this.#assign();
    });
  }

  #assign(): void {
    clearTimeout(this.#watchdog);
    this.#mine = this.#options.enough() ? [] : this.#left.splice(0, CHUNK);
    if (this.#mine.length === 0) {
      this.#child.disconnect();
      return;
    }
    const assignment: Assignment = { seeds: [...this.#mine], without: [...this.#options.without] };
    this.#child.send(assignment);
    this.#arm();
  }

  #take(report: SeedReport): void {
    this.#mine.shift();
    this.#options.onReport(report);
    clearTimeout(this.#watchdog);
    if (this.#mine.length > 0) this.#arm();
  }

  #arm(): void {
    this.#watchdog = setTimeout(() => {
      this.#child.kill('SIGKILL');
    }, HUNG_MS);
  }

  /** The seed under way counts as failed, the others of the assignment go back. */
  #lose(seed: number, why: string): void {
    this.#left.unshift(...this.#mine.slice(1));
    this.#mine = [];
    this.#options.onReport({ ...NOTHING, seed, failures: [why] });
  }
}

const NOTHING: Omit<SeedReport, 'seed' | 'failures'> = {
  source: 'model',
  operations: 0,
  events: 0,
  looks: 0,
  handlers: 0,
  merged: 0,
  relists: 0,
  lists: 0,
  watches: 0,
  peakRequests: 0,
  virtualMs: 0,
  faults: {},
  trace: [],
};
