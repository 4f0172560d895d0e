import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from '../files/make-folders.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { UsageError } from '../arguments/usage-error.ts';

/**
 * The key that signs the tokens of service accounts, PEM: that of the folder, which gets one if it has none, so that tokens outlive a
 * restart. Undefined without a folder. @throws {UsageError} naming the file.
 */
export async function storedAccountKey(dir: string | undefined): Promise<string | undefined> {
  if (dir === undefined) return undefined;
  const path = join(dir, 'sa.key');
  try {
    return checked(path, await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw usageError(path, 'read', error);
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  try {
    await makeFolders(dir, { mode: 0o700 });
    await writeFile(path, pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw usageError(path, 'written', error);
  }
  return String(pem);
}

function usageError(path: string, done: string, error: unknown): unknown {
  if (error instanceof UsageError) return error;
  return new UsageError(`--cert-dir: ${path} cannot be ${done}: ${errorMessage(error)}`);
}

function checked(path: string, pem: string): string {
  let curve: string | undefined;
  try {
    curve = createPrivateKey(pem).asymmetricKeyDetails?.namedCurve;
  } catch {
    // The message of the library may show a part of the file.
  }
  if (curve === 'prime256v1') return pem;
  throw new UsageError(
    `--cert-dir: ${path} is no private key of the curve P-256, PEM; restore it, or remove it to get a new one, which ends all tokens of service accounts`,
  );
}
