import {
  access,
  chmod,
  constants,
  lstat,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { parseArguments } from '../arguments/parse-arguments.ts';
import { isUsageError, UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';

const HELP = `listwatch envtest-assets: writes the programs that envtest starts, so that suites in Go and other languages run against
this package without a change.

Usage: listwatch envtest-assets DIR

DIR gets etcd and kube-apiserver, and a link to kubectl when one is on PATH. They call this installation of listwatch: write them again
when it has moved. The line to set KUBEBUILDER_ASSETS is on standard output. Not for Windows.

Examples:
  npx listwatch envtest-assets bin/envtest
  eval "$(npx listwatch envtest-assets bin/envtest)" && go test ./...

Exit code: 0, or 2 for wrong arguments.
`;

const PROGRAMS = { etcd: 'envtest-etcd', 'kube-apiserver': 'envtest-apiserver' } as const;
const MARK = '# Written by listwatch envtest-assets.';

/** Writes the programs for `KUBEBUILDER_ASSETS`. */
export function envtestAssetsCommand(): Command {
  return { help: HELP, options: {}, run: writeAssets };
}

async function writeAssets(parameters: readonly string[], host: CommandHost): Promise<number> {
  const { positionals } = parseArguments(parameters, {});
  const [given, extra] = positionals;
  if (given === undefined || extra !== undefined) {
    throw new UsageError('envtest-assets takes one directory, e.g. bin/envtest');
  }
  const dir = resolve(given);
  try {
    await makeFolders(dir);
    for (const [name, command] of Object.entries(PROGRAMS)) {
      await writeProgram(join(dir, name), [...host.program, command]);
    }
    await linkKubectl(dir, host);
  } catch (error) {
    if (isUsageError(error)) throw error;
    throw new UsageError(`${dir} cannot be written: ${errorMessage(error)}`);
  }
  host.stdout.write(`export KUBEBUILDER_ASSETS=${shellWord(dir)}\n`);
  return EXIT.ok;
}

/** Signals reach the program itself, because the shell is replaced by it. */
async function writeProgram(path: string, words: readonly string[]): Promise<void> {
  await removeEarlier(path);
  const line = `exec ${words.map(shellWord).join(' ')} "$@"`;
  await writeFile(path, `#!/bin/sh\n${MARK}\n${line}\n`);
  await chmod(path, 0o755);
}

/** A link would be written through, to the program that it names. @throws {UsageError} for a program of another origin. */
async function removeEarlier(path: string): Promise<void> {
  if (!(await isThere(path))) return;
  const text = await readFile(path, 'latin1').catch(() => '');
  if (!text.includes(MARK)) {
    throw new UsageError(`${path} is another program, which stays; name another directory`);
  }
  await rm(path);
}

async function linkKubectl(dir: string, { env, stderr }: CommandHost): Promise<void> {
  const link = join(dir, 'kubectl');
  if (await isThere(link)) return;
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(resolve(folder), 'kubectl');
    if (folder === '' || !(await isExecutable(path))) continue;
    await symlink(path, link);
    return;
  }
  stderr.write('listwatch: no kubectl on PATH; suites that call it need one in the directory\n');
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
