/**
 * A process that has spec files loaded, over code with mutants behind switches, and runs their tests again and again: once to find
 * which test comes by which switch, then, for one mutant after the other, those that a message names.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import Mocha from 'mocha';
import { SWITCH } from './switches.ts';
import type { Asked, CheckAnswer, Reached, ReachedTest } from './switch-messages.ts';

const specs = process.argv.slice(2);
let current = new Set<number>();
const loaded = current;
let on: number | undefined;
Object.assign(globalThis, {
  [SWITCH](number: number): boolean {
    current.add(number);
    return number === on;
  },
});

const mocha = new Mocha({ timeout: 600_000, reporter: silent as never });
mocha.cleanReferencesAfterRun(false);
for (const hooks of hooksOfSuite()) mocha.rootHooks(hooks);
for (const spec of specs) mocha.addFile(resolve(spec));
await mocha.loadFilesAsync();
const names = new Map(specs.map((spec) => [resolve(spec), spec]));

function silent(): void {
  // The messages have all results.
}

/** The hooks around every spec, from the files that the package has mocha require. */
function hooksOfSuite(): Mocha.RootHookObject[] {
  const { mocha: settings }: { mocha?: { require?: readonly string[] } } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const files = (settings?.require ?? []).filter((path) => path.startsWith('.'));
  // Mocha requires the specs; what is imported would be another instance of each module.
  const require = createRequire(import.meta.url);
  return files.flatMap((path) => {
    const { mochaHooks } = require(resolve(path)) as { mochaHooks?: Mocha.RootHookObject };
    return mochaHooks === undefined ? [] : [mochaHooks];
  });
}

function nameOf(test: Mocha.Runnable): string {
  return `${names.get(test.file ?? '') ?? ''} ${test.fullTitle()}`;
}

/** Runs the tests that `wanted` knows; ends at the first failure, unless all are wanted. */
async function run(
  wanted: ReadonlySet<string> | undefined,
  listen: (runner: Mocha.Runner) => void = () => undefined,
): Promise<CheckAnswer> {
  const titles = wanted && new Set([...wanted].map((name) => name.slice(name.indexOf(' ') + 1)));
  Object.assign(mocha.options, {
    grep: titles === undefined ? undefined : { test: (title: string) => titles.has(title) },
  });
  return await new Promise((done) => {
    let failed: CheckAnswer | undefined;
    const runner = mocha.run(() => done(failed ?? {}));
    listen(runner);
    runner.on('fail', (test, error: unknown) => {
      const one = test.ctx?.currentTest ?? test;
      failed ??= { failed: nameOf(one), late: String(error).startsWith('Error: Timeout of') };
      if (wanted !== undefined) runner.abort();
    });
  });
}

async function reach(): Promise<Reached> {
  const bySuite = new Map<Mocha.Suite | undefined, Set<number>>();
  const tests: (ReachedTest & { readonly suite: Mocha.Suite | undefined })[] = [];
  const failing = new Set<string>();
  const overheads = new Map<string, number>();
  let file = '';
  let since = performance.now();
  const spend = (next: string): void => {
    const now = performance.now();
    overheads.set(file, (overheads.get(file) ?? 0) + now - since);
    [file, since] = [next, now];
  };
  await run(undefined, (runner) => {
    runner.on('suite', (suite) => {
      spend(names.get(suite.file ?? '') ?? '');
      current = new Set();
      bySuite.set(suite, current);
    });
    runner.on('test', () => {
      current = new Set();
    });
    runner.on('test end', (test) => {
      const tookMs = test.duration ?? 0;
      spend(file);
      overheads.set(file, (overheads.get(file) ?? 0) - tookMs);
      tests.push({ name: nameOf(test), tookMs, reached: [...current], suite: test.parent });
    });
    runner.on('fail', (test) => failing.add(nameOf(test.ctx?.currentTest ?? test)));
  });
  spend('');
  const reachedBy = (suite: Mocha.Suite | undefined): number[] =>
    suite === undefined ? [] : [...(bySuite.get(suite) ?? []), ...reachedBy(suite.parent)];
  return {
    tests: tests
      .filter(({ name }) => !failing.has(name))
      .map(({ suite, reached, ...test }) => ({
        ...test,
        reached: [...new Set([...reached, ...reachedBy(suite)])],
      })),
    failing: [...failing],
    overheads: Object.fromEntries(overheads),
    loaded: [...loaded],
  };
}

/** With the switch of a mutant on; a failure counts when the same test passes with the switch off. */
async function check(
  number: number,
  tests: readonly string[],
  limitMs: number,
): Promise<CheckAnswer> {
  mocha.suite.eachTest((test: Mocha.Test) => {
    test.timeout(limitMs);
  });
  on = number;
  const answer = await run(new Set(tests));
  on = undefined;
  if (answer.failed === undefined) return answer;
  const again = await run(new Set([answer.failed]));
  return again.failed === undefined ? answer : { ...answer, isDirty: true };
}

process.on('message', (asked: Asked) => {
  const answer = asked.kind === 'reach' ? reach() : check(asked.number, asked.tests, asked.limitMs);
  void answer.then((one) => process.send?.(one));
});
process.on('uncaughtException', () => undefined);
process.on('unhandledRejection', () => undefined);
process.send?.({ ready: true });
