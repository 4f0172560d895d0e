import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startRealApiServer } from '../../../../lib/testing/real-server/real-api-server.ts';
import type { RunningApiServer } from '../../../../lib/testing/real-server/running-api-server.ts';
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

/** So short that several expire in a run. */
const ID_TOKEN_LIFE_MS = 15_000;
/** Clients that ask for this name get the certificate that rotates. */
export const ROTATING_NAME = 'rotating.test';

/**
 * A kube-apiserver over an etcd of its own, for one run: with service accounts, client certificates, tokens and an issuer of
 * identities. Files that it reads again when they change are replaced by `trustClients` and `presentToRotating`.
 */
export class RealServer implements AsyncDisposable {
  readonly authorityOfServer: TestAuthority;
  /** The server trusts it. */
  readonly identities: IdentityProvider;
  readonly audit: AuditLog;
  readonly #scratch: ScratchDirectory;
  readonly #server: RunningApiServer;
  readonly #clientAuthorities: string[] = [];
  #replacing: Promise<void> = Promise.resolve();

  private constructor(
    server: RunningApiServer,
    authority: TestAuthority,
    identities: IdentityProvider,
    scratch: ScratchDirectory,
  ) {
    this.#server = server;
    this.authorityOfServer = authority;
    this.identities = identities;
    this.#scratch = scratch;
    this.audit = new AuditLog(join(scratch.path, 'audit.log'));
  }

  /** Resolves when the server is ready. */
  static async start({ binaries, scratch }: RealServerOptions): Promise<RealServer> {
    const identities = await startIdentityProvider('client-secret');
    identities.issuer.tokenLifeMs = ID_TOKEN_LIFE_MS;
    // Two clients of a trial begin with the same one.
    identities.issuer.rotatesRefreshTokens = false;
    const authority = new TestAuthority({ name: 'real server' });
    await writeFiles(scratch, identities);
    try {
      const server = await startRealApiServer({
        binaries,
        authority: authority.stored(),
        flags: flagsOf(scratch, identities),
      });
      return new RealServer(server, authority, identities, scratch);
    } catch (error) {
      await identities.issuer[Symbol.asyncDispose]();
      throw error;
    }
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get url(): string {
    return this.#server.url;
  }

  /** The authority of the server's certificate, PEM. */
  get authority(): string {
    return this.authorityOfServer.certificate;
  }

  get adminToken(): string {
    return this.#server.token;
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
    await this.#server.close();
    await this.identities.issuer[Symbol.asyncDispose]();
  }

  async #post(path: string, body: object): Promise<string> {
    const sent = request(this.url + path, {
      method: 'POST',
      ca: this.authority,
      agent: false,
      headers: { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return await text(response);
  }
}

async function writeFiles(scratch: ScratchDirectory, identities: IdentityProvider): Promise<void> {
  const rotating = new TestAuthority().server({ hosts: [ROTATING_NAME] });
  const files: Readonly<Record<string, string>> = {
    'rotating.crt': rotating.certificate,
    'rotating.key': rotating.privateKey,
    // The file must have one; its key is nowhere.
    'client-ca.crt': new TestAuthority({ name: 'unused' }).certificate,
    'audit.json': AUDIT_POLICY,
    'audit.log': '',
    'oidc-ca.crt': identities.authority,
  };
  for (const [name, text] of Object.entries(files)) await scratch.write(name, text);
}

function flagsOf(scratch: ScratchDirectory, { issuer }: IdentityProvider): readonly string[] {
  const file = (name: string): string => join(scratch.path, name);
  return [
    `--tls-sni-cert-key=${file('rotating.crt')},${file('rotating.key')}:${ROTATING_NAME}`,
    `--client-ca-file=${file('client-ca.crt')}`,
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
