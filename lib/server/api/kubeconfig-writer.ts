import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { ListwatchError } from '../../kernel/errors.ts';
import { randomText } from '../../kernel/random.ts';
import type { Runtime } from '../../kernel/runtime.ts';

/** How a client reaches the server. */
export interface KubeconfigEntry {
  /** Address with scheme. clientcmd ignores the credentials of a kubeconfig unless it is `https`. */
  readonly server: string;
  readonly token: string;
  /** PEM. */
  readonly certificateAuthority: string;
}

/** Cluster, user and context have this name; it marks files that may be written again. */
const NAME = 'listwatch';

/**
 * Writes a kubeconfig with one cluster, one user and one context, readable by its owner only. The file appears whole or not
 * at all.
 * @throws {ListwatchError} code INVALID_OPTION when `path` holds a kubeconfig of other clusters, or no kubeconfig; it stays
 * as it is.
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
    // The umask may have taken bits away from the mode, never added any; this makes it exact.
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function kubeconfigText({ server, token, certificateAuthority }: KubeconfigEntry): string {
  const authority = Buffer.from(certificateAuthority).toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: NAME, cluster: { server, 'certificate-authority-data': authority } }],
      users: [{ name: NAME, user: { token } }],
      contexts: [{ name: NAME, context: { cluster: NAME, user: NAME } }],
      'current-context': NAME,
    },
    { lineWidth: 0 },
  );
}

/** A user's own kubeconfig is easily named by mistake and cannot be restored. */
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
    `writeKubeconfig: ${path} exists and holds something else than one cluster named "${NAME}"; choose another path`,
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
