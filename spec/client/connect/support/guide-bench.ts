import { join } from 'node:path';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { ConnectOptions } from '../../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { OidcIssuer } from '../../support/oidc-issuer.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { TestProxy } from '../../support/test-proxy.ts';
import { bearer } from './accepted.ts';
import { FrontCluster } from './front-cluster.ts';

/** The directory that the files of the guide are in. */
export const GUIDE_DIRECTORY = '/run/secrets/cluster';

/** The embedded server behind a front that asks for credentials, and the files, the issuer and the proxy that a guide names. */
export class GuideBench implements AsyncDisposable {
  readonly cluster: FrontCluster;
  readonly scratch: ScratchDirectory;
  readonly issuer: OidcIssuer;
  readonly proxy: TestProxy;
  readonly #server: ApiServer;

  private constructor(
    parts: Pick<GuideBench, 'cluster' | 'scratch' | 'issuer' | 'proxy'>,
    server: ApiServer,
  ) {
    this.cluster = parts.cluster;
    this.scratch = parts.scratch;
    this.issuer = parts.issuer;
    this.proxy = parts.proxy;
    this.#server = server;
  }

  static async start(): Promise<GuideBench> {
    const server = new ApiServer();
    await server.listen();
    const { url, token } = server;
    const cluster = await FrontCluster.start({
      target: { server: url, token },
      namespace: 'default',
    });
    const scratch = await ScratchDirectory.make();
    await scratch.write('ca.crt', cluster.authority);
    const issuer = await OidcIssuer.start({ clientId: 'listwatch', clientSecret: '' });
    const proxy = await TestProxy.start({ user: 'user', password: 'password' });
    return new GuideBench({ cluster, scratch, issuer, proxy }, server);
  }

  /** A kubeconfig whose user or cluster is an entry of the guide, in which the names of the guide stand for the real ones. */
  async kubeconfig(entry: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const sections = [
      'current-context: guide',
      'contexts: [{ name: guide, context: { cluster: CLUSTER, user: USER, namespace: default } }]',
      entry.includes('clusters:') ? '' : this.#cluster,
      entry.includes('users:')
        ? ''
        : `users: [{ name: guide, user: { tokenFile: ${GUIDE_DIRECTORY}/token } }]`,
      entry,
    ];
    const name = /name: (\S+)/.exec(entry)?.[1] ?? 'guide';
    let text = sections
      .join('\n')
      .replace('CLUSTER', entry.includes('clusters:') ? name : 'guide')
      .replace('USER', entry.includes('users:') ? name : 'guide');
    const real = {
      'https://SERVER': this.cluster.server,
      [GUIDE_DIRECTORY]: this.scratch.path,
      ...more,
    };
    for (const [shown, meant] of Object.entries(real)) text = text.replaceAll(shown, meant);
    return await this.scratch.write('config', text);
  }

  get #cluster(): string {
    return `clusters: [{ name: guide, cluster: { server: "https://SERVER", certificate-authority: ${GUIDE_DIRECTORY}/ca.crt } }]`;
  }

  async writeToken(): Promise<void> {
    await this.scratch.write('token', await this.cluster.issueToken());
  }

  async writeCertificate(): Promise<void> {
    const { certificate, privateKey } = await this.cluster.issueCertificate();
    await this.scratch.write('client.crt', certificate);
    await this.scratch.write('client.key', privateKey);
  }

  /** A program that prints this, and the line of YAML that runs it. */
  async plugin(program: string): Promise<Record<string, string>> {
    const path = await this.scratch.write('plugin.mjs', program);
    return {
      'command: aws': `command: ${JSON.stringify(process.execPath)}`,
      '[eks, get-token, --cluster-name, shop]': JSON.stringify([path]),
    };
  }

  acceptIssuer(): void {
    this.cluster.accept(({ headers }) =>
      this.issuer.accepts((headers.authorization ?? '').replace('Bearer ', '')),
    );
  }

  acceptOnly(token: string): void {
    this.cluster.accept(bearer(token));
  }

  /** The names of the first list that the configuration leads to. */
  async namespaces(options: ConnectOptions): Promise<readonly string[]> {
    await using client = await connect({ env: {}, homeDir: this.scratch.path, ...options });
    const { items } = await client.resource('v1', 'namespaces').list();
    return items.map(({ metadata }) => metadata?.name ?? '');
  }

  /** The path of a file of the guide. */
  file(name: string): string {
    return join(this.scratch.path, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await this.issuer[Symbol.asyncDispose]();
    await this.cluster[Symbol.asyncDispose]();
    await this.scratch[Symbol.asyncDispose]();
    await this.#server.close();
  }
}
