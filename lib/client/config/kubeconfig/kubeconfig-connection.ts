import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorMessage, ListwatchError } from '../../../kernel/errors.ts';
import { silentLogger, type Logger } from '../../../kernel/logger.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { tokenCredentials, type TokenSource } from '../../transport/request-credentials.ts';
import type { TlsOptions } from '../../transport/contract/tls-options.ts';
import { parseServerAddress } from '../../transport/contract/server-address.ts';
import { ConnectionConfig } from '../contract/connection-config.ts';
import type { Kubeconfig } from './kubeconfig.ts';
import { bearerText } from '../credentials/bearer-text.ts';
import { tokenFile } from '../credentials/token-file.ts';
import type { YamlField } from './yaml-field.ts';

export interface KubeconfigConnectionOptions {
  /** @defaultValue the kubeconfig's current-context */
  readonly context?: string | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * Reads the cluster and the user of a context, and the files that they name.
 * @throws {ListwatchError} code CONFIG_INVALID or CONFIG_UNSUPPORTED naming file, line and field.
 */
export async function kubeconfigConnection(
  kubeconfig: Kubeconfig,
  options: KubeconfigConnectionOptions = {},
): Promise<ConnectionConfig> {
  const { name, context } = chosenContext(kubeconfig, options.context);
  const cluster = referenced(context.field('cluster'), kubeconfig.clusters, 'cluster');
  const user = context.field('user').present
    ? referenced(context.field('user'), kubeconfig.users, 'user').field('user')
    : undefined;
  const clusterTls = await tlsOf(cluster.field('cluster'), options.logger ?? silentLogger);
  const userTls = user === undefined ? {} : await clientCertificateOf(user);
  const token = user === undefined ? undefined : tokenOf(user, options);
  if (user !== undefined) refuseUnsupported(user, token !== undefined || 'cert' in userTls);
  return new ConnectionConfig({
    server: addressOf(cluster.field('cluster')),
    namespace: context.field('namespace').optionalText() ?? 'default',
    tls: { ...clusterTls, ...userTls },
    credentials: token === undefined ? undefined : tokenCredentials(token),
    source: `context ${name} in ${kubeconfig.files.join(', ')}`,
  });
}

function chosenContext(
  kubeconfig: Kubeconfig,
  wanted: string | undefined,
): { name: string; context: YamlField } {
  const name = wanted ?? kubeconfig.currentContext?.text();
  const known = [...kubeconfig.contexts.keys()].join(', ') || 'none';
  const files = kubeconfig.files.join(', ');
  if (name === undefined) {
    throw new ListwatchError(
      'CONFIG_INVALID',
      `${files}: current-context is not set; choose one of the contexts: ${known}`,
    );
  }
  const entry = kubeconfig.contexts.get(name);
  if (entry !== undefined) return { name, context: entry.field('context') };
  const place = wanted === undefined ? kubeconfig.currentContext?.place : files;
  throw new ListwatchError(
    'CONFIG_INVALID',
    `${place}: there is no context ${name}; the contexts are: ${known}`,
  );
}

function referenced(
  reference: YamlField,
  section: ReadonlyMap<string, YamlField>,
  what: string,
): YamlField {
  const name = reference.text();
  const known = [...section.keys()].join(', ') || 'none';
  return section.get(name) ?? reference.fail(`there is no ${what} ${name}; there are: ${known}`);
}

function addressOf(cluster: YamlField): string {
  const server = cluster.field('server');
  try {
    return parseServerAddress(server.text()).text;
  } catch (error) {
    if (error instanceof ListwatchError && error.code === 'INVALID_OPTION') {
      return server.fail(error.message);
    }
    throw error;
  }
}

async function tlsOf(cluster: YamlField, logger: Logger): Promise<TlsOptions> {
  const proxy = cluster.field('proxy-url');
  if (proxy.present) proxy.unsupported('proxies are not supported; connect to the server directly');
  const insecure = cluster.field('insecure-skip-tls-verify');
  const ca = await pemOf(cluster, 'certificate-authority', 'CERTIFICATE');
  const serverName = cluster.field('tls-server-name').optionalText();
  const insecureSkipVerify = insecure.flag();
  if (insecureSkipVerify && ca !== undefined) {
    insecure.fail('it contradicts the certificate-authority beside it; remove one of them');
  }
  if (insecureSkipVerify) {
    logger.warn('the certificate of the server is not verified', { because: insecure.place });
  }
  return { ca, serverName, insecureSkipVerify };
}

async function clientCertificateOf(user: YamlField): Promise<TlsOptions> {
  const cert = await pemOf(user, 'client-certificate', 'CERTIFICATE');
  const key = await pemOf(user, 'client-key', 'PRIVATE KEY');
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined) return user.field('client-certificate').fail('it is missing');
  if (key === undefined) return user.field('client-key').fail('it is missing');
  return { cert, key };
}

function tokenOf(
  user: YamlField,
  { runtime, logger }: KubeconfigConnectionOptions,
): TokenSource | undefined {
  const token = user.field('token').optionalText();
  if (token !== undefined) return token;
  const path = user.field('tokenFile').optionalText();
  if (path === undefined) return undefined;
  return bearerText(tokenFile(beside(user, path), { runtime, logger }));
}

const INSTEAD = 'use a token or a client certificate, for example from "kubectl create token"';

/** Refuses credentials that are not supported: ignoring them would send requests as another user than the file names. */
function refuseUnsupported(user: YamlField, hasCredentials: boolean): void {
  for (const name of ['as', 'as-uid', 'as-groups', 'as-user-extra']) {
    const field = user.field(name);
    if (field.present) field.unsupported('impersonation is not supported');
  }
  if (hasCredentials) return;
  for (const name of ['exec', 'auth-provider']) {
    const field = user.field(name);
    if (field.present) field.unsupported(`credential plug-ins are not supported; ${INSTEAD}`);
  }
  for (const name of ['username', 'password']) {
    const field = user.field(name);
    if (field.present) field.unsupported(`API servers no longer accept passwords; ${INSTEAD}`);
  }
}

/** A PEM text, given as base64 in `NAME-data`, which takes precedence, or as a file in `NAME`. */
async function pemOf(entry: YamlField, name: string, label: string): Promise<string | undefined> {
  const inline = entry.field(`${name}-data`);
  const encoded = inline.optionalText();
  if (encoded !== undefined) {
    const compact = encoded.replaceAll(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) inline.fail('it is not base64');
    return checkedPem(Buffer.from(compact, 'base64').toString('utf8'), label, inline);
  }
  const field = entry.field(name);
  const path = field.optionalText();
  if (path === undefined) return undefined;
  const file = beside(entry, path);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return field.fail(`the file cannot be read: ${errorMessage(error)}`);
  }
  return checkedPem(text, label, field);
}

function checkedPem(text: string, label: string, field: YamlField): string {
  const begins = text.includes('-----BEGIN ') && text.includes(`${label}-----`);
  return begins ? text : field.fail(`it contains no PEM block of a ${label.toLowerCase()}`);
}

/** Resolves a relative path against the directory of the file that contains it. */
function beside(field: YamlField, path: string): string {
  return resolve(dirname(field.file), path);
}
