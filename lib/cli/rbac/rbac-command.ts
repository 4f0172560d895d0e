import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { parseDuration } from '../arguments/parse-duration.ts';
import type { Manifest } from '../../meta/manifests/manifest.ts';
import { isUsageError, UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { readManifestFiles } from '../manifests/manifest-files.ts';
import { shownText } from '../terminal/shown-text.ts';
import { KILL_AFTER_MS, type ChildResult } from '../programs/child-program.ts';
import type { NeededAccess } from './needed-access.ts';
import { recordedRun, type RecordedRun } from './recorded-run.ts';
import { roleManifest } from './role-manifest.ts';
import { nameOf, rolesFor } from './needed-roles.ts';

const OPTIONS: OptionTable = {
  manifests: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    help: 'a folder of manifests, applied before the program starts: definitions, and objects to work on; several times',
  },
  for: {
    type: 'string',
    value: 'TIME',
    help: 'stops the program after this time, such as 20s; otherwise it ends by itself, or by an interrupt',
  },
  namespace: {
    type: 'string',
    value: 'NAME',
    help: 'of the program: the one of its kubeconfig, in which its leases are; otherwise default',
  },
  name: { type: 'string', value: 'NAME', help: 'of the roles; otherwise the name of this folder' },
  'service-account': {
    type: 'string',
    value: 'NAME',
    help: 'also writes the bindings of this service account of the namespace',
  },
  names: {
    type: 'string',
    multiple: true,
    value: 'RESOURCE',
    help: 'the rules of this resource, such as secrets, have the names that were used; several times; always for leases',
  },
  out: { type: 'string', short: 'o', value: 'FILE', help: 'otherwise standard output' },
};

const HELP = `listwatch rbac: runs a program with an API server of its own, and writes the Roles and ClusterRoles that it needs.

Usage: listwatch rbac [options] -- PROGRAM [arguments]

The program gets a kubeconfig in KUBECONFIG and may do everything on that server, which runs no pods. What it asked for becomes rules:
make it do all that it does, by its tests or by objects of --manifests. Its output is on standard error.

Options:
${optionsHelp(OPTIONS)}

A program that reads a resource in all namespaces gets a ClusterRole, and a Role in its namespace for its leases. Others get a Role for
each namespace that they used.

Examples:
  npx listwatch rbac -- node program.js
  npx listwatch rbac --manifests manifests --for 20s -- npm start > role.yaml
  npx listwatch rbac --names secrets --service-account shop --namespace shop -- ./operator

Exit code: 0, 1 when the program cannot start, ends with a failure, or needs no rule, 2 for wrong arguments, 130 when interrupted before
the program has started.
`;

const LEASES = 'leases.coordination.k8s.io';
const HEAD = /^# What .* needed, recorded by listwatch rbac\.\n/;
const LONGEST_MESSAGE = 2000;
const LONGEST_COMMAND = 100;
/** A name that each of the objects with it can have. @see apimachinery pkg/util/validation IsDNS1123Label @ v0.36.3 */
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** Runs a program and writes the roles that it needs. */
export function rbacCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const options = readOptions(parameters);
      try {
        await writeRoles(options, host);
        return EXIT.ok;
      } catch (error) {
        if (isUsageError(error)) throw error;
        if (host.signal.aborted && error === host.signal.reason) return EXIT.interrupted;
        const code = isListwatchError(error) ? ` (${error.code})` : '';
        host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
        return EXIT.failed;
      }
    },
  };
}

interface RbacOptions {
  readonly command: readonly [string, ...string[]];
  readonly manifests: readonly string[];
  readonly stopAfterMs: number | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly account: string | undefined;
  readonly named: ReadonlySet<string>;
  readonly out: string | undefined;
}

/** @throws {UsageError} */
function readOptions(parameters: readonly string[]): RbacOptions {
  const mark = parameters.indexOf('--');
  const own = mark < 0 ? parameters : parameters.slice(0, mark);
  const { options, positionals } = parseArguments(own, OPTIONS);
  const [extra] = positionals;
  const [file, ...rest] = mark < 0 ? [] : parameters.slice(mark + 1);
  if (extra !== undefined || file === undefined) {
    const what = extra === undefined ? '' : `, not ${JSON.stringify(extra)}`;
    throw new UsageError(
      `rbac takes options, and a program after --: listwatch rbac -- node program.js${what}`,
    );
  }
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const label = (option: string, text: string): string => {
    if (LABEL.test(text)) return text;
    throw new UsageError(
      `--${option} must be lower-case letters, digits and "-", at most 63, not ${JSON.stringify(text)}`,
    );
  };
  const stopAfter = one('for');
  const account = one('service-account');
  return {
    command: [file, ...rest],
    manifests: options.get('manifests') ?? [],
    stopAfterMs: stopAfter === undefined ? undefined : parseDuration('--for', stopAfter),
    namespace: label('namespace', one('namespace') ?? 'default'),
    name: label('name', one('name') ?? folderName()),
    account: account === undefined ? undefined : label('service-account', account),
    named: new Set([LEASES, ...(options.get('names') ?? [])]),
    out: one('out'),
  };
}

