import { fork, type ChildProcess } from 'node:child_process';
import type { FaultKind } from './faults.ts';
import type { SeedReport } from './soak-report.ts';
import type { Assignment } from './soak-worker.ts';

export interface PoolOptions {
  readonly seeds: readonly number[];
  readonly without: ReadonlySet<FaultKind>;
  readonly workers: number;
  readonly onReport: (report: SeedReport) => void;
  /** A seed gave no answer in any of its attempts, the last of which took this long. */
  readonly onInconclusive: (seed: number, limitMs: number) => void;
  /** Asked before more work is given out. */
  readonly enough: () => boolean;
  /** Time for the first attempt at a seed, milliseconds. @defaultValue 60 000; a seed takes a fraction of a second */
  readonly limitMs?: number | undefined;
  /** Attempts at a seed, each with more time. @defaultValue 3 */
  readonly attempts?: number | undefined;
  /** The module that plays the seeds. */
  readonly worker?: URL | undefined;
}

type Message = { readonly report: SeedReport } | { readonly done: true };

interface SeedWork {
  readonly seed: number;
  /** The attempts before this one that ended without an answer. */
  readonly killed: number;
}

const CHUNK = 10;
const FIRST_LIMIT_MS = 60_000;
const ATTEMPTS = 3;
/** The time for an attempt grows by this. */
const GROWTH = 4;
const WORKER = new URL('./soak-worker.ts', import.meta.url);

/**
 * Plays seeds in processes of their own. One that gives no answer in time is killed and replaced: the machine may be busy, so
 * its seed is played again with more time.
 */
export async function playInPool(options: PoolOptions): Promise<void> {
  const left = options.seeds.map((seed) => ({ seed, killed: 0 }));
  const work = async (): Promise<void> => {
    while (left.length > 0 && !options.enough()) await new PoolWorker(options, left).run();
  };
  await Promise.all(Array.from({ length: options.workers }, work));
}

class PoolWorker {
  readonly #options: PoolOptions;
  /** Shared by all workers. */
  readonly #left: SeedWork[];
  readonly #child: ChildProcess;
  #mine: SeedWork[] = [];
  #watchdog: NodeJS.Timeout | undefined;
  #isKilled = false;

  constructor(options: PoolOptions, left: SeedWork[]) {
    this.#options = options;
    this.#left = left;
    this.#child = fork(options.worker ?? WORKER, {
      execArgv: ['--import', 'tsx'],
      serialization: 'advanced',
    });
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
        const [lost, ...rest] = this.#mine;
        this.#mine = [];
        this.#left.unshift(...rest);
        if (lost !== undefined) this.#lose(lost, signal ?? code);
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
    const seeds = this.#mine.map(({ seed }) => seed);
    const assignment: Assignment = { seeds, without: [...this.#options.without] };
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
    this.#watchdog = setTimeout(
      () => {
        this.#isKilled = true;
        this.#child.kill('SIGKILL');
      },
      this.#limitMs(this.#mine[0]?.killed ?? 0),
    );
  }

  #limitMs(killed: number): number {
    return (this.#options.limitMs ?? FIRST_LIMIT_MS) * GROWTH ** killed;
  }

  /** A process that ended by itself has failed; one that was killed has said nothing. */
  #lose({ seed, killed }: SeedWork, end: NodeJS.Signals | number | null): void {
    const { attempts = ATTEMPTS, onReport, onInconclusive } = this.#options;
    if (!this.#isKilled) {
      onReport({ ...NOTHING, seed, failures: [`the process ended with ${end}`] });
    } else if (killed + 1 < attempts) {
      this.#left.push({ seed, killed: killed + 1 });
    } else {
      onInconclusive(seed, this.#limitMs(killed));
    }
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
