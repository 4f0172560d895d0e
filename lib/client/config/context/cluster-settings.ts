import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { parseProxyAddress } from '../../transport/contract/proxy-address.ts';
import { parseServerAddress } from '../../transport/contract/server-address.ts';
import type { PemSource, TlsOptions } from '../../transport/contract/tls-options.ts';
import { authorityFile, checkAuthorities } from '../credentials/authority-file.ts';
import type { ExecCluster } from '../credentials/exec/exec-plugin-options.ts';
import type { KubeconfigField } from '../kubeconfig/kubeconfig-field.ts';
import { dataAndFile, decodedPem, pathBeside } from './data-or-file.ts';

export interface ClusterSettingsOptions {
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** How a cluster is reached. */
export interface ClusterSettings {
  readonly server: string;
  readonly tls: TlsOptions;
  /** The URL of the proxy that the cluster names. */
  readonly proxy: string | undefined;
  /** Undefined: the kubeconfig says nothing. */
  readonly disableCompression: boolean | undefined;
  /** The facts about the cluster that an exec plug-in may read. */
  readonly forPlugins: ExecCluster;
}

/** The name of the extension of a cluster that is passed to exec plug-ins. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/**
 * Reads an entry of `clusters` and the file that it names.
 * @throws {ListwatchError} code CONFIG_INVALID naming file, line and field.
 * @see client-go tools/clientcmd/client_config.go getServerIdentificationPartialConfig @ 32ce75a7
 */
export async function clusterSettings(
  cluster: KubeconfigField,
  options: ClusterSettingsOptions,
): Promise<ClusterSettings> {
  const server = addressOf(cluster.field('server'));
  const authority = await authorityOf(cluster, options);
  const serverName = cluster.field('tls-server-name').optionalText();
  const insecureSkipVerify = insecureOf(cluster, authority !== undefined, options.logger);
  const proxy = proxyNamed(cluster.field('proxy-url'));
  const compression = cluster.field('disable-compression');
  const disableCompression = compression.present ? compression.flag() : undefined;
  return {
    server,
    tls: { ca: authority?.ca, serverName, insecureSkipVerify },
    proxy,
    disableCompression,
    forPlugins: {
      server,
      tlsServerName: serverName,
      insecureSkipTlsVerify: insecureSkipVerify,
      certificateAuthorityData: authority?.text,
      proxyUrl: proxy,
      disableCompression,
      config: extensionOf(cluster.field('extensions')),
    },
  };
}

function addressOf(server: KubeconfigField): string {
  try {
    return parseServerAddress(server.text()).text;
  } catch (error) {
    if (error instanceof ListwatchError && error.code === 'INVALID_OPTION') {
      return server.fail(error.message);
    }
    throw error;
  }
}

interface Authority {
  readonly ca: PemSource;
  /** The text at present. */
  readonly text: string;
}

async function authorityOf(
  cluster: KubeconfigField,
  { runtime, logger }: ClusterSettingsOptions,
): Promise<Authority | undefined> {
  const { data, file } = dataAndFile(cluster, 'certificate-authority', logger);
  if (data !== undefined) {
    const text = decodedPem(data);
    checkAuthorities(text, data.place);
    return { ca: text, text };
  }
  if (file === undefined) return undefined;
  const ca = authorityFile(pathBeside(file), { runtime, logger });
  try {
    return { ca, text: await ca() };
  } catch (error) {
    if (!(error instanceof ListwatchError)) throw error;
    return file.fail(error.message, { cause: error });
  }
}

function insecureOf(cluster: KubeconfigField, hasAuthority: boolean, logger: Logger): boolean {
  const insecure = cluster.field('insecure-skip-tls-verify');
  if (!insecure.flag()) return false;
  if (hasAuthority) {
    insecure.fail('it contradicts the certificate-authority beside it; remove one of them');
  }
  logger.warn('the certificate of the server is not verified', { because: insecure.place });
  return true;
}

/** The URL of the proxy that the cluster names. An empty one counts as none, as with kubectl. */
function proxyNamed(proxy: KubeconfigField): string | undefined {
  const url = proxy.optionalText();
  if (url === undefined) return undefined;
  try {
    parseProxyAddress(url);
    return url;
  } catch (error) {
    if (error instanceof ListwatchError && error.code === 'INVALID_OPTION') {
      return proxy.fail(error.message);
    }
    throw error;
  }
}

function extensionOf(extensions: KubeconfigField): unknown {
  const entry = extensions.items().find((one) => one.field('name').value === EXEC_EXTENSION);
  return entry?.field('extension').value;
}
