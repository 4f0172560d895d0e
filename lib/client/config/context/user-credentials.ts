import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { Credential, type CredentialSource } from '../../transport/contract/credential.ts';
import { certificateFiles } from '../credentials/certificate-files.ts';
import { combined } from '../credentials/combined.ts';
import { constantCertificate, constantCredential, constantToken } from '../credentials/constant.ts';
import { readTextFile } from '../credentials/read-text-file.ts';
import { tokenFile } from '../credentials/token-file.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';
import { dataAndFile, type DataAndFile, decodedPem, pathBeside } from './data-or-file.ts';
import { shownName } from './shown-name.ts';
import type { UserCredentialsOptions } from './user-credentials-options.ts';

/**
 * The credentials of an entry of `users`, combined as kubectl does: a token or a password, otherwise an identity provider; beside
 * it a client certificate; an exec plug-in only without a token, a password and a certificate. Undefined if there are none.
 * @throws {ListwatchError} code CONFIG_INVALID or CONFIG_UNSUPPORTED naming file, line and field; CREDENTIAL_PLUGIN_REFUSED.
 * @see client-go transport/round_trippers.go HTTPWrappersForConfig, plugin/pkg/client/auth/exec/exec.go UpdateTransportConfig
 * @ 32ce75a7
 */
export async function userCredentials(
  user: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource | undefined> {
  const exec = user.field('exec');
  const provider = user.field('auth-provider');
  if (exec.present && provider.present) exec.fail('it excludes auth-provider; remove one of them');
  const own = await ownHeader(user, options);
  const header = own ?? (provider.present ? await providerOf(provider, options) : undefined);
  const certificate = await clientCertificate(user, options);
  const parts = [header, certificate].filter((part) => part !== undefined);
  if (parts.length > 0) return combined(parts);
  return exec.present ? await pluginOf(exec, options) : undefined;
}

/** Loaded when it is used: few kubeconfigs have an identity provider. */
async function providerOf(
  provider: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource> {
  const { providerCredentials } = await import('./provider-credentials.ts');
  return await providerCredentials(provider, options);
}

/** Loaded when it is used: a program in a cluster has no plug-in. */
async function pluginOf(
  exec: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource> {
  const { pluginCredentials } = await import('./plugin-credentials.ts');
  return await pluginCredentials(exec, options);
}

/** Makes an error of `work`, about a file or a value, one that names the field. */
async function atPlace<R>(field: KubeconfigField, work: () => R | Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ListwatchError)) throw error;
    return field.fail(error.message, { cause: error });
  }
}

