import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { HiddenTexts } from '../../kernel/text/hidden-texts.ts';
import { abortable } from '../../kernel/time/abort.ts';
import { Credential, type CredentialSource } from './contract/credential.ts';
import { parseProxyAddress } from './contract/proxy-address.ts';
import type { Impersonation } from './contract/impersonation.ts';
import { isLoopback, type ServerAddress } from './contract/server-address.ts';

/** A bearer token, or a function that returns the current token before each request. */
export type TokenSource = string | (() => string | Promise<string>);

/** The credentials of a token that a program passes as an option. */
export function tokenCredentials(token: TokenSource): CredentialSource {
  const source = 'the token of the option "token"';
  if (typeof token === 'string') {
    const constant = Credential.bearer(token, source);
    return { source, current: () => constant };
  }
  let last: { readonly token: string; readonly credential: Credential } | undefined;
  const current = async (): Promise<Credential> => {
    const text = await token();
    if (last === undefined || last.token !== text) {
      last = { token: text, credential: Credential.bearer(text, source) };
    }
    return last.credential;
  };
  return {
    source,
    current,
    refresh: async (rejected) => {
      const credential = await current();
      return credential === rejected ? undefined : credential;
    },
  };
}

/**
 * Credentials are readable for everyone on the way unless TLS protects them.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function refuseCredentialsInPlainText(
  { secure, host, text }: ServerAddress,
  source: string,
  proxied: boolean,
): void {
  if (secure || (isLoopback(host) && !proxied)) return;
  const way = isLoopback(host) ? ' through a proxy' : '';
  throw new ListwatchError(
    'INVALID_OPTION',
    `${source} would be sent to ${text}${way} in plain text; use https`,
  );
}

/** The headers that name another identity. @throws {ListwatchError} code INVALID_OPTION without a user. */
export function impersonationHeaders({
  user,
  uid,
  groups,
  extra,
}: Impersonation): Record<string, string | string[]> {
  if (typeof user !== 'string' || user === '') {
    throw new ListwatchError('INVALID_OPTION', 'impersonate: it needs a user; add "user"');
  }
  const headers: Record<string, string | string[]> = { 'Impersonate-User': checked(user) };
  if (uid !== undefined) headers['Impersonate-Uid'] = checked(uid);
  if (groups !== undefined && groups.length > 0) headers['Impersonate-Group'] = groups.map(checked);
  for (const [key, values] of Object.entries(extra ?? {})) {
    headers[`Impersonate-Extra-${encodedKey(key)}`] = values.map(checked);
  }
  return headers;
}

/** Header names are in lower case, and other characters than those of a token are percent-encoded, as the server expects. */
function encodedKey(key: string): string {
  return [...Buffer.from(key.toLowerCase())]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      const plain = /[a-z0-9!#$&'*+.^_`|~-]/.test(character);
      return plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function checked(value: string): string {
  if (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)) return value;
  throw new ListwatchError(
    'INVALID_OPTION',
    'impersonate: a name has characters that cannot stand in a header; use printable ASCII',
  );
}

/** Hides what a credential presents: the header, and the token or the password in it. */
export function hideCredential(hidden: HiddenTexts, { authorization = '' }: Credential): void {
  const [, scheme = '', value = ''] = /^(\S+) +(.+)$/.exec(authorization) ?? [];
  hidden.add(value === '' ? authorization : value);
  if (scheme.toLowerCase() !== 'basic') return;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  hidden.add(pair);
  hidden.add(pair.slice(pair.indexOf(':') + 1));
}

/** Hides the user of a proxy and its password. */
export function hideProxyUser(hidden: HiddenTexts, proxy: string): void {
  const { user, password } = parseProxyAddress(proxy);
  hidden.add(user);
  hidden.add(password);
  if (user !== undefined) hidden.add(`${user}:${password ?? ''}`);
}

/** The credential for the next request. */
export async function currentCredential(
  source: CredentialSource | undefined,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  if (source === undefined) return undefined;
  const credential = source.current(signal);
  return credential instanceof Credential ? credential : await abortable(credential, signal);
}

/** Another credential after an answer 401 to `rejected`; undefined if there is none. */
export async function credentialAfter(
  rejected: Credential,
  source: CredentialSource | undefined,
  signal: AbortSignal,
): Promise<Credential | undefined> {
  const other = await abortable(
    source?.refresh?.(rejected, signal) ?? Promise.resolve(undefined),
    signal,
  );
  return other === undefined || other.equals(rejected) ? undefined : other;
}
