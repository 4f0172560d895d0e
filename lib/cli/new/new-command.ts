import { resolve, dirname, join } from 'node:path';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { countOf, shownText } from '../terminal/shown-text.ts';
import { writeLockFile } from './lock-file.ts';
import { projectFiles } from './project-files.ts';
import { projectNames, type ProjectNames } from './project-names.ts';
import { readdir, writeFile } from 'node:fs/promises';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';

const OPTIONS: OptionTable = {
  group: {
    type: 'string',
    value: 'DOMAIN',
    help: 'the API group of the resource; otherwise example.com',
  },
  kind: { type: 'string', value: 'KIND', help: 'of the resource; otherwise made from the name' },
  dir: {
    type: 'string',
    value: 'DIR',
    help: 'an empty folder to write into, such as . for this one; otherwise a new one, NAME',
  },
  listwatch: {
    type: 'string',
    value: 'SPEC',
    help: 'what npm installs as listwatch: a version, or a tarball; otherwise this version',
  },
  'no-lock': {
    type: 'boolean',
    help: 'leaves out package-lock.json, for which npm asks the registry',
  },
};

const HELP = `listwatch new: a project with an operator, its definition, tests, image, manifests and workflow.

Usage: listwatch new NAME [options]

Options:
${optionsHelp(OPTIONS)}

The operator keeps a ConfigMap for each object of a resource of its own. Its tests run it against an API server in their process, with
the rights of its manifests.

Examples:
  npx listwatch new shop && cd shop && npm ci && npm test
  npx listwatch new shop --dir . --group shops.example.com

Exit code: 0, 1 when it was written but for package-lock.json, 2 for wrong arguments and a folder that cannot be written.
`;

const LONGEST_MESSAGE = 500;

/** Writes a project for an operator. */
export function newCommand(): Command {
  return { help: HELP, run: writeNew };
}

async function writeNew(parameters: readonly string[], host: CommandHost): Promise<number> {
  const { names, dir, listwatch, lock } = readOptions(parameters, host);
  const folder = resolve(dir);
  const files = await projectFiles(names, listwatch);
  await writeProject(folder, files, dir);
  const problem = lock ? await writeLockFile(folder, host) : undefined;
  const enter = folder === resolve('.') ? '' : `cd ${dir}\n  `;
  const install = lock && problem === undefined ? 'npm ci' : 'npm install';
  host.stdout.write(
    `${countOf(files.size, 'file')} in ${dir}. Next:\n  ${enter}${install}\n  npm test\n`,
  );
  if (problem === undefined) return EXIT.ok;
  const said = shownText(problem, LONGEST_MESSAGE);
  host.stderr.write(
    `listwatch: there is no package-lock.json yet, npm install writes it: ${said}\n`,
  );
  return EXIT.failed;
}

interface NewOptions {
  readonly names: ProjectNames;
  readonly dir: string;
  readonly listwatch: string;
  readonly lock: boolean;
}

/** @throws {UsageError} */
function readOptions(parameters: readonly string[], { version }: CommandHost): NewOptions {
  const { options, positionals } = parseArguments(parameters, OPTIONS);
  const [name, extra] = positionals;
  if (name === undefined || extra !== undefined) {
    const what = extra === undefined ? '' : `, not also ${JSON.stringify(extra)}`;
    throw new UsageError(`new takes the name of a project: listwatch new shop${what}`);
  }
  const one = (option: string): string | undefined => options.get(option)?.[0];
  return {
    names: projectNames(name, { group: one('group'), kind: one('kind') }),
    dir: one('dir') ?? name,
    listwatch: installable(one('listwatch') ?? `^${version}`),
    lock: !options.has('no-lock'),
  };
}

/** npm reads the path of a tarball from the folder of the project. */
function installable(spec: string): string {
  return spec.endsWith('.tgz') && !spec.includes('://') ? `file:${resolve(spec)}` : spec;
}

/** Files that a new repository may have. */
const ALLOWED: ReadonlySet<string> = new Set(['.git']);

/**
 * Writes files into a folder, which is made, or empty but for `.git`.
 * @param shown The folder as the user gave it. @throws {UsageError}
 */
async function writeProject(
  folder: string,
  files: ReadonlyMap<string, string>,
  shown: string,
): Promise<void> {
  const [first] = await contentOf(folder, shown);
  if (first !== undefined) {
    throw new UsageError(
      `the folder ${shown} exists and has ${first}; name another, or an empty one with --dir`,
    );
  }
  try {
    for (const [path, text] of files) {
      await makeFolders(dirname(join(folder, path)));
      await writeFile(join(folder, path), text, { flag: 'wx' });
    }
  } catch (error) {
    throw new UsageError(`${shown} cannot be written: ${errorMessage(error)}; name another --dir`);
  }
}

async function contentOf(folder: string, shown: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !ALLOWED.has(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new UsageError(
      `${shown} is no folder that can be written: ${errorMessage(error)}; name another --dir`,
    );
  }
}
