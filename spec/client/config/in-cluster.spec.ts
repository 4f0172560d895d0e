import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import type { ConnectionConfig } from '../../../lib/client/config/contract/connection-config.ts';
import { inClusterConnection } from '../../../lib/client/config/in-cluster.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { AUTHORITY } from '../support/certificates.ts';
import { authorizationOf } from '../support/authorization-of.ts';
import { failureOf } from '../support/failure-of.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';
import { TestAuthority } from '../support/test-authority.ts';

describe('inClusterConnection', () => {
  let scratch: ScratchDirectory;
  let runtime: VirtualRuntime;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    runtime = new VirtualRuntime();
    await scratch.write('token', 'one');
    await scratch.write('ca.crt', AUTHORITY);
    await scratch.write('namespace', 'shop\n');
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const connection = async (
    env: Record<string, string> = {},
  ): Promise<ConnectionConfig | undefined> =>
    await inClusterConnection({
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', ...env },
      directory: scratch.path,
      runtime,
    });
  const authorityOf = async (config: ConnectionConfig | undefined): Promise<unknown> => {
    const ca = config?.tls.ca;
    return typeof ca === 'function' ? await ca() : ca;
  };

  const addresses: [env: Record<string, string>, server: string][] = [
    [{}, 'https://10.0.0.1:443'],
    [{ KUBERNETES_SERVICE_HOST: 'fd00::1' }, 'https://[fd00::1]:443'],
    [
      { KUBERNETES_SERVICE_HOST: 'api.internal', KUBERNETES_SERVICE_PORT: '6443' },
      'https://api.internal:6443',
    ],
    [{ KUBERNETES_SERVICE_PORT_HTTPS: '8443' }, 'https://10.0.0.1:443'],
  ];
  for (const [env, server] of addresses) {
    it(`reaches ${server} for ${JSON.stringify(env)}`, async () => {
      expect((await connection(env))?.server).to.equal(server);
    });
  }

  for (const name of ['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT']) {
    it(`is no pod without ${name}`, async () => {
      expect(await connection({ [name]: '' })).to.equal(undefined);
    });
  }

  it('has the namespace of the variable, of the file, or default', async () => {
    expect((await connection({ POD_NAMESPACE: 'own' }))?.namespace).to.equal('own');
    expect((await connection())?.namespace).to.equal('shop');
    await scratch.write('namespace', ' \n');
    expect((await connection())?.namespace).to.equal('default');
  });

  it('names its token', async () => {
    const config = await connection();
    expect(config?.credentials?.source).to.equal(
      `the token of the service account in ${scratch.path}/token`,
    );
    expect(config?.source).to.equal(`the service account in ${scratch.path}`);
  });

  it('follows token and authority when the kubelet replaces them', async () => {
    const config = await connection();
    if (config === undefined) throw new Error('no pod');
    const next = new TestAuthority().certificate;
    expect(await authorizationOf(config)).to.equal('Bearer one');
    expect(await authorityOf(config)).to.equal(AUTHORITY);
    await scratch.replace('token', 'two');
    await scratch.replace('ca.crt', next);
    await runtime.advance(1_000);
    expect(await authorizationOf(config)).to.equal('Bearer two');
    expect(await authorityOf(config)).to.equal(next);
  });

  const damaged: [file: string, text: string, expected: string][] = [
    ['token', '', 'token: the file is empty; write the token into it'],
    ['token', 'a b', 'token: it is not a token'],
    ['ca.crt', 'nothing', 'ca.crt: it has no PEM certificate'],
    ['ca.crt', AUTHORITY.replace('MIIB', 'AAAA'), 'ca.crt: certificate 1 of 1 is damaged'],
  ];
  for (const [file, text, expected] of damaged) {
    it(`refuses a pod: ${expected}`, async () => {
      await scratch.write(file, text);
      const error = await failureOf(connection());
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message.startsWith(`${scratch.path}/${expected}`), error.message).to.equal(true);
    });
  }

  for (const file of ['token', 'ca.crt']) {
    it(`says what to set when ${file} is not mounted`, async () => {
      await rm(`${scratch.path}/${file}`);
      expect((await failureOf(connection())).message).to.equal(
        `${scratch.path}/${file}: there is no such file; set automountServiceAccountToken: true for the pod`,
      );
    });
  }
});
