import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { ConnectionConfig } from '../contract/connection-config.ts';
import type { AllowExec } from '../credentials/exec/allow-exec.ts';
import type { ExecEnvironment } from '../credentials/exec/exec-plugin-options.ts';
import { chosenContext, type EntryNames } from './chosen-context.ts';
import { clusterSettings } from './cluster-settings.ts';
import type { Kubeconfig } from '../kubeconfig/kubeconfig.ts';
import { userCredentials } from './user-credentials.ts';
import type { Impersonation } from '../../transport/contract/impersonation.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';

export interface KubeconfigConnectionOptions extends EntryNames {
  /** Which exec plug-ins may run. @defaultValue those of files; none of a configuration that was passed as data */
  readonly allowExec?: AllowExec | undefined;
  /** The URL of the proxy for an address of an identity provider. @defaultValue no proxy */
  readonly proxyFor?: ((address: string) => string | undefined) | undefined;
  /** Whether tokens that an identity provider refreshed are written back to the file. @defaultValue false */
  readonly persistTokens?: boolean | undefined;
  /** Whether the program gives credentials of its own, so that those of the user are not read. @defaultValue false */
  readonly hasCredentials?: boolean | undefined;
  /** The environment that an exec plug-in gets from this process. */
  readonly environment: ExecEnvironment;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

/**
 * Reads the cluster and the user of a context, and the files that they name.
 * @throws {ListwatchError} code CONFIG_INVALID or CONFIG_UNSUPPORTED naming file, line and field; CREDENTIAL_PLUGIN_REFUSED.
 */
export async function kubeconfigConnection(
  kubeconfig: Kubeconfig,
  options: KubeconfigConnectionOptions,
): Promise<ConnectionConfig> {
  const { environment, allowExec, proxyFor, persistTokens } = options;
  const { runtime = realRuntime, logger = consoleLogger } = options;
  const chosen = chosenContext(kubeconfig, options);
  const { source, cluster, user, namespace = 'default' } = chosen;
  const settings = await clusterSettings(cluster, { runtime, logger });
  const common = { environment, allowExec, proxyFor, persistTokens, runtime, logger };
  const credentials =
    user === undefined || options.hasCredentials === true
      ? undefined
      : await userCredentials(user.entry, {
          ...common,
          name: user.name,
          cluster: settings.forPlugins,
        });
  return new ConnectionConfig({
    server: settings.server,
    namespace,
    tls: settings.tls,
    proxy: settings.proxy,
    disableCompression: settings.disableCompression,
    credentials,
    impersonate: user === undefined ? undefined : impersonationOf(user.entry),
    source,
    entries: { cluster: chosen.clusterName, user: user?.name },
  });
}

/**
 * The identity that an entry of `users` asks for.
 * @throws {ListwatchError} code CONFIG_INVALID naming file, line and field.
 * @see client-go tools/clientcmd/validation.go validateAuthInfo @ 32ce75a7
 */
export function impersonationOf(entry: KubeconfigField): Impersonation | undefined {
  const user = entry.field('as').optionalText();
  const uid = entry.field('as-uid').optionalText();
  const groups = entry.field('as-groups').texts();
  const extraField = entry.field('as-user-extra');
  const keys = extraField.names();
  if (user === undefined) {
    const [name] = [
      ...(uid === undefined ? [] : ['as-uid']),
      ...(groups.length === 0 ? [] : ['as-groups']),
      ...(keys.length === 0 ? [] : ['as-user-extra']),
    ];
    if (name !== undefined) entry.field(name).fail('it needs a user; add "as" beside it');
    return undefined;
  }
  const extra = Object.fromEntries(keys.map((key) => [key, extraField.field(key).texts()]));
  return {
    user,
    uid,
    groups: groups.length === 0 ? undefined : groups,
    extra: keys.length === 0 ? undefined : extra,
  };
}
