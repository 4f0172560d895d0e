import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { RefreshedTokens } from './oidc-options.ts';
import { replaceTokens } from './replace-tokens.ts';

export interface KubeconfigTokenWriterOptions {
  /** The kubeconfig that has the user. */
  readonly path: string;
  /** The name of the user, whose `auth-provider` gets the tokens. */
  readonly user: string;
}

/** Larger files are refused, as when a kubeconfig is read. */
const LARGEST_FILE_BYTES = 16 * 1_048_576;

/**
 * Writes refreshed tokens into a kubeconfig: the option `persist` of `oidcCredentials`.
 *
 * Guarantees: it writes under the lock of kubectl and does not wait for it; other programs see the old file or the new one; only
 * the two tokens change; the mode stays; a symbolic link stays, and its target is written.
 *
 * The function throws a `ListwatchError` with code CONFIG_INVALID; the file is unchanged then.
 */
export function kubeconfigTokenWriter({
  path,
  user,
}: KubeconfigTokenWriterOptions): (tokens: RefreshedTokens) => Promise<void> {
  return async (tokens) => {
    await underKubeconfigLock(path, async () => {
      try {
        await rewrite(path, user, tokens);
      } catch (error) {
        if (error instanceof ListwatchError) throw error;
        const problem = `the tokens cannot be written: ${errorMessage(error)}`;
        throw new ListwatchError('CONFIG_INVALID', `${path}: ${problem}`, { cause: error });
      }
    });
  };
}

async function rewrite(path: string, user: string, tokens: RefreshedTokens): Promise<void> {
  const target = await realpath(path);
  const { size, mode } = await stat(target);
  if (size > LARGEST_FILE_BYTES) {
    const problem = `it is larger than ${LARGEST_FILE_BYTES} bytes; it was not changed`;
    throw new ListwatchError('CONFIG_INVALID', `${path}: ${problem}`);
  }
  const text = await replaceTokens({ text: await readFile(target, 'utf8'), path, user, tokens });
  // The lock is held, so a file of this name was left behind by a program that was stopped.
  const temporary = `${target}.listwatch-tmp`;
  await rm(temporary, { force: true });
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.chmod(mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Runs `work` under the lock of a kubeconfig, which kubectl uses too: a file `PATH.lock` that only one program can create. It does
 * not wait for the lock.
 * @throws {ListwatchError} code CONFIG_INVALID if the lock exists or cannot be made; errors of `work`.
 * @see client-go tools/clientcmd/config.go lockFile @ 32ce75a7
 */
async function underKubeconfigLock<R>(path: string, work: () => Promise<R>): Promise<R> {
  const lock = `${path}.lock`;
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.close();
  } catch (error) {
    throw notLocked(lock, error);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function notLocked(lock: string, error: unknown): ListwatchError {
  const problem =
    (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? 'the lock is held; if no other program is writing the kubeconfig, delete this file'
      : `the lock cannot be made: ${errorMessage(error)}; make the directory writable`;
  return new ListwatchError('CONFIG_INVALID', `${lock}: ${problem}`, { cause: error });
}
