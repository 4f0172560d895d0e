import { expect } from 'chai';
import { RawServer, type Script } from '../../client/support/raw-server.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { TestAuthority } from '../../client/support/test-authority.ts';
import { examine, type Examined } from './examine.ts';

const DAY_MS = 86_400_000;

/** The token of the kubeconfigs; no output may have it. */
export const TOKEN = 'a-secret-token';

export interface KubeconfigParts {
  readonly server: string;
  readonly ca?: string | undefined;
  readonly cluster?: object | undefined;
  readonly user?: object | undefined;
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A server certificate and key whose validity ends so many days from now, for 127.0.0.1, and the authority that signed it. */
export function certificateThatEnds(inDays: number): {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
} {
  const nowMs = Date.now();
  const authority = new TestAuthority({ name: 'listwatch' });
  const { certificate, privateKey } = authority.server({
    hosts: ['127.0.0.1'],
    notBeforeMs: nowMs + (inDays - 3650) * DAY_MS,
    notAfterMs: nowMs + inDays * DAY_MS,
  });
  return { cert: certificate, key: privateKey, authority: authority.certificate };
}

/** A JSON web token with a signature that is not checked. */
export function tokenWith(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** A home directory for one spec, with a kubeconfig to write. */
export class DoctorFixture implements AsyncDisposable {
  readonly #scratch: ScratchDirectory;

  private constructor(scratch: ScratchDirectory) {
    this.#scratch = scratch;
  }

  static async make(): Promise<DoctorFixture> {
    return new DoctorFixture(await ScratchDirectory.make());
  }

  get homeDir(): string {
    return this.#scratch.path;
  }

  /** Writes a file and returns its path. */
  async write(name: string, text: string): Promise<string> {
    return await this.#scratch.write(name, text);
  }

  /** Writes a kubeconfig with one context, and returns its path. */
  async kubeconfig(
    { server, ca, cluster, user }: KubeconfigParts,
    name: string = 'config',
  ): Promise<string> {
    const authority = ca === undefined ? {} : { 'certificate-authority-data': base64(ca) };
    const config = {
      'current-context': 'dev',
      contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'jane', namespace: 'shop' } }],
      clusters: [{ name: 'dev', cluster: { server, ...authority, ...cluster } }],
      users: [{ name: 'jane', user: user ?? { token: TOKEN } }],
    };
    return await this.#scratch.write(name, JSON.stringify(config));
  }

  /** Examines a server over TLS with a good certificate. */
  async examineApi(
    script: Script,
    parameters: readonly string[] = [],
    host: Parameters<typeof examine>[1] = {},
    user?: object,
  ): Promise<Examined> {
    const { cert, key, authority } = certificateThatEnds(1000);
    await using server = await RawServer.start(script, { cert, key });
    const file = await this.kubeconfig({ server: server.url, ca: authority, user });
    return await examine(['--kubeconfig', file, ...parameters], host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#scratch[Symbol.asyncDispose]();
  }
}

/** Exactly this step fails, with one line each for cause and remedy. */
export function expectFailure(
  examined: Examined,
  id: string,
  expected: { readonly code: string; readonly detail: string | RegExp; readonly remedy: RegExp },
): void {
  expect(examined.ids('failed'), examined.text).to.deep.equal([id]);
  expect(examined.code).to.equal(1);
  expect(examined.document.ok).to.equal(false);
  const { code, detail, remedy = '' } = examined.step(id);
  expect(code).to.equal(expected.code);
  if (typeof expected.detail === 'string') expect(detail).to.equal(expected.detail);
  else expect(detail).to.match(expected.detail);
  expect(remedy).to.match(expected.remedy);
  expect(`${detail}${remedy}`).to.not.include('\n');
}
