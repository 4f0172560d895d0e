import { posix } from 'node:path';
import { ListwatchError } from '../../../../kernel/failure/errors.ts';

/** A path in a container: its folder, and its name there. */
export interface ContainerPath {
  readonly folder: string;
  /** Empty: the root of the file system. */
  readonly name: string;
}

/** A relative path begins at the working directory of the container. @throws {ListwatchError} code INVALID_OPTION. */
export function containerPath(owner: string, path: unknown): ContainerPath {
  if (typeof path !== 'string' || path === '' || path.includes('\0')) {
    const text = `${owner}: the path in the container must be a text, such as /var/log/app`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
  const whole = posix.normalize(path);
  const name = posix.basename(whole);
  if (name === '..' || name === '.') {
    const text = `${owner}: the path in the container must end in a name, not in ${JSON.stringify(name)}`;
    throw new ListwatchError('INVALID_OPTION', text);
  }
  return { folder: posix.dirname(whole), name };
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkLocalPath(owner: string, path: unknown): void {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return;
  throw new ListwatchError('INVALID_OPTION', `${owner}: the path on this machine must be a text`);
}
