import type { CredentialSource } from '../../transport/contract/credential.ts';
import { refusePlugin } from '../credentials/exec/allow-exec.ts';
import { execCredentials } from '../credentials/exec/exec-credential-source.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';
import type { UserCredentialsOptions } from './user-credentials-options.ts';

/**
 * The credentials of an exec plug-in in an entry of `users`.
 * @throws {ListwatchError} code CONFIG_INVALID naming file, line and field; CREDENTIAL_PLUGIN_REFUSED.
 */
export async function pluginCredentials(
  exec: KubeconfigField,
  { name, cluster, environment, allowExec, runtime, logger }: UserCredentialsOptions,
): Promise<CredentialSource> {
  const { directory, isData } = exec.origin;
  const command = exec.field('command').text();
  const source = `user ${name} in ${exec.location}`;
  await refusePlugin(allowExec, { command, directory, source, env: environment.env, isData });
  return execCredentials({
    apiVersion: exec.field('apiVersion').text(),
    command,
    args: exec.field('args').texts(),
    env: exec
      .field('env')
      .items()
      .map((one) => ({
        name: one.field('name').text(),
        value: one.field('value').optionalText() ?? '',
      })),
    installHint: exec.field('installHint').optionalText(),
    provideClusterInfo: exec.field('provideClusterInfo').flag(),
    cluster,
    interactiveMode: exec.field('interactiveMode').optionalText(),
    directory,
    source,
    environment,
    runtime,
    logger,
  });
}
