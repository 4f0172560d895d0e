import { isAbsolute, resolve } from 'node:path';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import { findProgram, isPath } from './find-program.ts';
import { plainText } from '../../../../kernel/text/plain-text.ts';

/**
 * Which exec plug-ins of a kubeconfig may run: all, none, or those of a list of names and absolute paths. A name stands for the
 * program that PATH has under it.
 */
export type AllowExec = boolean | readonly string[];

export interface PluginOrigin {
  /** The field `exec.command`. */
  readonly command: string;
  /** The directory of the kubeconfig; undefined for one that was passed as data. */
  readonly directory?: string | undefined;
  /** Where the plug-in was configured, for messages. */
  readonly source: string;
  /** Environment variables; PATH is read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the configuration was passed as data, and not read from a file of the user. */
  readonly isData: boolean;
}

/**
 * Refuses a plug-in that may not run. A kubeconfig that names a program is code: without the option `allowExec`, files of the
 * user may run programs, configurations that were passed as data may not.
 * @throws {ListwatchError} code CREDENTIAL_PLUGIN_REFUSED naming the plug-in and the option; INVALID_OPTION for an entry of the
 * list that is neither a name nor an absolute path.
 */
export async function refusePlugin(
  allowExec: AllowExec | undefined,
  origin: PluginOrigin,
): Promise<void> {
  const { isData } = origin;
  if (allowExec === undefined) {
    if (!isData) return;
    throw refused(origin, 'it comes from a configuration that was passed as data');
  }
  if (allowExec === true) return;
  if (allowExec === false) throw refused(origin, 'the option allowExec is false');
  checkList(allowExec);
  for (const entry of allowExec) if (await isSame(entry, origin)) return;
  throw refused(origin, 'the list of the option allowExec does not have it');
}

function checkList(allowExec: readonly string[]): void {
  const isValid = (entry: unknown): boolean =>
    typeof entry === 'string' && entry !== '' && (!isPath(entry) || isAbsolute(entry));
  if (Array.isArray(allowExec) && allowExec.every(isValid)) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    'option "allowExec" must be true, false, or a list of names and absolute paths of programs',
  );
}

async function isSame(entry: string, { command, directory, env }: PluginOrigin): Promise<boolean> {
  if (entry === command) return true;
  const allowed = await findProgram(entry, { env });
  const wanted = await findProgram(command, { env, directory });
  return allowed.path !== undefined && allowed.path === wanted.path;
}

function refused(
  { command, directory, source, isData }: PluginOrigin,
  why: string,
): ListwatchError {
  const name = plainText(command, 200);
  const entry = isPath(command) ? resolve(directory ?? '/', command) : command;
  const path = isData ? ', or give the path of the kubeconfig instead of its content' : '';
  return new ListwatchError(
    'CREDENTIAL_PLUGIN_REFUSED',
    `the exec plug-in ${name} of ${plainText(source, 500)} may not run: ${why}; ` +
      `if you trust it, give the option allowExec: [${JSON.stringify(plainText(entry, 500))}]${path}`,
  );
}
