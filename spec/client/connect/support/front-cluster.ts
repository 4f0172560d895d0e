import { randomBytes } from 'node:crypto';
import { startIdentityProvider } from './identity-provider.ts';
import type { IssuedCertificate } from '../../support/test-authority.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { anyOf, basic, bearer, certificateOf, impersonating, type Accepted } from './accepted.ts';
import type { Cluster, ClusterCounts, Cut, IdentityProvider, NextAuthority } from './cluster.ts';
import { Front, type FrontTarget } from './front.ts';

export interface FrontClusterOptions {
  readonly target: FrontTarget;
  readonly namespace: string;
}

/** A cluster whose credentials a front checks; what is behind it accepts the one token of the front. */
export class FrontCluster implements Cluster {
  readonly checker = 'a front';
  readonly userAgent = 'trial';
  readonly rotatingName = undefined;
  readonly namespace: string;
  readonly front: Front;
  #authority: TestAuthority;
  #accepted: readonly Accepted[] = [];
  #provider: IdentityProvider | undefined;
  readonly #issued: (readonly [string, string])[] = [];

  private constructor(options: FrontClusterOptions, authority: TestAuthority, front: Front) {
    this.namespace = options.namespace;
    this.#authority = authority;
    this.front = front;
  }

  static async start(options: FrontClusterOptions): Promise<FrontCluster> {
    const authority = new TestAuthority({ name: 'cluster' });
    const front = await Front.start({
      target: options.target,
      certificate: authority.server(),
      accepted: () => false,
    });
    return new FrontCluster(options, authority, front);
  }

  get server(): string {
    return this.front.url;
  }

  get authority(): string {
    return this.#authority.certificate;
  }

  /** All secrets that were issued or presented so far, with a name for each. */
  secrets(): readonly (readonly [string, string])[] {
    const presented = [...this.front.presented].map((text) => ['a header', text] as const);
    const refreshes = this.#provider?.issuer.tokenRequests ?? [];
    const refreshed = refreshes.flatMap(({ form }) =>
      ['refresh_token', 'client_secret'].flatMap((name) => {
        const text = form.get(name);
        return text === undefined ? [] : [[name, text] as const];
      }),
    );
    return [...this.#issued, ...presented, ...refreshed];
  }

  issueToken(): Promise<string> {
    const token = this.#secret('token');
    this.accept(bearer(token));
    return Promise.resolve(token);
  }

  issueCertificate(): Promise<IssuedCertificate> {
    const authority = new TestAuthority({ name: 'clients' });
    this.accept(certificateOf(authority.certificate));
    const issued = authority.client({ user: 'jane', groups: ['system:masters'] });
    this.#issued.push(['a key', issued.privateKey]);
    return Promise.resolve(issued);
  }

  serverCertificate(hosts?: readonly string[]): IssuedCertificate {
    return this.#authority.server({ hosts });
  }

  /** A certificate that no client trusts. */
  foreignCertificate(): IssuedCertificate {
    return new TestAuthority().server();
  }

  issuePassword(): Promise<{ readonly username: string; readonly password: string }> {
    const password = this.#secret('password');
    this.accept(basic('jane', password));
    return Promise.resolve({ username: 'jane', password });
  }

  issueImpersonator(): Promise<{ readonly token: string; readonly actsAs: string }> {
    const token = this.#secret('impersonator');
    this.accept(impersonating('jane', bearer(token)));
    return Promise.resolve({ token, actsAs: 'jane' });
  }

  async identityProvider(): Promise<IdentityProvider> {
    const provider = (this.#provider ??= await startIdentityProvider(
      this.#secret('client-secret'),
    ));
    this.accept(({ headers }) => {
      const [, token = ''] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
      return provider.issuer.accepts(token);
    });
    return provider;
  }

  retireIdentities(): Promise<void> {
    this.#provider?.issuer.revokeIdTokens();
    return Promise.resolve();
  }

  /** Accepts one more credential. */
  accept(accepted: Accepted): void {
    this.#accepted = [...this.#accepted, accepted];
    this.front.accept(anyOf(...this.#accepted));
  }

  retireOld(): Promise<void> {
    this.#accepted = this.#accepted.slice(-1);
    this.front.accept(anyOf(...this.#accepted));
    return Promise.resolve();
  }

  nextAuthority(): Promise<NextAuthority> {
    const authority = new TestAuthority({ name: 'cluster' });
    return Promise.resolve({
      authority: authority.certificate,
      use: () => {
        this.#authority = authority;
        this.front.present(authority.server());
        return Promise.resolve();
      },
    });
  }

  cut(how: Cut): void {
    if (how === 'end') this.front.endWatches();
    else this.front.cut();
  }

  counts(): Promise<ClusterCounts> {
    return Promise.resolve({ ...this.front.counts });
  }

  openConnections(): number {
    return this.front.openConnections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.#provider?.issuer[Symbol.asyncDispose]();
  }

  #secret(what: string): string {
    const secret = `canary-${what}-${randomBytes(12).toString('hex')}`;
    this.#issued.push([what, secret]);
    return secret;
  }
}
