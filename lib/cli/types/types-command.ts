import {
  KUBERNETES_VERSIONS,
  minorOf,
  type KubernetesVersion,
} from '../../meta/releases/kubernetes-releases.ts';
import { kubernetesTypes } from './kubernetes-types.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { nearName } from '../../kernel/text/near-name.ts';
import { optionsHelp, parseArguments, type OptionTable } from '../arguments/parse-arguments.ts';
import { UsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { shownText } from '../terminal/shown-text.ts';
import type { Definition } from './definition.ts';
import { definitionTypes, GENERATED } from './definition-types.ts';
import { clusterDefinitions, readDefinitions } from './read-definitions.ts';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { temporaryBeside } from '../../kernel/data/temporary-file.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

/**
 * Replaces a generated file in one step; a reader sees the old file or the new one. A file with the same text is left as it is.
 * @throws {ListwatchError} code TYPES_FILE when the file is not a generated one, or cannot be written.
 */
async function writeGenerated(
  path: string,
  text: string,
  runtime: Pick<Runtime, 'random'>,
): Promise<void> {
  const before = await textIn(path);
  if (before === text) return;
  if (before !== undefined && before !== '' && !before.startsWith(GENERATED)) {
    throw new ListwatchError('TYPES_FILE', `${path} is not a generated file; name another --out`);
  }
  const temporary = temporaryBeside(path, runtime);
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      const folder = dirname(path);
      throw new ListwatchError(
        'TYPES_FILE',
        `${path} cannot be written: there is no folder ${folder}; create it, or name another --out`,
        { cause: error },
      );
    }
    throw fileError(path, 'written', error);
  }
}

/** @throws {ListwatchError} code TYPES_OUTDATED naming the first line that differs. */
async function checkGenerated(path: string, text: string): Promise<void> {
  const before = await textIn(path);
  if (before === text) return;
  const lines = text.split('\n');
  const line = before?.split('\n').findIndex((one, index) => one !== lines[index]) ?? 0;
  const at = line < 0 ? before?.split('\n').length : line + 1;
  const what =
    before === undefined ? 'does not exist' : `differs from the definitions at line ${at}`;
  throw new ListwatchError('TYPES_OUTDATED', `${path} ${what}; run this without --check`);
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(path, 'read', error);
  }
}

function fileError(path: string, done: string, cause: unknown): ListwatchError {
  const message = `${path} cannot be ${done}: ${errorMessage(cause)}; name another --out`;
  return new ListwatchError('TYPES_FILE', message, { cause });
}

const OPTIONS: OptionTable = {
  'from-cluster': { type: 'boolean', help: 'the definitions of a cluster, in place of files' },
  kubernetes: {
    type: 'string',
    value: 'VERSION',
    help: `the built-in kinds of a version of Kubernetes, in place of definitions: ${KUBERNETES_VERSIONS.join(', ')}`,
  },
  kubeconfig: {
    type: 'string',
    value: 'FILE',
    help: 'of the cluster; otherwise as kubectl finds it',
  },
  context: {
    type: 'string',
    value: 'NAME',
    help: 'of the kubeconfig; otherwise its current-context',
  },
  group: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'only this API group; several times',
  },
  out: { type: 'string', short: 'o', value: 'FILE', help: 'otherwise standard output' },
  check: { type: 'boolean', help: 'writes nothing; fails when FILE of --out is not up to date' },
};

const HELP = `listwatch types: TypeScript interfaces for custom resources, from their definitions.

Usage: listwatch types CRD.yaml... [options]
       listwatch types --from-cluster [options]
       listwatch types --kubernetes VERSION [options]

With --kubernetes, the kinds are in namespaces: AppsV1.Deployment. Fields that the version does not have are not there.
A file may have several documents; - is standard input. The interfaces are known to client.resource('example.com/v1', 'widgets')
and to informers wherever the generated file is part of the program.

Options:
${optionsHelp(OPTIONS)}

Examples:
  npx listwatch types crds.yaml --out src/custom-resources.ts
  npx listwatch types --from-cluster --group cert-manager.io --out src/cert-manager.ts
  npx listwatch types crds.yaml --out src/custom-resources.ts --check
  npx listwatch types --kubernetes 1.36 --out src/kubernetes.ts

Exit code: 0, 1 when something cannot be read or written or --check fails, 2 for wrong arguments, 130 when interrupted.
`;

