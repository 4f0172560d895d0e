import type { CredentialSource } from '../../../transport/contract/credential.ts';
import { ExecCredentialSource } from './exec-credential-source.ts';
import { ExecPlugin } from './exec-plugin.ts';
import type { ExecPluginOptions } from './exec-plugin-options.ts';

/**
 * The credentials that a program prints: an exec credential plug-in as `aws eks get-token`, `gke-gcloud-auth-plugin` or
 * `kubelogin`. The program is first run when a request needs a credential.
 *
 * Guarantees:
 * - One run serves all requests that wait for it. It is stopped when all of them were aborted, after `timeoutMs`, and when it
 *   has written more than 1 MiB: with SIGTERM, and with SIGKILL two seconds later. Between runs there is no process and no timer.
 * - A credential is kept until ten seconds before it expires (a short-lived one for nine tenths of its life). A certificate also
 *   expires at its own end. One without an expiry is kept until the server rejects it.
 * - After a 401 the plug-in runs again, at most every five seconds. A failed run is repeated after a second at the earliest;
 *   requests before that get the same error.
 * - A credential that has already expired when it is printed is used for five seconds, with a warning: the clock of this machine
 *   may be wrong, and the server decides.
 * - Standard error goes to the logger, line by line, without the variables and the values of flags of the configuration. An
 *   interactive plug-in has the standard error of this process, because a question is no line.
 * - Nothing is shared between two sources of the same configuration: each one runs the plug-in. Use one client.
 *
 * @throws {ListwatchError} code CONFIG_INVALID naming source and field; CONFIG_UNSUPPORTED for the version v1alpha1;
 * INVALID_OPTION. `current` and `refresh` reject with code CREDENTIAL_PLUGIN.
 */
export function execCredentials(options: ExecPluginOptions): CredentialSource {
  return new ExecCredentialSource(new ExecPlugin(options));
}
