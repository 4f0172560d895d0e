/**
 * With `npm run spec -- --times`: writes a line for each spec file, with how long it took from the end of the file before it in the
 * same process, and the processor time of that process and of those it started.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Context, Suite } from 'mocha';

export const TIMES_VARIABLE = 'LISTWATCH_FILE_TIMES';

/** The time of a spec file, milliseconds. */
export interface FileTimes {
  readonly file: string;
  readonly elapsed: number;
  readonly processor: number;
  readonly processorOfChildren: number;
}

/** Of the children that have ended, milliseconds; 0 where /proc is missing. A tick of the kernel is 10 ms. */
function childrenMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

interface Reading {
  readonly at: number;
  readonly own: number;
  readonly children: number;
}

function read(): Reading {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), own: (user + system) / 1000, children: childrenMs() };
}

let before: Reading = { at: 0, own: 0, children: 0 };

function fileOf(suite: Suite | undefined): string {
  let one = suite;
  while (one !== undefined && one.file === undefined) one = one.suites[0];
  return one?.file === undefined ? '' : relative(process.cwd(), one.file);
}

export const mochaHooks = {
  afterAll(this: Context): void {
    const place = process.env[TIMES_VARIABLE];
    if (place === undefined) return;
    const now = read();
    const times: FileTimes = {
      file: fileOf(this.test?.parent),
      elapsed: Math.round(now.at - before.at),
      processor: Math.round(now.own - before.own),
      processorOfChildren: now.children - before.children,
    };
    before = now;
    appendFileSync(place, `${JSON.stringify(times)}\n`);
  },
};
