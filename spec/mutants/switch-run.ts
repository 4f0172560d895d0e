import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './mutant-choice.ts';
import type { SpecChoice } from './spec-choice.ts';
import type { Reached } from './switch-messages.ts';
import { SwitchProcess } from './switch-process.ts';
import { switched } from './switches.ts';
import { TreeCopy } from './tree-copy.ts';

/** The result of a mutant: the test that fails, or the number of tests that pass. */
export interface SwitchVerdict {
  readonly killedBy?: string;
  /** The test did not end, with the mutant only. */
  readonly late?: boolean;
  /** Tests that run what it changes. */
  readonly reaching: number;
  /** Those of them that ran with it and passed. */
  readonly passed: number;
}

export interface SwitchRunOptions {
  readonly root: string;
  readonly choice: SpecChoice;
  readonly specs: readonly string[];
  readonly jobs: number;
  readonly print: (line: string) => void;
  readonly report: (mutant: Mutant, verdict: SwitchVerdict) => void;
}

/** The time for the tests of a first run, and of a second one, which has those that are less near. */
const FIRST_MS = 2500;
const SECOND_MS = 20_000;
/** A test with a mutant may take this many times as long, and this much more. */
const TIMES_SLOWER = 8;
const MARGIN_MS = 10_000;

interface Part {
  readonly process: SwitchProcess;
  readonly reached: Reached;
}

interface Costed {
  readonly name: string;
  readonly file: string;
  readonly tookMs: number;
  readonly nearness: number;
}

/**
 * Checks mutants without starting a process for each: all of them are planted at once, behind switches, in a copy of the tree. The
 * tests run once to find which of them come by which switch. Then each mutant is switched on for those tests alone, the nearest
 * first. A test that fails with it and passes without it again has killed it.
 */
export class SwitchRun {
  readonly #options: SwitchRunOptions;

  constructor(options: SwitchRunOptions) {
    this.#options = options;
  }

  async run(mutants: readonly Mutant[]): Promise<void> {
    const { root, specs, jobs } = this.#options;
    using tree = new TreeCopy(root);
    plantAll(tree.folder, mutants);
    const processes = Array.from({ length: jobs }, (_none, job) => {
      const own = specs.filter((_spec, at) => at % jobs === job);
      return new SwitchProcess(tree.folder, own);
    });
    try {
      await this.#checkAll(mutants, processes);
    } finally {
      for (const process of processes) process[Symbol.dispose]();
    }
  }

  async #checkAll(mutants: readonly Mutant[], processes: readonly SwitchProcess[]): Promise<void> {
    const { print, jobs } = this.#options;
    const parts = await Promise.all(
      processes.map(
        async (process): Promise<Part> => ({ process, reached: await process.reach() }),
      ),
    );
    for (const { reached } of parts) {
      for (const test of reached.failing) print(`fails with the unchanged code: ${test}`);
    }
    const left = new Set(mutants.keys());
    const passed = new Map<number, number>();
    for (const round of [0, 1]) {
      await Promise.all(
        parts.map(async (part, job) => {
          for (const number of mutants.keys()) {
            const tests = parts.map((one) => this.#testsOf(one, mutants, number));
            const near = tests.map(([first]) => first?.nearness ?? -1);
            const isHome = near.indexOf(Math.max(...near)) === job;
            if (isHome === (round === 1) || !left.has(number)) continue;
            const verdict = await checked(part, number, tests[job] ?? []);
            const sum = (passed.get(number) ?? 0) + verdict.passed;
            passed.set(number, sum);
            const reaching = tests.flat().length;
            const isLast = round === 1 || jobs === 1;
            if (verdict.killedBy === undefined && !isLast) continue;
            if (!left.delete(number)) continue;
            const mutant = mutants[number] as Mutant;
            this.#options.report(mutant, { ...verdict, reaching, passed: sum });
          }
        }),
      );
    }
    for (const number of left) {
      const reaching = parts.flatMap((one) => this.#testsOf(one, mutants, number)).length;
      this.#options.report(mutants[number] as Mutant, {
        reaching,
        passed: passed.get(number) ?? 0,
      });
    }
  }

  /** The tests of a part that come by a switch, the nearest to the file of the mutant first. */
  #testsOf({ reached }: Part, mutants: readonly Mutant[], number: number): Costed[] {
    const { file } = mutants[number] as Mutant;
    return reached.tests
      .filter((test) => test.reached.includes(number))
      .map(({ name, tookMs }) => {
        const spec = name.slice(0, name.indexOf(' '));
        return { name, tookMs, file: spec, nearness: this.#options.choice.nearness(spec, file) };
      })
      .toSorted((left, right) => right.nearness - left.nearness || left.tookMs - right.tookMs);
  }
}

async function checked(
  { process, reached }: Part,
  number: number,
  tests: readonly Costed[],
): Promise<SwitchVerdict> {
  let from = 0;
  let passed = 0;
  for (const mostMs of [FIRST_MS, SECOND_MS]) {
    let costMs = 0;
    let longestMs = 0;
    const files = new Set<string>();
    const chosen: string[] = [];
    for (; from < tests.length; from += 1) {
      const { name, file, tookMs } = tests[from] as Costed;
      const moreMs = tookMs + (files.has(file) ? 0 : (reached.overheads[file] ?? 0));
      if (costMs + moreMs > mostMs) {
        // Tests too long for any run are left out.
        if (moreMs > SECOND_MS) continue;
        break;
      }
      costMs += moreMs;
      longestMs = Math.max(longestMs, tookMs);
      files.add(file);
      chosen.push(name);
    }
    if (chosen.length === 0) continue;
    const limitMs = TIMES_SLOWER * longestMs + MARGIN_MS;
    const withinMs = TIMES_SLOWER * costMs + 3 * MARGIN_MS;
    let answer = await process.check({ number, tests: chosen, limitMs }, withinMs);
    // The machine may have stood still, or a mutant before have left something behind: a new process is asked once more.
    if (answer === undefined || answer.late === true || answer.isDirty === true) {
      answer = await process.check({ number, tests: chosen, limitMs }, withinMs);
    }
    if (answer === undefined) return { killedBy: chosen[0] ?? '', late: true, reaching: 0, passed };
    if (answer.failed !== undefined && answer.isDirty !== true) {
      const late = answer.late === true;
      return { killedBy: answer.failed, late, reaching: 0, passed };
    }
    passed += chosen.length;
  }
  return { reaching: 0, passed };
}

function plantAll(folder: string, mutants: readonly Mutant[]): void {
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const own = [...mutants.entries()].filter(([, mutant]) => mutant.file === file);
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const planted = own.map(([number, { mutation }]) => ({ number, mutation }));
    writeFileSync(path, switched(text, planted));
  }
}
