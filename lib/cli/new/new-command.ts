import { resolve, dirname, join, sep } from 'node:path';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { countOf, shownText } from '../terminal/shown-text.ts';
import { projectNames, type ProjectNames } from './project-names.ts';
import { readdir, writeFile } from 'node:fs/promises';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { runChildProgram, type ChildResult } from '../programs/child-program.ts';
import { parseManifests } from '../../meta/manifests/parse-manifests.ts';
import { definitionOf } from '../types/definition.ts';
import { definitionTypes } from '../types/definition-types.ts';
import { definitionYaml, deploymentYaml, exampleYaml, rightsYaml } from './manifest-templates.ts';
import { mainTs, operatorTestTs, operatorTs, worldTs } from './program-templates.ts';
import {
  dockerfile,
  dockerignore,
  gitignore,
  packageJson,
  readmeMd,
  tsconfigBuildJson,
  tsconfigJson,
  workflowYaml,
} from './tool-templates.ts';

/** The files of a project by their paths in it. @param listwatch What npm installs as listwatch. */
export async function projectFiles(
  names: ProjectNames,
  listwatch: string,
): Promise<ReadonlyMap<string, string>> {
  const definition = 'manifests/10-definition.yaml';
  const manifests = await parseManifests(definitionYaml(names), definition);
  return new Map([
    ['.dockerignore', dockerignore()],
    ['.github/workflows/ci.yaml', workflowYaml(names)],
    ['.gitignore', gitignore()],
    ['Dockerfile', dockerfile()],
    ['README.md', readmeMd(names)],
    [`example/${names.singular}.yaml`, exampleYaml(names)],
    [definition, definitionYaml(names)],
    ['manifests/20-rights.yaml', rightsYaml(names)],
    ['manifests/30-deployment.yaml', deploymentYaml(names)],
    ['package.json', packageJson(names, listwatch)],
    ['src/main.ts', mainTs(names)],
    ['src/operator.ts', operatorTs(names)],
    ['src/types.ts', definitionTypes(manifests.map(definitionOf))],
    ['test/operator.test.ts', operatorTestTs(names)],
    ['test/world.ts', worldTs(names)],
    ['tsconfig.build.json', tsconfigBuildJson()],
    ['tsconfig.json', tsconfigJson()],
  ]);
}

const LOCK = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
/** A registry that does not answer is not waited for any longer. */
const LIMIT_MS = 300_000;
/** Variables of this npm that another npm inherits: those that say where packages come from. */
const INHERITED = /^npm_config_(?:registry|cache|userconfig)$/i;
const LONGEST_OUTPUT = 10_000;

/** Lets npm write package-lock.json, which `npm ci` needs. Resolves to why it did not; undefined: it did. */
async function writeLockFile(
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
  return { help: HELP, options: OPTIONS, run: writeNew };
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
