import { randomBytes } from 'node:crypto';
import type { Client } from '../../../../lib/client/rest/client.ts';
import { connect, type ConnectOptions } from '../../../../lib/client/rest/connect.ts';
import { isListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import { until } from '../../../support/until.ts';
import { TestAuthority, type IssuedCertificate } from '../../support/test-authority.ts';
import type {
  Cluster,
  ClusterCounts,
  Cut,
  IdentityProvider,
  NextAuthority,
} from '../support/cluster.ts';
import { ROTATING_NAME, type RealServer } from './real-server.ts';
import { Tap } from '../support/tap.ts';

type Probe = Pick<ConnectOptions, 'token' | 'tls' | 'impersonate'>;

/** A credential that was issued: what shows whether it is accepted, and what ends it. */
interface Issued {
  readonly probe: Probe;
  revoke(): Promise<void>;
}

const USER = 'jane';

/**
 * One trial on a real API server, which checks everything itself. Tokens are those of service accounts, each bound to a Secret
 * that is deleted to end it; certificates end with their authority. The server keeps a token in memory for ten seconds after
 * its end, so `retireOld` waits until it is refused.
 */
export class RealCluster implements Cluster {
  readonly checker = 'the API server';
  readonly rotatingName: string = ROTATING_NAME;
  readonly namespace: string;
  readonly userAgent: string;
  readonly authority: string;
  readonly #server: RealServer;
  readonly #admin: Client;
  readonly #tap: Tap;
  #issued: readonly Issued[] = [];

  private constructor(server: RealServer, admin: Client, tap: Tap, namespace: string) {
    this.#server = server;
    this.#admin = admin;
    this.#tap = tap;
    this.namespace = namespace;
    this.userAgent = `connect-matrix/${namespace}`;
    this.authority = server.authority;
  }

  static async start(server: RealServer, namespace: string): Promise<RealCluster> {
    const admin = await connect({
      server: server.url,
      token: server.adminToken,
      tls: { ca: server.authority },
    });
    const cluster = new RealCluster(server, admin, await Tap.start(server.port), namespace);
    await cluster.#prepare();
    return cluster;
  }

  get server(): string {
    return `https://127.0.0.1:${this.#tap.port}`;
  }

  async issueToken(): Promise<string> {
    return await this.#serviceAccountToken('trial', {});
  }

  async issueImpersonator(): Promise<{ readonly token: string; readonly actsAs: string }> {
    const impersonate = { user: USER };
    const token = await this.#serviceAccountToken('impersonator', { impersonate });
    return { token, actsAs: USER };
  }

  async issueCertificate(): Promise<IssuedCertificate> {
    const authority = new TestAuthority({ name: `clients of ${this.namespace}` });
    const client = authority.client({ user: USER });
    await this.#server.trustClients({ add: authority.certificate });
    const { certificate: cert, privateKey: key } = client;
    await this.#issue({
      probe: { tls: { cert, key } },
      revoke: () => this.#server.trustClients({ remove: authority.certificate }),
    });
    return client;
  }

  serverCertificate(hosts?: readonly string[]): IssuedCertificate {
    return this.#server.authorityOfServer.server({ hosts });
  }

  issuePassword(): Promise<never> {
    return Promise.reject(new Error('kube-apiserver knows no passwords since 1.19'));
  }

  identityProvider(): Promise<IdentityProvider> {
    return Promise.resolve(this.#server.identities);
  }

  /** ID tokens are valid until they expire: when a new one has expired, so have all others. */
  async retireIdentities(): Promise<void> {
    const token = this.#server.identities.issuer.newIdToken();
    await until('the ID tokens have expired', () => this.#isRefused({ token }));
  }

  async retireOld(): Promise<void> {
    const old = this.#issued.slice(0, -1);
    this.#issued = this.#issued.slice(-1);
    for (const issued of old) await issued.revoke();
    for (const issued of old) {
      await until('the old credential is refused', () => this.#isRefused(issued.probe));
    }
  }

  nextAuthority(): Promise<NextAuthority> {
    const authority = new TestAuthority({ name: 'rotating' });
    const issued = authority.server({ hosts: [ROTATING_NAME] });
    return Promise.resolve({
      authority: authority.certificate,
      use: async () => {
        await this.#server.presentToRotating(issued);
        const tls = { ca: authority.certificate, serverName: ROTATING_NAME };
        await until('the server presents the next certificate', async () => {
          await using client = await connect({
            server: this.#server.url,
            token: this.#server.adminToken,
            tls,
          });
          return (await answerOf(client, this.namespace)) === 'ok';
        });
      },
    });
  }

  cut(how: Cut): void {
    if (how === 'end') this.#tap.end();
    else this.#tap.reset();
  }

  async counts(): Promise<ClusterCounts> {
    const counts = await this.#server.audit.countsOf(this.userAgent);
    return { ...counts, connections: this.#tap.connections };
  }

  openConnections(): number {
    return this.#tap.openConnections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tap[Symbol.asyncDispose]();
    await this.#admin.close();
  }

  /** The namespace, its service accounts, and what they and the user may do. */
  async #prepare(): Promise<void> {
    const { namespace } = this;
    await this.#admin.resource('v1', 'namespaces').create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    for (const name of ['trial', 'impersonator']) {
      await this.#create('v1', 'serviceaccounts', { kind: 'ServiceAccount', metadata: { name } });
    }
    const group = 'rbac.authorization.k8s.io';
    const account = { kind: 'ServiceAccount', name: 'trial', namespace };
    await this.#create(`${group}/v1`, 'rolebindings', {
      kind: 'RoleBinding',
      metadata: { name: 'trial' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [account, { kind: 'User', apiGroup: group, name: USER }],
    });
    await this.#createForAll(`${group}/v1`, 'clusterroles', {
      kind: 'ClusterRole',
      metadata: { name: `impersonator-${namespace}` },
      rules: [
        { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: [USER] },
      ],
    });
    await this.#createForAll(`${group}/v1`, 'clusterrolebindings', {
      kind: 'ClusterRoleBinding',
      metadata: { name: `impersonator-${namespace}` },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: `impersonator-${namespace}` },
      subjects: [{ ...account, name: 'impersonator' }],
    });
  }

  async #create(apiVersion: string, resource: string, object: object): Promise<void> {
    const { namespace } = this;
    const collection = this.#admin.resource(apiVersion, resource, { namespace });
    await collection.create({ apiVersion, ...object });
  }

  async #createForAll(apiVersion: string, resource: string, object: object): Promise<void> {
    await this.#admin.resource(apiVersion, resource).create({ apiVersion, ...object });
  }

  async #serviceAccountToken(account: string, probe: Probe): Promise<string> {
    const name = `${account}-${randomBytes(6).toString('hex')}`;
    await this.#create('v1', 'secrets', { kind: 'Secret', metadata: { name } });
    const { namespace } = this;
    const secrets = this.#admin.resource('v1', 'secrets', { namespace });
    const token = await this.#server.requestToken({ namespace, account, secret: name });
    await this.#issue({
      probe: { ...probe, token },
      revoke: async () => {
        await secrets.delete(name);
      },
    });
    return token;
  }

  /** Resolves when the server accepts it and its user may work: the server reads certificates and roles a little later. */
  async #issue(issued: Issued): Promise<void> {
    this.#issued = [...this.#issued, issued];
    await until(
      'the credential is accepted',
      async () => (await this.#answer(issued.probe)) === 'ok',
    );
  }

  async #isRefused(probe: Probe): Promise<boolean> {
    return (await this.#answer(probe)) === 'UNAUTHORIZED';
  }

  async #answer({ token, tls, impersonate }: Probe): Promise<string> {
    await using client = await connect({
      server: this.#server.url,
      token,
      tls: { ...tls, ca: this.#server.authority },
      impersonate,
    });
    return await answerOf(client, this.namespace);
  }
}

/** `ok`, or the code of the error. */
async function answerOf(client: Client, namespace: string): Promise<string> {
  try {
    await client.resource('v1', 'configmaps', { namespace }).list({ limit: 1 });
    return 'ok';
  } catch (error) {
    if (isListwatchError(error)) return error.code;
    throw error;
  }
}
