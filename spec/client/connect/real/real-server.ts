import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync, closeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EtcdMember } from '../../../support/etcd.ts';
import { until } from '../../../support/until.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { ScratchDirectory } from '../../support/scratch-directory.ts';
import type { IdentityProvider } from '../support/cluster.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { TestAuthority, type IssuedCertificate } from '../../support/test-authority.ts';
import { AUDIT_POLICY, AuditLog } from './audit-log.ts';

export interface TokenRequest {
  readonly namespace: string;
  readonly account: string;
  readonly secret: string;
}

export interface RealServerOptions {
  /** The directory with the programs kube-apiserver and etcd. */
  readonly binaries: string;
  readonly scratch: ScratchDirectory;
}

interface Parts {
  readonly port: number;
  readonly authority: TestAuthority;
  readonly identities: IdentityProvider;
  readonly etcd: EtcdMember;
  readonly scratch: ScratchDirectory;
  readonly child: ChildProcess;
}

/** So short that several expire in a run. */
const ID_TOKEN_LIFE_MS = 15_000;
const ADMIN_TOKEN = 'admin-of-the-real-server';
/** Clients that ask for this name get the certificate that rotates. */
export const ROTATING_NAME = 'rotating.test';

/**
 * A kube-apiserver over an etcd of its own, for one run: with service accounts, client certificates, tokens and an issuer of
 * identities. Files that it reads again when they change are replaced by `trustClients` and `presentToRotating`.
 */
export class RealServer implements AsyncDisposable {
  readonly port: number;
  readonly authorityOfServer: TestAuthority;
  /** The server trusts it. */
  readonly identities: IdentityProvider;
  readonly audit: AuditLog;
  readonly #etcd: EtcdMember;
  readonly #scratch: ScratchDirectory;
  readonly #process: ChildProcess;
  readonly #clientAuthorities: string[] = [];
  #replacing: Promise<void> = Promise.resolve();

  private constructor(parts: Parts) {
    this.port = parts.port;
    this.authorityOfServer = parts.authority;
    this.identities = parts.identities;
    this.#etcd = parts.etcd;
    this.#scratch = parts.scratch;
    this.#process = parts.child;
    this.audit = new AuditLog(join(parts.scratch.path, 'audit.log'));
  }

