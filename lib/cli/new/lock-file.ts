import { sep } from 'node:path';
import type { CommandHost } from '../contract/command.ts';
import { runChildProgram, type ChildResult } from '../programs/child-program.ts';

const LOCK = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
/** A registry that does not answer is not waited for any longer. */
const LIMIT_MS = 300_000;
/** Variables of this npm that another npm inherits: those that say where packages come from. */
const INHERITED = /^npm_config_(?:registry|cache|userconfig)$/i;
const LONGEST_OUTPUT = 10_000;

/** Lets npm write package-lock.json, which `npm ci` needs. Resolves to why it did not; undefined: it did. */
export async function writeLockFile(
  folder: string,
  { env, program, runtime, signal, signalGroup }: CommandHost,
): Promise<string | undefined> {
  const npm = env['npm_execpath'];
  const [node = 'node'] = program;
  // npx says where its npm is. On Windows the one of PATH is a script for its shell.
  const command: readonly [string, ...string[]] =
    npm !== undefined && /\.[cm]?js$/.test(npm)
      ? [node, npm, ...LOCK]
      : sep === '/'
        ? ['npm', ...LOCK]
        : ['cmd.exe', '/d', '/s', '/c', 'npm', ...LOCK];
  let output = '';
  const result = await runChildProgram({
    command,
    env: Object.fromEntries(
      Object.entries(env).filter(([name]) => !/^npm_/i.test(name) || INHERITED.test(name)),
    ),
    folder,
    runtime,
    signal,
    signalGroup,
    stopAfterMs: LIMIT_MS,
    onOutput: (text) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
    },
  });
  return problemOf(result, output);
}

function problemOf(result: ChildResult, output: string): string | undefined {
  switch (result.outcome) {
    case 'not-started':
      return 'npm is not on PATH';
    case 'stopped':
      return `npm was stopped, after at most ${LIMIT_MS / 60_000} minutes`;
    case 'ended': {
      if (result.code === 0) return undefined;
      const lines = output.split('\n').filter((line) => /^npm (?:error|ERR!)/.test(line));
      const said = lines.find((line) => !/^npm (?:error|ERR!) code/.test(line)) ?? '';
      return `npm ended with ${result.code}: ${said.replace(/^npm (?:error|ERR!)\s*/, '')}`;
    }
  }
}
