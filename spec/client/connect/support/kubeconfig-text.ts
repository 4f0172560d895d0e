export interface KubeconfigFields {
  readonly server: string;
  /** PEM, in the file. */
  readonly authority?: string | undefined;
  /** Path of a PEM file. */
  readonly authorityFile?: string | undefined;
  /** The fields of the user, as in a kubeconfig. */
  readonly user: Readonly<Record<string, unknown>>;
  /** Further fields of the cluster. */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined;
  readonly namespace?: string | undefined;
}

/** A kubeconfig with one context; JSON is YAML too. */
export function kubeconfigText(fields: KubeconfigFields): string {
  const { server, authority, authorityFile, user, cluster, namespace } = fields;
  const trusted =
    authority === undefined
      ? { 'certificate-authority': authorityFile }
      : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'trial', cluster: { server, ...trusted, ...cluster } }],
    users: [{ name: 'trial', user }],
    contexts: [{ name: 'trial', context: { cluster: 'trial', user: 'trial', namespace } }],
    'current-context': 'trial',
  };
  return JSON.stringify(config, undefined, 2);
}
