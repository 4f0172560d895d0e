import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { ListwatchError } from '../../kernel/errors.ts';
import { randomText } from '../../kernel/random.ts';
import type { Certificate } from './certificates/certificate-authority.ts';
import type { Runtime } from '../../kernel/runtime.ts';

/** The address and credentials for a client. */
export interface KubeconfigEntry {
  /** Address with scheme. clientcmd ignores the credentials of a kubeconfig unless it is `https`. */
  readonly server: string;
  readonly token: string;
  /** PEM; empty: the client's own authorities. */
  readonly certificateAuthority: string;
  /** Takes the place of the token. */
  readonly clientCertificate?: Certificate | undefined;
}

/** The name of cluster, user and context. A file with this name may be overwritten. */
const NAME = 'listwatch';

/**
 * Writes a kubeconfig with one cluster, one user and one context, readable by its owner only. The file is written atomically.
 * @throws {ListwatchError} code INVALID_OPTION when `path` contains a kubeconfig of other clusters, or something else; the file is
 * not changed then.
 */
export async function writeKubeconfig(
  path: string,
  entry: KubeconfigEntry,
  runtime: Pick<Runtime, 'random'>,
): Promise<void> {
  await refuseForeignFile(path);
  const temporary = `${path}.${randomText(runtime, 8, 'abcdefghijklmnopqrstuvwxyz')}.tmp`;
  try {
    await writeFile(temporary, kubeconfigText(entry), { mode: 0o600, flag: 'wx' });
    // The umask may have removed bits of the mode; this sets it exactly.
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function kubeconfigText({
  server,
  token,
  certificateAuthority,
  clientCertificate,
}: KubeconfigEntry): string {
  const authority =
    certificateAuthority === ''
      ? {}
      : { 'certificate-authority-data': inBase64(certificateAuthority) };
  const user =
    clientCertificate === undefined
      ? { token }
      : {
          'client-certificate-data': inBase64(clientCertificate.certificate),
          'client-key-data': inBase64(clientCertificate.privateKey),
        };
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: NAME, cluster: { server, ...authority } }],
      users: [{ name: NAME, user }],
      contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
      'current-context': NAME,
    },
    { lineWidth: 0 },
  );
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Refuses to overwrite other files: a user's own kubeconfig could be named by mistake and cannot be restored. */
async function refuseForeignFile(path: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (text.trim() === '' || isOurs(text)) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `writeKubeconfig: ${path} exists and contains something other than one cluster named "${NAME}"; choose another path`,
  );
}

function isOurs(text: string): boolean {
  try {
    const { clusters } = parse(text) as { clusters?: readonly { name?: unknown }[] };
    return clusters?.length === 1 && clusters[0]?.name === NAME;
  } catch {
    return false;
  }
}
