/**
 * An object of the shape of `KubeConfig` in `@kubernetes/client-node` 1.4.0 and 2.0.1: what `loadFromString` keeps of a kubeconfig,
 * and the methods by which it is recognized.
 * @see @kubernetes/client-node dist/config.js, dist/config_types.js
 */
export class KubeConfig {
  clusters: object[] = [];
  users: object[] = [];
  contexts: object[] = [];
  currentContext: string | undefined;
  readonly authenticators: unknown[] = [{}, {}];
  readonly custom_authenticators: unknown[] = [];

  loadFromOptions(options: {
    readonly clusters?: object[];
    readonly users?: object[];
    readonly contexts?: object[];
    readonly currentContext?: string;
  }): this {
    this.clusters = options.clusters ?? [];
    this.users = options.users ?? [];
    this.contexts = options.contexts ?? [];
    this.currentContext = options.currentContext;
    return this;
  }

  /** One cluster, one user and one context. */
  loadFromClusterAndUser(cluster: object, user: object, namespace?: string): this {
    const contexts = [{ cluster: 'c', user: 'u', name: 'loaded-context', namespace }];
    return this.loadFromOptions({
      clusters: [{ name: 'c', skipTLSVerify: false, ...cluster }],
      users: [{ name: 'u', ...user }],
      contexts,
      currentContext: 'loaded-context',
    });
  }

  exportConfig(): string {
    return JSON.stringify({ kind: 'Config' });
  }
}
