import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { readTextFile } from '../credentials/read-text-file.ts';
import { clientNodeSections, isClientNodeConfig } from './client-node-config.ts';
import { KubeconfigField } from './kubeconfig-field.ts';
import { kubeconfigOf, type Kubeconfig } from './kubeconfig.ts';
import type { KubeconfigSource } from './kubeconfig-source.ts';
import { parseYaml } from './parse-yaml.ts';

/** Larger files are refused, bytes. */
const LARGEST_FILE_BYTES = 16 * 1024 * 1024;

const OPTION = 'the option "kubeconfig"';

/**
 * Reads a kubeconfig that a program names or passes.
 * @throws {ListwatchError} code CONFIG_INVALID; INVALID_OPTION for a value that is none of the above.
 */
export async function readKubeconfigSource(
  source: KubeconfigSource,
  runtime: Runtime,
): Promise<Kubeconfig> {
  const path = pathOf(source);
  if (path !== undefined) return await readKubeconfigFile(path, runtime);
  const origin = { name: OPTION, directory: undefined, isData: true };
  const value: unknown = source;
  if (typeof value !== 'object' || value === null) throw invalid(EXPECTED);
  if ('text' in value) return kubeconfigOf(await parseYaml(textOf(value.text), origin));
  if (!isClientNodeConfig(value)) return kubeconfigOf(new KubeconfigField(origin, [], value));
  const name = `the KubeConfig object in ${OPTION}`;
  return kubeconfigOf(new KubeconfigField({ ...origin, name }, [], clientNodeSections(value)));
}

/**
 * Reads a kubeconfig file.
 * @throws {ListwatchError} code CONFIG_INVALID; `isMissingFile` says whether there is none.
 */
export async function readKubeconfigFile(path: string, runtime: Runtime): Promise<Kubeconfig> {
  const text = await readTextFile(path, { largestBytes: LARGEST_FILE_BYTES, runtime });
  return kubeconfigOf(
    await parseYaml(text, { name: path, directory: dirname(path), isData: false }),
  );
}

/** The path of a file; undefined for a kubeconfig that is passed as data. */
function pathOf(source: KubeconfigSource): string | undefined {
  if (source instanceof URL) {
    if (source.protocol === 'file:') return fileURLToPath(source);
    throw invalid('it is a URL that is not a file; download it and give { text }');
  }
  if (typeof source !== 'string') return undefined;
  if (source === '') throw invalid('it is empty; give a path, or leave it out');
  if (source.includes('\0')) throw invalid('the path has a NUL character');
  if (/[\n{]/.test(source)) {
    throw invalid('it is no path; to pass the text of a kubeconfig, give kubeconfig: { text }');
  }
  if (/^(?:https?|file):\/\//.test(source)) {
    throw invalid('it is a URL; give a path, or new URL("file://…")');
  }
  return source;
}

function textOf(text: unknown): string {
  const content = text instanceof Uint8Array ? new TextDecoder().decode(text) : text;
  if (typeof content !== 'string') throw invalid('"text" must be a string or bytes');
  if (content.length > LARGEST_FILE_BYTES) {
    throw invalid(`"text" is larger than ${LARGEST_FILE_BYTES} bytes`);
  }
  return content;
}

const EXPECTED =
  'expected the path of a file, a file: URL, { text }, a parsed kubeconfig or a KubeConfig object';

function invalid(problem: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `${OPTION}: ${problem}`);
}

interface KubeconfigPaths {
  /** The files to read, the most important one first. */
  readonly paths: readonly string[];
  /** Where the paths come from, for messages. Undefined: it is the file of the home directory. */
  readonly variable: 'KUBECONFIG' | undefined;
}

/**
 * The kubeconfig files of an environment: those that KUBECONFIG lists, otherwise `~/.kube/config`. Empty and repeated entries are
 * left out. A KUBECONFIG of nothing but separators lists no file, and the home directory is not searched, as with kubectl. Without a home
 * directory there is no file either.
 * @see client-go tools/clientcmd/loader.go NewDefaultClientConfigLoadingRules @ 32ce75a7
 */
export function kubeconfigPaths(
  env: Readonly<Record<string, string | undefined>>,
  homeDir: string,
): KubeconfigPaths {
  const listed = env['KUBECONFIG'] ?? '';
  if (listed === '') {
    const paths = homeDir === '' ? [] : [join(homeDir, '.kube', 'config')];
    return { paths, variable: undefined };
  }
  const paths = [...new Set(listed.split(delimiter))].filter((path) => path !== '');
  return { paths, variable: 'KUBECONFIG' };
}
