import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { CertificateAuthority } from '../../kernel/certificates/certificate-authority.ts';
import { UsageError } from '../arguments/usage-error.ts';

/** The paths of a certificate and its key. */
export interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
}

/**
 * The pair `apiserver.crt` and `apiserver.key` of a directory. If neither is there they are made, with the authority after the
 * leaf, so that clients that trust the file trust the server.
 * @throws {UsageError} when the directory cannot be written to.
 */
export async function servingCertificate(
  dir: string,
  hosts: readonly string[],
  runtime: Pick<Runtime, 'wallMs'>,
): Promise<CertificatePaths> {
  const paths = { cert: join(dir, 'apiserver.crt'), key: join(dir, 'apiserver.key') };
  if ((await exists(paths.cert)) || (await exists(paths.key))) return paths;
  const nowMs = runtime.wallMs();
  const authority = new CertificateAuthority({ name: 'listwatch CA', nowMs });
  const leaf = authority.issue({ usage: 'server', name: 'kube-apiserver', hosts, nowMs });
  try {
    await makeFolders(dir, { mode: 0o700 });
    await writeFile(paths.key, leaf.privateKey, { mode: 0o600, flag: 'wx' });
    await writeFile(paths.cert, leaf.certificate + authority.certificate, { mode: 0o644 });
  } catch (error) {
    throw new UsageError(`--cert-dir ${dir} cannot be written: ${errorMessage(error)}`);
  }
  return paths;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
