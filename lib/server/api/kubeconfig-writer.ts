import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { fileError } from '../../kernel/failure/file-error.ts';
import { temporaryBeside } from '../../kernel/data/temporary-file.ts';
import type { Certificate } from '../../kernel/certificates/certificate-authority.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

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
 * Text that YAML reads as text: it begins with a letter and is longer than the words for booleans and null, or it is a long token
 * with a letter that no form of a number has.
 */
const PLAIN = /^(?:[A-Za-z][\w./:-]{6,}[\w/]|(?=.*[G-NP-WYZg-np-wyz])[\w-]{20,})$/;

/** How a file of this writer begins. */
const OWN_HEAD = `apiVersion: v1
kind: Config
clusters:
  - name: ${NAME}`;
/** How it ends. */
const OWN_END = `contexts:
  - name: ${NAME}
    context:
      cluster: ${NAME}
      user: ${NAME}
current-context: ${NAME}
`;
/** A whole file of this writer, with any fields of cluster and user. */
const OWN_FILE = new RegExp(
  `^${OWN_HEAD}\\n    cluster:\\n(?: {6}.+\\n)+users:\\n  - name: ${NAME}\\n    user:\\n(?: {6}.+\\n)+${OWN_END}$`,
);

/**
 * Writes a kubeconfig with one cluster, one user and one context, readable by its owner only. The file is written atomically.
 * @throws {ListwatchError} code INVALID_OPTION when `path` contains a kubeconfig of other clusters, or something else; KUBECONFIG_FILE when it
 * cannot be read or written. The file is not changed then.
 */
export async function writeKubeconfig(
  path: string,
  entry: KubeconfigEntry,
  runtime: Pick<Runtime, 'random'>,
): Promise<void> {
  await refuseForeignFile(path);
  const temporary = temporaryBeside(path, runtime);
  try {
    await writeFile(temporary, kubeconfigText(entry), { mode: 0o600, flag: 'wx' });
    // The umask may have removed bits of the mode; this sets it exactly.
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError('KUBECONFIG_FILE', `writeKubeconfig: ${path} was not written`, error);
  }
}

/** Written without the package `yaml`, which takes longer to load than the rest of the start of a server. */
function kubeconfigText({
  server,
  token,
  certificateAuthority,
  clientCertificate,
}: KubeconfigEntry): string {
  const authority =
    certificateAuthority === ''
      ? ''
      : `\n      certificate-authority-data: ${inBase64(certificateAuthority)}`;
  const user =
    clientCertificate === undefined
      ? `token: ${scalar(token)}`
      : `client-certificate-data: ${inBase64(clientCertificate.certificate)}
      client-key-data: ${inBase64(clientCertificate.privateKey)}`;
  return `${OWN_HEAD}
    cluster:
      server: ${scalar(server)}${authority}
users:
  - name: ${NAME}
    user:
      ${user}
${OWN_END}`;
}

/** Text that YAML could read as something else is in quotes; a JSON string is one of YAML. */
function scalar(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text);
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
    throw fileError('KUBECONFIG_FILE', `writeKubeconfig: ${path} cannot be read`, error);
  }
  if (text.trim() === '' || isOurs(text)) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `writeKubeconfig: ${path} exists and contains something other than one cluster named "${NAME}"; choose another path`,
  );
}

function isOurs(text: string): boolean {
  if (OWN_FILE.test(text)) return true;
  try {
    const { clusters } = parse(text) as { clusters?: readonly { name?: unknown }[] };
    return clusters?.length === 1 && clusters[0]?.name === NAME;
  } catch {
    return false;
  }
}