/** The name of the folder in which the command runs, as a name of roles. */
function folderName(): string {
  const name = basename(resolve('.'))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return name.slice(0, 63).replaceAll(/^-+|-+$/g, '') || 'program';
}

async function writeRoles(options: RbacOptions, host: CommandHost): Promise<void> {
  const { out } = options;
  if (out !== undefined) await refuseForeignFile(out);
  const manifests: Manifest[] = [];
  for (const folder of options.manifests) manifests.push(...(await readManifestFiles(folder)));
  const run = await recordedRun({ ...options, manifests }, host);
  const text = manifestOf(run, options, host);
  if (out === undefined) host.stdout.write(text);
  else await writeFile(out, text);
}

/** @throws {ListwatchError} code PROGRAM_FAILED, NO_REQUESTS. */
function manifestOf(
  { result, recorder, served }: RecordedRun,
  options: RbacOptions,
  host: CommandHost,
): string {
  const { command, namespace, named, name, account } = options;
  const line = shownText(command.join(' '), LONGEST_COMMAND);
  refuseFailure(line, result);
  const { used, requests, isFull } = recorder;
  if (used.resources.length === 0 && used.paths.length === 0) {
    const what =
      requests === 0
        ? `${line} sent no request to the server: let it take the kubeconfig that KUBECONFIG names, and run until it has worked`
        : `${line} asked only for what everybody may see, such as the version: let it run until it has worked, with --manifests for objects to work on`;
    throw new ListwatchError('NO_REQUESTS', what);
  }
  const say = (text: string): void => {
    host.stderr.write(`listwatch: ${text}\n`);
  };
  if (result.outcome === 'stopped' && result.killed) {
    say(`${line} did not end within ${KILL_AFTER_MS / 1000} s of SIGTERM, and was killed`);
  }
  if (isFull) say('the program used more names than are kept; rules may be missing');
  for (const note of notesOn(used.resources, served)) say(note);
  const isNamespaced = (access: NeededAccess): boolean => served.get(servedKey(access)) ?? true;
  return roleManifest(rolesFor(used, { namespace, named, isNamespaced }), {
    name,
    command: line,
    account: account === undefined ? undefined : { namespace, name: account },
  });
}

/** @throws {ListwatchError} code PROGRAM_FAILED. */
function refuseFailure(line: string, result: ChildResult): void {
  switch (result.outcome) {
    case 'stopped':
      return;
    case 'not-started': {
      const { code, message, path = '' } = result.error;
      // The system says EACCES where a folder of PATH may not be read.
      const isMissing = code === 'ENOENT' || (code === 'EACCES' && !path.includes('/'));
      const why = isMissing ? 'there is no such program on PATH' : message;
      throw new ListwatchError('PROGRAM_FAILED', `${line} cannot be started: ${why}`);
    }
    case 'ended': {
      if (result.code === 0) return;
      const how = result.code === null ? `by ${result.signal}` : `with ${result.code}`;
      throw new ListwatchError(
        'PROGRAM_FAILED',
        `${line} ended ${how}, so its rules are not known: its output says why; correct that and run it again`,
      );
    }
  }
}

function notesOn(
  accesses: readonly NeededAccess[],
  served: ReadonlyMap<string, boolean>,
): readonly string[] {
  const missing = new Set(accesses.filter((one) => !served.has(servedKey(one))).map(nameOf));
  const notes = [...missing].map(
    (resource) =>
      `the server has no ${resource}: name the folder of its definition with --manifests, or the program meets no objects of it`,
  );
  if (accesses.some(({ group, verb }) => group === RBAC && WRITES.has(verb))) {
    notes.push(
      'the program writes roles or bindings: a cluster also asks that it has what they grant, or the verbs escalate and bind',
    );
  }
  return notes;
}

const RBAC = 'rbac.authorization.k8s.io';
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

function servedKey({ group, version, resource }: NeededAccess): string {
  return `${group}/${version}/${resource}`;
}

/** @throws {UsageError} for a file that this command has not written. */
async function refuseForeignFile(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new UsageError(`${path} cannot be read: ${error.message}; name another --out`);
  });
  if (text === '' || HEAD.test(text)) return;
  throw new UsageError(`${path} has something else than recorded roles; name another --out`);
}
