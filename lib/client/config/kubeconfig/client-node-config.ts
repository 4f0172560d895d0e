import type { KubeconfigObject } from './kubeconfig-source.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether an object is a `KubeConfig` of `@kubernetes/client-node`, or of its shape, as for its `loadFromOptions`: entries of a
 * kubeconfig have their fields in an object of their own, entries of a KubeConfig beside the name.
 */
export function isClientNodeConfig(value: object): boolean {
  const { exportConfig, currentContext } = value as Fields;
  return typeof exportConfig === 'function' || currentContext !== undefined;
}

/**
 * The content of a `KubeConfig` of `@kubernetes/client-node`, versions 1 and 2, in the form of a kubeconfig. What is not an object
 * or a list is passed on, so that the reader of the kubeconfig refuses it.
 * @see @kubernetes/client-node src/config_types.ts, src/config.ts @ 1.4.0
 */
export function clientNodeSections(value: object): KubeconfigObject {
  const { clusters, users, contexts, currentContext } = value as Fields;
  return {
    clusters: eachOf(clusters, 'cluster', clusterOf),
    users: eachOf(users, 'user', userOf),
    contexts: eachOf(contexts, 'context', ({ cluster, user, namespace }) => ({
      cluster,
      user,
      namespace: typeof namespace === 'string' ? namespace.trim() : namespace,
    })),
    'current-context': currentContext,
  };
}

/** Entries that are in the form of a kubeconfig already, which `loadFromOptions` admits, stay as they are. */
function eachOf(entries: unknown, section: string, convert: (entry: Fields) => Fields): unknown {
  if (!Array.isArray(entries)) return entries;
  return entries.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return entry;
    const fields = entry as Fields;
    const inner = fields[section];
    if (typeof inner === 'object' && inner !== null) return fields;
    return { name: fields['name'], [section]: convert(fields) };
  });
}

function clusterOf(entry: Fields): Fields {
  return {
    server: entry['server'],
    'certificate-authority-data': entry['caData'],
    'certificate-authority': entry['caFile'],
    'insecure-skip-tls-verify': entry['skipTLSVerify'],
    'tls-server-name': entry['tlsServerName'],
    'proxy-url': entry['proxyUrl'],
  };
}

function userOf(entry: Fields): Fields {
  const { exec, tokenFile, authProvider } = providerOf(entry['authProvider']);
  return {
    token: entry['token'],
    // KubeConfig prefers the token.
    tokenFile: entry['token'] ? undefined : tokenFile,
    'client-certificate-data': entry['certData'],
    'client-certificate': entry['certFile'],
    'client-key-data': entry['keyData'],
    'client-key': entry['keyFile'],
    username: entry['username'],
    password: entry['password'],
    as: entry['impersonateUser'],
    exec: entry['exec'] ?? exec,
    'auth-provider': authProvider,
  };
}

interface Provider {
  readonly exec?: unknown;
  readonly tokenFile?: unknown;
  readonly authProvider?: unknown;
}

/** A KubeConfig writes the token file of a pod, and in older forms a plug-in, as an `authProvider`. */
function providerOf(authProvider: unknown): Provider {
  if (typeof authProvider !== 'object' || authProvider === null) return { authProvider };
  const { config } = authProvider as Fields;
  if (typeof config !== 'object' || config === null) return { authProvider };
  const { exec, tokenFile } = config as Fields;
  if (exec) return { exec };
  return tokenFile ? { tokenFile } : { authProvider };
}