  /** Resolves when the server is ready. */
  static async start(options: RealServerOptions): Promise<RealServer> {
    const { binaries, scratch } = options;
    const identities = await startIdentityProvider('client-secret');
    identities.issuer.tokenLifeMs = ID_TOKEN_LIFE_MS;
    // Two clients of a trial begin with the same one.
    identities.issuer.rotatesRefreshTokens = false;
    const etcd = await EtcdMember.start({ binary: join(binaries, 'etcd') });
    const port = await freePort();
    const authority = new TestAuthority({ name: 'real server' });
    await writeFiles(scratch, authority, identities);
    const log = openSync(join(scratch.path, 'apiserver.log'), 'w');
    const child = spawn(
      join(binaries, 'kube-apiserver'),
      flagsOf(scratch, identities, { port, etcdUrl: etcd.url }),
      {
        stdio: ['ignore', log, log],
      },
    );
    closeSync(log);
    process.once('exit', () => child.kill('SIGKILL'));
    const server = new RealServer({ port, authority, identities, etcd, scratch, child });
    try {
      await server.#ready();
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** The authority of the server's certificate, PEM. */
  get authority(): string {
    return this.authorityOfServer.certificate;
  }

  get adminToken(): string {
    return ADMIN_TOKEN;
  }

  /** A token of a service account that ends with the Secret to which it is bound. */
  async requestToken(bound: TokenRequest): Promise<string> {
    const { namespace, account, secret } = bound;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const answer = await this.#post(path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        expirationSeconds: 3600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: secret },
      },
    });
    const { status } = JSON.parse(answer) as { status?: { token?: string } };
    if (status?.token === undefined) throw new Error(`no token: ${answer.slice(0, 500)}`);
    return status.token;
  }

  /** The authorities of client certificates: one more, or one less. The server reads the file again by itself. */
  async trustClients(change: { readonly add?: string; readonly remove?: string }): Promise<void> {
    const { add, remove } = change;
    if (add !== undefined) this.#clientAuthorities.push(add);
    const index = remove === undefined ? -1 : this.#clientAuthorities.indexOf(remove);
    if (index >= 0) this.#clientAuthorities.splice(index, 1);
    // One after the other: trials run at the same time.
    this.#replacing = this.#replacing.then(async () => {
      await this.#scratch.replace('client-ca.crt', this.#clientAuthorities.join(''));
    });
    await this.#replacing;
  }

  /** Clients that ask for `ROTATING_NAME` get this certificate soon. */
  async presentToRotating({ certificate, privateKey }: IssuedCertificate): Promise<void> {
    // Read as a pair: whichever the server sees first, the next read has both.
    await rename(
      await this.#scratch.write('rotating.key.next', privateKey),
      join(this.#scratch.path, 'rotating.key'),
    );
    await this.#scratch.replace('rotating.crt', certificate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.pid !== undefined) {
      const ended = new Promise((resolve) => this.#process.once('exit', resolve));
      this.#process.kill('SIGTERM');
      await ended;
    }
    await this.#etcd.close();
    await this.identities.issuer[Symbol.asyncDispose]();
  }

  async #post(path: string, body: object): Promise<string> {
    const sent = request(this.url + path, {
      method: 'POST',
      ca: this.authority,
      agent: false,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return await text(response);
  }

  async #ready(): Promise<void> {
    await using admin = await connect({
      server: this.url,
      token: ADMIN_TOKEN,
      tls: { ca: this.authority },
    });
    await until('the API server is ready', async () => {
      if (this.#process.exitCode !== null) {
        const log = readFileSync(join(this.#scratch.path, 'apiserver.log'), 'utf8');
        throw new Error(`kube-apiserver ended: ${log.trim().split('\n').slice(-5).join('\n')}`);
      }
      try {
        await admin.resource('rbac.authorization.k8s.io/v1', 'clusterroles').get('cluster-admin');
        await admin.resource('v1', 'namespaces').get('default');
        return true;
      } catch {
        return false;
      }
    });
  }
}

async function writeFiles(
  scratch: ScratchDirectory,
  authority: TestAuthority,
  identities: IdentityProvider,
): Promise<void> {
  const server = authority.server();
  const rotating = new TestAuthority().server({ hosts: [ROTATING_NAME] });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const files: Readonly<Record<string, string>> = {
    'server.crt': server.certificate,
    'server.key': server.privateKey,
    'rotating.crt': rotating.certificate,
    'rotating.key': rotating.privateKey,
    // The file must have one; nobody has its key.
    'client-ca.crt': new TestAuthority({ name: 'unused' }).certificate,
    'sa.key': privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    'sa.pub': publicKey.export({ type: 'spki', format: 'pem' }) as string,
    'tokens.csv': `${ADMIN_TOKEN},admin,admin,"system:masters"\n`,
    'audit.json': AUDIT_POLICY,
    'audit.log': '',
    'oidc-ca.crt': identities.authority,
  };
  for (const [name, text] of Object.entries(files)) await scratch.write(name, text);
}

function flagsOf(
  scratch: ScratchDirectory,
  { issuer }: IdentityProvider,
  { port, etcdUrl }: { readonly port: number; readonly etcdUrl: string },
): readonly string[] {
  const file = (name: string): string => join(scratch.path, name);
  return [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--advertise-address=192.0.2.1',
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.0.0.0/24',
    `--cert-dir=${scratch.path}`,
    `--tls-cert-file=${file('server.crt')}`,
    `--tls-private-key-file=${file('server.key')}`,
    `--tls-sni-cert-key=${file('rotating.crt')},${file('rotating.key')}:${ROTATING_NAME}`,
    `--client-ca-file=${file('client-ca.crt')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('sa.pub')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    `--token-auth-file=${file('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
    `--audit-policy-file=${file('audit.json')}`,
    `--audit-log-path=${file('audit.log')}`,
    `--oidc-issuer-url=${issuer.url}`,
    `--oidc-client-id=${issuer.clientId}`,
    `--oidc-ca-file=${file('oidc-ca.crt')}`,
    '--oidc-username-claim=sub',
    '--oidc-username-prefix=-',
    '--oidc-signing-algs=ES256',
  ];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
