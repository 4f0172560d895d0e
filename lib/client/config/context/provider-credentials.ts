import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { CredentialSource } from '../../transport/contract/credential.ts';
import type { PemSource } from '../../transport/contract/tls-options.ts';
import { authorityFile, checkAuthorities } from '../credentials/authority-file.ts';
import { kubeconfigTokenWriter } from '../credentials/oidc/kubeconfig-token-writer.ts';
import { oidcCredentials } from '../credentials/oidc/oidc-credentials.ts';
import type { OidcOptions } from '../credentials/oidc/oidc-options.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';
import { dataAndFile, decodedPem, pathBeside } from './data-or-file.ts';
import { shownName } from './shown-name.ts';
import type { UserCredentialsOptions } from './user-credentials-options.ts';

/** Replacements of the providers that Kubernetes clients have dropped in 1.26. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  gcp: 'install gke-gcloud-auth-plugin and run "gcloud container clusters get-credentials" again',
  azure: 'install kubelogin and run "kubelogin convert-kubeconfig"',
};

/**
 * The credentials of an `auth-provider` in an entry of `users`. Only `oidc` is supported. Its `extra-scopes` have no effect, as
 * with kubectl: a refresh names no scopes.
 * @throws {ListwatchError} code CONFIG_UNSUPPORTED or CONFIG_INVALID naming file, line and field; INVALID_OPTION.
 */
export async function providerCredentials(
  provider: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource> {
  const name = provider.field('name').text();
  if (name === 'oidc') return await oidcOf(provider.field('config'), options);
  const successor = Object.hasOwn(SUCCESSORS, name) ? SUCCESSORS[name] : 'use an exec plug-in';
  return provider
    .field('name')
    .unsupported(`the auth-provider ${name} is not supported; ${successor}`);
}

async function oidcOf(
  config: KubeconfigField,
  options: UserCredentialsOptions,
): Promise<CredentialSource> {
  const { name, proxyFor, runtime, logger } = options;
  return oidcCredentials({
    source: `the OIDC login of user ${shownName(name)} in ${config.location}`,
    issuerUrl: config.field('idp-issuer-url').text(),
    clientId: config.field('client-id').text(),
    clientSecret: config.field('client-secret').optionalText(),
    idToken: config.field('id-token').optionalText(),
    refreshToken: config.field('refresh-token').optionalText(),
    ca: await authorityOf(config, options),
    persist: persistOf(config, options),
    proxyFor,
    runtime,
    logger,
  });
}

async function authorityOf(
  config: KubeconfigField,
  { runtime, logger }: UserCredentialsOptions,
): Promise<PemSource | undefined> {
  const { data, file } = dataAndFile(config, 'idp-certificate-authority', logger);
  if (data !== undefined) {
    const text = decodedPem(data);
    checkAuthorities(text, data.place);
    return text;
  }
  if (file === undefined) return undefined;
  const ca = authorityFile(pathBeside(file), { runtime, logger });
  try {
    await ca();
    return ca;
  } catch (error) {
    if (!(error instanceof ListwatchError)) throw error;
    return file.fail(error.message, { cause: error });
  }
}

function persistOf(
  { origin }: KubeconfigField,
  { name: user, persistTokens }: UserCredentialsOptions,
): OidcOptions['persist'] {
  if (persistTokens !== true) return undefined;
  if (!origin.isData) return kubeconfigTokenWriter({ path: origin.name, user });
  const problem = 'option "persistTokens" needs a kubeconfig that is a file; leave it out for data';
  throw new ListwatchError('INVALID_OPTION', problem);
}
