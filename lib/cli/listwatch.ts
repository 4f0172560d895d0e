#!/usr/bin/env node
/** The program `listwatch`: the only file of this folder that reads the process. */
import { readFileSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../kernel/failure/errors.ts';
import { homeFolder } from '../kernel/time/real-process.ts';
import { realRuntime } from '../kernel/time/real-runtime.ts';
import { EXIT, type Output } from './contract/command.ts';
import { runCommandLine } from './run-command-line.ts';

function outputOf(stream: NodeJS.WriteStream): Output {
  // A reader such as `head` may leave; there is nothing left to say to it.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY,
    write: (text) => {
      stream.write(text);
    },
  };
}

/** The same path from `lib/cli` and from `dist/cli`. */
function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

/**
 * From Node 22.1 on, the compiled program is kept between runs, in Node's folder below that for temporary files.
 * NODE_DISABLE_COMPILE_CACHE=1 turns it off.
 */
function keepCompiledProgram(): void {
  const { enableCompileCache } = modules as { readonly enableCompileCache?: () => unknown };
  enableCompileCache?.();
}

function signalGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  if (process.platform === 'win32') return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm and npx pass on an interrupt that the terminal has sent to the program already. */
const SAME_INTERRUPT_MS = 1000;

const interruption = new AbortController();
let interruptedAtMs: number | undefined;
const interrupt = (signal: NodeJS.Signals): void => {
  const nowMs = realRuntime.monotonicMs();
  interruptedAtMs ??= nowMs;
  interruption.abort(new Error('interrupted'));
  if (nowMs - interruptedAtMs < SAME_INTERRUPT_MS) return;
  // A second one ends the process at once, as the system does.
  for (const one of SIGNALS) process.off(one, interrupt);
  process.kill(process.pid, signal);
};
for (const signal of SIGNALS) process.on(signal, interrupt);

keepCompiledProgram();
let exitCode: number;
try {
  exitCode = await runCommandLine(process.argv.slice(2), {
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    stdin: () => process.stdin,
    env: process.env,
    homeDir: homeFolder(),
    program: [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)],
    runtime: realRuntime,
    signalGroup,
    signal: interruption.signal,
    version: packageVersion(),
  });
} catch (error) {
  process.stderr.write(`listwatch: ${errorMessage(error)}\n`);
  exitCode = EXIT.failed;
}
// A name lookup that the system has not answered would keep the process for half a minute.
process.stdout.write('', () => process.exit(exitCode));
