import { inspect } from 'node:util';
import { expect } from 'chai';
import { authorityFile } from '../../../../lib/client/config/credentials/authority-file.ts';
import { basicCredentials } from '../../../../lib/client/config/context/user-credentials.ts';
import { certificateFiles } from '../../../../lib/client/config/credentials/certificate-files.ts';
import { combined } from '../../../../lib/client/config/credentials/combined.ts';
import {
  constantCertificate,
  constantToken,
} from '../../../../lib/client/config/credentials/constant.ts';
import { kubeconfigTokenWriter } from '../../../../lib/client/config/credentials/oidc/kubeconfig-token-writer.ts';
import { oidcCredentials } from '../../../../lib/client/config/credentials/oidc/oidc-credentials.ts';
import { tokenFile } from '../../../../lib/client/config/credentials/token-file.ts';
import type { CredentialSource } from '../../../../lib/client/transport/contract/credential.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { OidcIssuer } from '../../support/oidc-issuer.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { TestAuthority } from '../../support/test-authority.ts';

const CANARY = 'canary-4f1d8e';

/** As a secret may appear: in clear, encoded, or in part. */
const FORMS: readonly string[] = [
  CANARY,
  Buffer.from(CANARY).toString('base64').slice(0, 16),
  Buffer.from(CANARY).toString('hex'),
];

describe('sources of credentials', () => {
  const { certificate: cert, privateKey: key } = new TestAuthority().client({ user: 'dev' });
  /** A line from the middle of the key. */
  const keyLine = key.split('\n')[1]!;
  let scratch: ScratchDirectory;
  let runtime: VirtualRuntime;
  let logger: RecordedLog;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    runtime = new VirtualRuntime({ startWallMs: Date.now() });
    logger = new RecordedLog();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  /** Everything that a program could print of a value. */
  const printed = (value: unknown): string => {
    const deep = { depth: Infinity, showHidden: true, maxStringLength: Infinity } as const;
    return [
      inspect(value, deep),
      inspect(value, { ...deep, showHidden: false, getters: false }),
      JSON.stringify(value) ?? '',
      String(value),
      value instanceof Error ? (value.stack ?? '') : '',
    ].join('\n');
  };
  const expectNoSecret = (text: string): void => {
    for (const form of [...FORMS, keyLine]) expect(text).not.to.contain(form);
  };
  /** Prints a source and whatever comes out of it, before and after its files are spoilt. */
  const everything = async (
    source: CredentialSource,
    spoil: readonly (() => Promise<unknown>)[] = [],
  ): Promise<string> => {
    const texts: string[] = [];
    const note = async (work: () => unknown): Promise<void> => {
      try {
        texts.push(printed(await work()));
      } catch (error) {
        texts.push(printed(error));
      }
    };
    for (const step of [async () => {}, ...spoil]) {
      await step();
      await runtime.advance(2_000);
      await note(() => source.current());
      await note(async () => source.refresh?.(await source.current()));
      await note(() => source);
    }
    return [...texts, printed(logger.lines)].join('\n');
  };

  it('show no token of a text or a file', async () => {
    expectNoSecret(await everything(constantToken(CANARY, 'a token')));
    const path = await scratch.write('token', CANARY);
    const text = await everything(tokenFile(path, { runtime, logger }), [
      () => scratch.write('token', `${CANARY} ${CANARY}`),
      () => scratch.write('token', `${CANARY}\n${CANARY}`),
      () => scratch.write('token', `${CANARY}-2`),
    ]);
    expectNoSecret(text);
    expect(text).to.contain('it is not a token');
    const unusable = await scratch.write('unusable', `${CANARY}\u0007`);
    expectNoSecret(await everything(tokenFile(unusable, { runtime, logger })));
  });

  it('show no password', async () => {
    const options = { username: 'dev', password: CANARY, source: 'a password' };
    expectNoSecret(await everything(basicCredentials(options)));
    let thrown: unknown;
    try {
      basicCredentials({ ...options, password: `${CANARY}\n` });
    } catch (error) {
      thrown = error;
    }
    expect(printed(thrown)).to.contain('line break');
    expectNoSecret(printed(thrown));
  });

  it('show no private key, in texts, files and combinations', async () => {
    const places = { certPlace: 'cert', keyPlace: 'key', source: 'a certificate' };
    const constant = constantCertificate({ cert, key, ...places });
    expectNoSecret(await everything(constant));
    const both = combined([constant, constantToken(CANARY, 'a token')]);
    expectNoSecret(await everything(both));
    const paths = {
      cert: await scratch.write('tls.crt', cert),
      key: await scratch.write('tls.key', key),
    };
    const text = await everything(certificateFiles({ ...paths, runtime, logger }), [
      () => scratch.write('tls.key', key.replace(/\n.{4}/, '\n')),
      () => scratch.write('tls.key', `${CANARY}${key.slice(40)}`),
      () => scratch.write('tls.crt', key),
    ]);
    expectNoSecret(text);
    expect(text).to.contain('the private key is damaged').and.to.contain('not a PEM certificate');
  });

  it('show nothing of a file that was named by mistake', async () => {
    const path = await scratch.write('id_ed25519', `${key}\n${CANARY}`);
    let thrown: unknown;
    try {
      await authorityFile(path)();
    } catch (error) {
      thrown = error;
    }
    expect(printed(thrown)).to.contain('it has no PEM certificate');
    expectNoSecret(printed(thrown));
  });

  it('show no token and no client secret of an OIDC login, for any answer of the issuer', async () => {
    await using issuer = await OidcIssuer.start({ clientSecret: CANARY });
    const path = await scratch.write('config', `users: ${CANARY}`);
    const answer = (status: number, body: unknown) => async () => {
      issuer.token = { kind: 'answer', status, body: JSON.stringify(body) };
    };
    const source = oidcCredentials({
      source: 'a login',
      issuerUrl: issuer.url,
      clientId: issuer.clientId,
      clientSecret: CANARY,
      idToken: `${CANARY}.x`,
      refreshToken: `refresh-${CANARY}`,
      persist: kubeconfigTokenWriter({ path, user: CANARY.slice(0, 3) }),
      runtime,
      logger,
    });
    const text = await everything(source, [
      answer(400, { error: CANARY, error_description: `${CANARY} is wrong` }),
      answer(400, { error: `Basic ${Buffer.from(`listwatch-spec:${CANARY}`).toString('base64')}` }),
      answer(401, { error: 'invalid_client', error_description: `refresh-${CANARY} is void` }),
      answer(200, { id_token: `${CANARY}.y` }),
      answer(200, { access_token: CANARY }),
      answer(500, CANARY),
      async () => {
        issuer.token = { kind: 'redirect', to: `http://127.0.0.1/?token=${CANARY}` };
      },
      async () => {
        issuer.token = undefined;
        issuer.discoveryFields = { issuer: `https://${CANARY}.example` };
      },
      answer(200, { id_token: issuer.newIdToken({ sub: CANARY }), refresh_token: CANARY }),
      async () => {
        issuer.discoveryFields = {};
      },
    ]);
    expectNoSecret(text);
    expect(text).to.contain('the issuer refused').and.to.contain('stay in memory');
  });
});