/** Token, token file or password. */
async function ownHeader(
  user: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource | undefined> {
  const username = user.field('username').optionalText();
  const password = user.field('password').optionalText();
  const hasToken = [user.field('token'), user.field('tokenFile')].some(
    (field) => field.optionalText() !== undefined,
  );
  if (username === undefined && password === undefined) return await tokenOf(user, options);
  if (username === undefined) user.field('password').fail('it needs a username beside it');
  if (hasToken) user.field('username').fail('it excludes a token; remove one of them');
  const place = user.field('username');
  const source = `the password of user ${shownName(options.name)} in ${place.location}`;
  const fields = { username: place.text(), password: password ?? '', source };
  return await atPlace(place, () => basicCredentials(fields));
}

async function tokenOf(
  user: KubeconfigField,
  { name, runtime, logger }: UserCredentialsOptions,
): Promise<CredentialSource | undefined> {
  const token = constantTokenOf(user.field('token'), name);
  const field = user.field('tokenFile');
  if (field.optionalText() === undefined) return token;
  const path = pathBeside(field);
  const source = `the token of user ${shownName(name)} in ${path}`;
  const file = tokenFile(path, { runtime, logger, source });
  try {
    // A file that cannot be used is an error of the configuration, not of the first request.
    await file.current();
  } catch (error) {
    if (!(error instanceof ListwatchError)) throw error;
    if (token === undefined) field.fail(error.message, { cause: error });
    logger.warn('the token file cannot be used; the token beside it is used until it can', {
      field: field.place,
      error: error.message,
    });
  }
  return token === undefined ? file : fileOrToken(file, token);
}

function constantTokenOf(token: KubeconfigField, name: string): CredentialSource | undefined {
  const text = token.optionalText()?.trim();
  if (text === undefined) return undefined;
  if (!/^[\x21-\x7e]+$/.test(text)) token.fail(NO_TOKEN);
  return constantToken(text, `the token of user ${shownName(name)} in ${token.location}`);
}

const NO_TOKEN = 'it has spaces or characters that cannot stand in a header; paste it again';

/**
 * The token file; the token while the file has never been readable.
 * @see client-go transport/round_trippers.go NewBearerAuthWithRefreshRoundTripper @ 32ce75a7
 */
function fileOrToken(file: CredentialSource, token: CredentialSource): CredentialSource {
  const current = async (signal?: AbortSignal): Promise<Credential> => {
    try {
      return await file.current(signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ListwatchError) return await token.current(signal);
      throw error;
    }
  };
  return {
    source: file.source,
    current: (signal) => {
      try {
        const now = file.current(signal);
        return now instanceof Credential ? now : current(signal);
      } catch {
        return current(signal);
      }
    },
    refresh: async (rejected, signal) => {
      try {
        return await file.refresh?.(rejected, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ListwatchError) return undefined;
        throw error;
      }
    },
  };
}

async function clientCertificate(
  user: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource | undefined> {
  const { name, runtime, logger } = options;
  const cert = dataAndFile(user, 'client-certificate', logger);
  const key = dataAndFile(user, 'client-key', logger);
  const certPlace = cert.data ?? cert.file;
  const keyPlace = key.data ?? key.file;
  if (certPlace === undefined && keyPlace === undefined) return undefined;
  if (certPlace === undefined) return user.field('client-certificate').fail(MISSING_CERTIFICATE);
  if (keyPlace === undefined) return user.field('client-key').fail(MISSING_KEY);
  if (cert.file !== undefined && key.file !== undefined) {
    const paths = { cert: pathBeside(cert.file), key: pathBeside(key.file) };
    const source = `the client certificate of user ${shownName(name)} in ${paths.cert}`;
    const files = certificateFiles({ ...paths, source, runtime, logger });
    await atPlace(cert.file, async () => await files.current());
    return files;
  }
  // A pair of which one half is in the kubeconfig cannot rotate by itself.
  return constantCertificate({
    cert: await pemOf(cert, options),
    key: await pemOf(key, options),
    certPlace: certPlace.place,
    keyPlace: keyPlace.place,
    source: `the client certificate of user ${shownName(name)} in ${certPlace.location}`,
    runtime,
    logger,
  });
}

const MISSING_CERTIFICATE = 'it is missing, and client-key needs it';
const MISSING_KEY = 'it is missing, and client-certificate needs it';

/** Larger files are no PEM of one certificate or key. */
const LARGEST_PEM_BYTES = 1_048_576;

async function pemOf(
  { data, file }: DataAndFile,
  { runtime }: UserCredentialsOptions,
): Promise<string> {
  if (data !== undefined) return decodedPem(data);
  if (file === undefined) return '';
  const read = { largestBytes: LARGEST_PEM_BYTES, runtime };
  return await atPlace(file, async () => await readTextFile(pathBeside(file), read));
}

interface BasicCredentialsOptions {
  /** The user; it has no colon. */
  readonly username: string;
  /** It may have any character but control characters. */
  readonly password: string;
  /** Its kind and its place, for messages; without the password. */
  readonly source: string;
}

/**
 * User and password, sent as UTF-8. API servers since 1.19 accept them only through a proxy or a webhook.
 * @throws {ListwatchError} code INVALID_OPTION for a user with a colon, and for control characters; the password is not shown.
 * @see RFC 7617
 */
export function basicCredentials({
  username,
  password,
  source,
}: BasicCredentialsOptions): CredentialSource {
  if (username === '') throw invalid(source, 'the user name is empty');
  if (username.includes(':'))
    throw invalid(source, 'the user name has a colon; it cannot have one');
  if (/\p{Cc}/u.test(username)) throw invalid(source, 'the user name has control characters');
  if (/\p{Cc}/u.test(password)) {
    throw invalid(source, 'the password has control characters; check for a line break at its end');
  }
  const pair = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  return constantCredential(new Credential({ authorization: `Basic ${pair}`, source }));
}

function invalid(source: string, problem: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `${source}: ${problem}`);
}