const LONGEST_MESSAGE = 2000;

export function typesCommand(): Command {
  return {
    help: HELP,
    options: OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      const options = readOptions(parameters);
      try {
        await generate(options, host);
        return EXIT.ok;
      } catch (error) {
        if (host.signal.aborted) return EXIT.interrupted;
        const code = isListwatchError(error) ? ` (${error.code})` : '';
        host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
        return EXIT.failed;
      }
    },
  };
}

interface TypesOptions {
  /** The built-in kinds of this version, in place of definitions. */
  readonly kubernetes: KubernetesVersion | undefined;
  readonly files: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly groups: readonly string[];
  readonly out: string | undefined;
  readonly check: boolean;
}

function readOptions(parameters: readonly string[]): TypesOptions {
  const { options, positionals: files } = parseArguments(parameters, OPTIONS);
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const fromCluster = options.has('from-cluster');
  const kubernetes = versionNamed(one('kubernetes'));
  const sources = [files.length > 0, fromCluster, kubernetes !== undefined];
  if (sources.filter(Boolean).length !== 1) {
    throw new UsageError(
      'types takes files of definitions, --from-cluster, or --kubernetes VERSION: one of the three',
    );
  }
  if (kubernetes !== undefined && options.has('group')) {
    throw new UsageError('--group is for definitions; leave it out with --kubernetes');
  }
  const ofCluster = ['kubeconfig', 'context'].find((name) => options.has(name));
  if (!fromCluster && ofCluster !== undefined) {
    throw new UsageError(`--${ofCluster} needs --from-cluster`);
  }
  if (options.has('check') && !options.has('out')) {
    throw new UsageError('--check needs --out FILE, the file to compare');
  }
  return {
    kubernetes,
    files,
    kubeconfig: one('kubeconfig'),
    context: one('context'),
    groups: options.get('group') ?? [],
    out: one('out'),
    check: options.has('check'),
  };
}

async function generate(options: TypesOptions, host: CommandHost): Promise<void> {
  const { out, check } = options;
  const text = await typesText(options, host);
  if (out === undefined) host.stdout.write(text);
  else if (check) await checkGenerated(out, text);
  else await writeGenerated(out, text, host.runtime);
}

async function typesText(options: TypesOptions, host: CommandHost): Promise<string> {
  const { kubernetes, files, groups, kubeconfig, context } = options;
  if (kubernetes !== undefined) return kubernetesTypes(minorOf(kubernetes));
  const all =
    files.length > 0
      ? await readDefinitions(files, host.stdin)
      : await clusterDefinitions({ kubeconfig, context }, host);
  return definitionTypes(ofGroups(all, groups));
}

/** @throws {UsageError} for a version that is not known. */
function versionNamed(text: string | undefined): KubernetesVersion | undefined {
  const version = KUBERNETES_VERSIONS.find((known) => known === text);
  if (version !== undefined || text === undefined) return version;
  throw new UsageError(
    `--kubernetes is one of ${KUBERNETES_VERSIONS.join(', ')}, not ${JSON.stringify(text)}`,
  );
}

function ofGroups(all: readonly Definition[], groups: readonly string[]): readonly Definition[] {
  for (const group of groups) {
    const known = new Set(all.map((one) => one.group));
    if (known.has(group)) continue;
    const meant = nearName(group, known) ?? [...known].slice(0, 5).join(', ');
    throw new ListwatchError(
      'NOT_FOUND',
      `no definition is of the group ${group}; there is ${meant}`,
    );
  }
  return groups.length === 0 ? all : all.filter(({ group }) => groups.includes(group));
}
