import type { CredentialSource } from '../../transport/contract/credential.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';

/** What replaces the providers that Kubernetes clients have dropped in 1.26. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  gcp: 'install gke-gcloud-auth-plugin and run "gcloud container clusters get-credentials" again',
  azure: 'install kubelogin and run "kubelogin convert-kubeconfig"',
};

/**
 * The credentials of an `auth-provider` in an entry of `users`.
 * @throws {ListwatchError} code CONFIG_UNSUPPORTED naming file, line and field.
 */
export function providerCredentials(provider: KubeconfigField): CredentialSource {
  const name = provider.field('name').text();
  const successor = Object.hasOwn(SUCCESSORS, name) ? SUCCESSORS[name] : 'use an exec plug-in';
  return provider
    .field('name')
    .unsupported(`the auth-provider ${name} is not supported; ${successor}`);
}
