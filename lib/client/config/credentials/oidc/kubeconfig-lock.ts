import { open, rm } from 'node:fs/promises';
import { errorMessage, ListwatchError } from '../../../../kernel/failure/errors.ts';

/**
 * Runs `work` under the lock of a kubeconfig, which kubectl uses too: a file `PATH.lock` that only one program can create. It does
 * not wait for the lock.
 * @throws {ListwatchError} code CONFIG_INVALID if the lock exists or cannot be made; errors of `work`.
 * @see client-go tools/clientcmd/config.go lockFile @ 32ce75a7
 */
export async function underKubeconfigLock<R>(path: string, work: () => Promise<R>): Promise<R> {
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
