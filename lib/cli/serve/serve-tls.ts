import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import type { ApiServer } from '../../cluster/server/api-server.ts';
import type { ApiServerOptions } from '../../server/api/api-server-options.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { TlsFiles } from './serve-options.ts';

type ServerTls = NonNullable<ApiServerOptions['tls']>;

/** Reads the files of the options. @throws {UsageError} naming the option and the file, and never their content. */
export async function readTlsFiles({ cert, key, clientCa, dir }: TlsFiles): Promise<ServerTls> {
  return {
    certificate:
      cert === undefined || key === undefined
        ? undefined
        : {
            certificate: await pemOf('--tls-cert-file', cert),
            privateKey: await pemOf('--tls-private-key-file', key),
          },
    clientAuthorities:
      clientCa === undefined ? undefined : await pemOf('--client-ca-file', clientCa),
    authority: dir === undefined ? undefined : await storedAuthority(dir),
  };
}

/** Keeps the authority in the folder, unless it is there. The key is for its owner only. @throws {UsageError} */
export async function keepAuthority(
  { dir }: TlsFiles,
  server: Pick<ApiServer, 'storedAuthority'>,
): Promise<void> {
  if (dir === undefined || (await storedAuthority(dir)) !== undefined) return;
  const { certificate, privateKey } = server.storedAuthority();
  try {
    await makeFolders(dir, { mode: 0o700 });
    await writeFile(join(dir, 'ca.key'), privateKey, { mode: 0o600, flag: 'wx' });
    await writeFile(join(dir, 'ca.crt'), certificate, { mode: 0o644, flag: 'wx' });
  } catch (error) {
    throw new UsageError(`--cert-dir ${dir} cannot be written: ${errorMessage(error)}`);
  }
}

/** The class names its option; the user gave files. */
export function tlsProblem(error: unknown, { cert, clientCa, dir }: TlsFiles): unknown {
  if (!isListwatchError(error, 'INVALID_OPTION')) return error;
  const { message } = error;
  if (message.includes('clientAuthorities')) {
    return new UsageError(`--client-ca-file ${clientCa}: ${afterOwner(message)}`);
  }
  if (message.includes('tls: certificate')) {
    return new UsageError(`--tls-cert-file ${cert}: ${afterOwner(message)}`);
  }
  return message.includes('certificate authority')
    ? new UsageError(`--cert-dir ${dir}: ${message}`)
    : error;
}

function afterOwner(message: string): string {
  return message.slice(message.lastIndexOf(': ') + 2);
}

/** The authority of an earlier run; undefined if there is none. @throws {UsageError} when only one of its files can be read. */
async function storedAuthority(dir: string): Promise<ServerTls['authority']> {
  const certificate = await textIfAny(join(dir, 'ca.crt'));
  const privateKey = await textIfAny(join(dir, 'ca.key'));
  if (certificate === undefined && privateKey === undefined) return undefined;
  if (certificate !== undefined && privateKey !== undefined) return { certificate, privateKey };
  const [there, missing] = certificate === undefined ? ['ca.key', 'ca.crt'] : ['ca.crt', 'ca.key'];
  throw new UsageError(
    `--cert-dir ${dir} has ${there} but not ${missing}; restore it, or remove the other to get a new authority`,
  );
}

async function textIfAny(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`--cert-dir: ${path} cannot be read: ${errorMessage(error)}`);
  }
}

async function pemOf(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${option} ${path} cannot be read: ${errorMessage(error)}`);
  }
}
