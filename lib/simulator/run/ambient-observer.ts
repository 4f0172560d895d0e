import {
  closeAmbientRun,
  loadingFindings,
  openAmbientRun,
  type AmbientRun,
} from '../ambient/ambient-run.ts';
import { runEnds } from './run-watchers.ts';
import { watchResources } from '../ambient/watch-resources.ts';
import { takeUncaughtExceptions } from '../../kernel/time/real-process.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { Finding } from '../contract/finding.ts';

/** Observes what controllers take from the machine during a run, where that is replaced. */
export class AmbientObserver {
  readonly #run: AmbientRun | undefined;
  readonly #looksClosely: boolean;
  readonly #ends: (() => void)[] = [];

  /** Begins. `looksClosely`: reports everything that begins in real time, and timers that are left. */
  constructor(runtime: Runtime, seed: string, looksClosely: boolean) {
    const run = openAmbientRun(runtime, seed, { keepsStacks: looksClosely });
    this.#run = run;
    this.#looksClosely = looksClosely;
    if (run === undefined) return;
    if (looksClosely) this.#ends.push(watchResources());
    const end = takeUncaughtExceptions((error) => {
      const subject = errorMessage(error);
      const message = 'this error was thrown where no one handles it, and ends a process';
      run.report({ class: 'uncaught-exception', subject, message, atMs: run.atMs });
    });
    this.#ends.push(end);
  }

  get findings(): readonly Finding[] {
    return this.#run === undefined ? [] : [...loadingFindings(), ...this.#run.findings];
  }

  close(): void {
    if (this.#looksClosely) this.#run?.reportLeaks();
    for (const finding of runEnds()) this.#run?.report(finding);
    for (const end of this.#ends) end();
    closeAmbientRun();
  }
}
