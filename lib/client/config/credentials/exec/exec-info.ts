import type { ExecCluster } from './exec-plugin-options.ts';

/** The variable in which a plug-in finds an ExecCredential with its input. */
export const EXEC_INFO = 'KUBERNETES_EXEC_INFO';

/**
 * The value of KUBERNETES_EXEC_INFO: an ExecCredential of `apiVersion` with a spec. Fields without a value are left out, but
 * `config` is null, as kubectl does (pkg/apis/clientauthentication/v1/types.go @ 32ce75a7).
 */
export function execInfo(
  apiVersion: string,
  interactive: boolean,
  cluster: ExecCluster | undefined,
): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive, cluster: cluster === undefined ? undefined : clusterOf(cluster) },
  });
}

function clusterOf(cluster: ExecCluster): Record<string, unknown> {
  const authority = cluster.certificateAuthorityData;
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName || undefined,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify || undefined,
    'certificate-authority-data':
      authority === undefined || authority.length === 0
        ? undefined
        : Buffer.from(authority).toString('base64'),
    'proxy-url': cluster.proxyUrl || undefined,
    'disable-compression': cluster.disableCompression || undefined,
    config: cluster.config ?? null,
  };
}
