import { expect } from 'chai';
import { ambientEnvironment } from '../../../lib/client/config/ambient-environment.ts';
import {
  KILL_AFTER_MS,
  runChildProgram,
  type ChildProgramOptions,
  type ChildResult,
} from '../../../lib/cli/programs/child-program.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { HeldTimers } from '../support/held-timers.ts';
import { until, within } from '../../support/until.ts';

const WAITS = `setInterval(() => {}, 1000); console.log('ready');`;
/** Starts a program with its own pipes, and ends at once. */
const LEAVES = (script: string): string =>
  `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(script)}], { stdio: 'inherit' });`;

class Run {
  readonly stopping = new AbortController();
  output = '';
  readonly result: Promise<ChildResult>;

  constructor(script: string, options: Partial<ChildProgramOptions> = {}) {
    this.result = runChildProgram({
      command: [process.execPath, '-e', script],
      env: process.env,
      runtime: realRuntime,
      signal: this.stopping.signal,
      signalGroup: ambientEnvironment().signalGroup,
      onOutput: (text) => {
        this.output += text;
      },
      ...options,
    });
  }

  async printed(text: string): Promise<void> {
    await until(`the program has printed ${text}`, () => this.output.includes(text));
  }

  async ended(): Promise<ChildResult> {
    return await within(this.result, 'the end of the program');
  }
}

describe('a program that a command runs', () => {
  it('ends with its code, and all that it has printed', async () => {
    const run = new Run(`console.log('a'); console.error('b'); process.exitCode = 3;`);
    expect(await run.ended()).to.deep.equal({ outcome: 'ended', code: 3, signal: null });
    expect(run.output.split('').toSorted().join('').trim()).to.equal('ab');
  });

  it('is stopped with what it has started, also with what outlives it', async () => {
    const run = new Run(`process.on('SIGTERM', () => process.exit());${LEAVES(WAITS)}${WAITS}`);
    await until('both programs are ready', () => run.output.split('ready').length === 3);
    run.stopping.abort();
    expect(await run.ended()).to.deep.equal({ outcome: 'stopped', killed: false });

    // The program ends by itself, and what it has started goes with it.
    const leaving = new Run(`${LEAVES(WAITS)}setTimeout(() => process.exit(0), 1);`);
    expect(await leaving.ended()).to.deep.equal({ outcome: 'ended', code: 0, signal: null });
  });

  it('is killed when it does not stop', async () => {
    const timers = new HeldTimers(KILL_AFTER_MS);
    const run = new Run(`process.on('SIGTERM', () => console.log('no'));${WAITS}`, {
      runtime: timers.runtime,
    });
    await run.printed('ready');
    run.stopping.abort();
    await run.printed('no');
    timers.fire();
    expect(await run.ended()).to.deep.equal({ outcome: 'stopped', killed: true });
  });

  it('is stopped after its time', async () => {
    const timers = new HeldTimers(77_000);
    const run = new Run(WAITS, { runtime: timers.runtime, stopAfterMs: 77_000 });
    await run.printed('ready');
    timers.fire();
    expect(await run.ended()).to.deep.equal({ outcome: 'stopped', killed: false });
  });

  it('that is not there is not started', async () => {
    const run = new Run('', { command: ['/nowhere/at-all'] });
    expect(await run.ended()).to.deep.include({ outcome: 'not-started' });
  });
});
