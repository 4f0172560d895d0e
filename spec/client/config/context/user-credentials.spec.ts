import { expect } from 'chai';
import {
  basicCredentials,
  userCredentials,
} from '../../../../lib/client/config/context/user-credentials.ts';
import type { UserCredentialsOptions } from '../../../../lib/client/config/context/user-credentials-options.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../../lib/client/transport/contract/credential.ts';
import { realRuntime } from '../../../../lib/kernel/time/real-runtime.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { CLIENT_CERTIFICATE, CLIENT_KEY, SERVER_KEY } from '../../support/certificates.ts';
import { failureOf, thrownBy } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { expired, TestAuthority } from '../../support/test-authority.ts';
import { base64, FILE, parsed } from '../support/kubeconfig-text.ts';

interface Situation extends Partial<UserCredentialsOptions> {
  readonly file?: string;
}

/** The credentials of a user whose fields are a flow mapping. */
async function credentialsOf(
  fields: string,
  { file = FILE, ...options }: Situation = {},
): Promise<CredentialSource | undefined> {
  const text = `users:\n- name: dev\n  user: { ${fields} }\n`;
  const entry = (await parsed(text, file)).users.get('dev');
  if (entry === undefined) throw new Error('no user');
  return await userCredentials(entry.field('user'), {
    name: 'dev',
    cluster: { server: 'https://a' },
    environment: { env: {} },
    allowExec: undefined,
    runtime: realRuntime,
    logger: new RecordedLog(),
    ...options,
  });
}

const CERT = `client-certificate-data: ${base64(CLIENT_CERTIFICATE)}`;
const KEY = `client-key-data: ${base64(CLIENT_KEY)}`;
const EXEC = 'exec: { command: aws, apiVersion: client.authentication.k8s.io/v1beta1 }';
const BASIC = `Basic ${base64('me:secret')}`;
const GCP = 'auth-provider: { name: gcp }';

describe('userCredentials', () => {
  interface Presented {
    readonly header: string | undefined;
    readonly certificate: boolean;
  }
  const combinations: [fields: string, expected: Presented][] = [
    ['token: t', { header: 'Bearer t', certificate: false }],
    ['token: " t\\n"', { header: 'Bearer t', certificate: false }],
    ['username: me, password: secret', { header: BASIC, certificate: false }],
    ['username: me', { header: `Basic ${base64('me:')}`, certificate: false }],
    [`${CERT}, ${KEY}`, { header: undefined, certificate: true }],
    [`token: t, ${CERT}, ${KEY}`, { header: 'Bearer t', certificate: true }],
    [`username: me, password: secret, ${CERT}, ${KEY}`, { header: BASIC, certificate: true }],
    [`token: t, ${EXEC}`, { header: 'Bearer t', certificate: false }],
    ['token: t, exec: { command: aws }', { header: 'Bearer t', certificate: false }],
    [`username: me, password: secret, ${EXEC}`, { header: BASIC, certificate: false }],
    [`${CERT}, ${KEY}, ${EXEC}`, { header: undefined, certificate: true }],
    [`token: t, ${GCP}`, { header: 'Bearer t', certificate: false }],
    ['token: "", username: "", password: ""', { header: undefined, certificate: false }],
  ];
  const shortened = (text: string): string =>
    text.replaceAll(/data: \S{20,}?(?=,| |$)/g, 'data: …');
  for (const [fields, expected] of combinations) {
    // The output of specs shows no credential, not even one of a spec.
    const scheme = expected.header === undefined ? 'no' : `a ${expected.header.split(' ')[0]}`;
    it(`presents ${scheme} header and ${expected.certificate ? 'a' : 'no'} certificate for ${JSON.stringify(shortened(fields))}`, async () => {
      const credential = await (await credentialsOf(fields))?.current();
      expect(credential?.authorization).to.equal(expected.header);
      expect(credential?.cert !== undefined).to.equal(expected.certificate);
    });
  }

  const sources: [fields: string, source: string][] = [
    ['token: t', `the token of user dev in ${FILE}:3`],
    ['username: me', `the password of user dev in ${FILE}:3`],
    [`${CERT}, ${KEY}`, `the client certificate of user dev in ${FILE}:3`],
    [
      `token: t, ${CERT}, ${KEY}`,
      `the token of user dev in ${FILE}:3 and the client certificate of user dev in ${FILE}:3`,
    ],
    [EXEC, `the exec plug-in aws of user dev in ${FILE}:3`],
  ];
  for (const [fields, source] of sources) {
    it(`names its origin: ${source}`, async () => {
      expect((await credentialsOf(fields))?.source).to.equal(source);
    });
  }

  it('names a user with any characters in one line', async () => {
    const source = await credentialsOf('token: t', { name: 'a\n\u001b[31mb' });
    expect(source?.source).to.equal(`the token of user a b in ${FILE}:3`);
  });

  it('has none for a user without any', async () => {
    expect(await credentialsOf('as: bob')).to.equal(undefined);
  });

  describe('with files', () => {
    let scratch: ScratchDirectory;
    let runtime: VirtualRuntime;
    let logger: RecordedLog;
    let situation: Situation;

    beforeEach(async () => {
      scratch = await ScratchDirectory.make();
      runtime = new VirtualRuntime({ startWallMs: Date.now() });
      logger = new RecordedLog();
      situation = { file: `${scratch.path}/config`, runtime, logger };
    });
    afterEach(async () => {
      await scratch[Symbol.asyncDispose]();
    });

    it('follows a token file that is replaced', async () => {
      await scratch.write('token', 'one');
      const source = await credentialsOf('tokenFile: token', situation);
      expect((await source?.current())?.authorization).to.equal('Bearer one');
      expect(source?.source).to.equal(`the token of user dev in ${scratch.path}/token`);
      await scratch.replace('token', 'two');
      await runtime.advance(1_000);
      expect((await source?.current())?.authorization).to.equal('Bearer two');
    });

    it('prefers the token file to the token, as kubectl does', async () => {
      await scratch.write('token', 'file');
      const source = await credentialsOf('token: constant, tokenFile: token', situation);
      expect((await source?.current())?.authorization).to.equal('Bearer file');
    });

    it('uses the token until the token file can be read, with a warning', async () => {
      const source = await credentialsOf('token: constant, tokenFile: token', situation);
      expect((await source?.current())?.authorization).to.equal('Bearer constant');
      expect(logger.warnings).to.have.length(1);
      expect(logger.warnings[0])
        .to.contain('the token beside it is used until it can')
        .and.to.contain('there is no such file; correct the path')
        .and.not.to.contain('constant');
      await scratch.write('token', 'file');
      await runtime.advance(1_000);
      expect((await source?.current())?.authorization).to.equal('Bearer file');
    });

    it('has another token after a 401 when the token file has appeared', async () => {
      const source = await credentialsOf('token: constant, tokenFile: token', situation);
      const rejected = await source?.current();
      if (rejected === undefined) throw new Error('no credential');
      expect(await source?.refresh?.(rejected)).to.equal(undefined);
      await scratch.write('token', 'file');
      expect((await source?.refresh?.(rejected))?.authorization).to.equal('Bearer file');
    });

    it('follows certificate and key that are replaced', async () => {
      const authority = new TestAuthority();
      const [one, two] = [authority.client({ user: 'one' }), authority.client({ user: 'two' })];
      await scratch.write('me.crt', one.certificate);
      await scratch.write('me.key', one.privateKey);
      const fields = 'client-certificate: me.crt, client-key: me.key';
      const source = await credentialsOf(fields, situation);
      expect((await source?.current())?.cert).to.equal(one.certificate);
      expect(source?.source).to.equal(
        `the client certificate of user dev in ${scratch.path}/me.crt`,
      );
      await scratch.replace('me.crt', two.certificate);
      await scratch.replace('me.key', two.privateKey);
      await runtime.advance(1_000);
      expect((await source?.current())?.cert).to.equal(two.certificate);
    });

    it('takes a certificate as data with a key in a file', async () => {
      await scratch.write('me.key', CLIENT_KEY);
      const source = await credentialsOf(`${CERT}, client-key: me.key`, situation);
      const credential = await source?.current();
      expect([credential?.cert, credential?.key]).to.deep.equal([CLIENT_CERTIFICATE, CLIENT_KEY]);
    });

    it('takes the data and not the files, with a warning for each', async () => {
      const fields = `${CERT}, ${KEY}, client-certificate: no.crt, client-key: no.key`;
      const source = await credentialsOf(fields, situation);
      expect((await source?.current())?.cert).to.equal(CLIENT_CERTIFICATE);
      expect(logger.warnings).to.have.length(2);
    });

    it('refuses a token file that is empty', async () => {
      await scratch.write('token', '\n');
      const error = await failureOf(credentialsOf('tokenFile: token', situation));
      expect(error.message).to.equal(
        `${scratch.path}/config:3: users[0].user.tokenFile: ${scratch.path}/token: the file is empty; write the token into it`,
      );
    });

    it('refuses a missing key beside a certificate', async () => {
      await scratch.write('me.crt', CLIENT_CERTIFICATE);
      const fields = 'client-certificate: me.crt, client-key: nowhere.key';
      const error = await failureOf(credentialsOf(fields, situation));
      expect(error.message).to.equal(
        `${scratch.path}/config:3: users[0].user.client-certificate: ${scratch.path}/nowhere.key: there is no such file; correct the path`,
      );
    });
  });

  const USER = `${FILE}:3: users[0].user`;
  const lapsed = new TestAuthority().client({ user: 'dev', ...expired() });
  const cases: [title: string, fields: string, expected: string][] = [
    [
      'a number for a token',
      'token: 12345678',
      `${USER}.token: expected a text, found a number; put it in quotes`,
    ],
    [
      'a token with a space',
      'token: "a b"',
      `${USER}.token: it has spaces or characters that cannot stand in a header; paste it again`,
    ],
    ['a token with a line break within', 'token: "a\\nb"', `${USER}.token: it has spaces or`],
    [
      'a missing token file',
      'tokenFile: /no/such',
      `${USER}.tokenFile: /no/such: there is no such file; correct the path`,
    ],
    [
      'a token with a password',
      'token: t, username: me, password: p',
      `${USER}.username: it excludes a token; remove one of them`,
    ],
    [
      'a token file with a password',
      'tokenFile: /t, username: me',
      `${USER}.username: it excludes a token; remove one of them`,
    ],
    ['a password alone', 'password: p', `${USER}.password: it needs a username beside it`],
    ['a username with a colon', 'username: "a:b"', `${USER}.username: `],
    [
      'a certificate alone',
      CERT,
      `${USER}.client-key: it is missing, and client-certificate needs it`,
    ],
    ['a key alone', KEY, `${USER}.client-certificate: it is missing, and client-key needs it`],
    [
      'a key of another certificate',
      `${CERT}, client-key-data: ${base64(SERVER_KEY)}`,
      `${USER}.client-certificate-data, ${USER}.client-key-data: the certificate and the key do not belong together`,
    ],
    [
      'an expired certificate',
      `client-certificate-data: ${base64(lapsed.certificate)}, client-key-data: ${base64(lapsed.privateKey)}`,
      `${USER}.client-certificate-data: the client certificate expired on `,
    ],
    [
      'a certificate that is no PEM',
      `client-certificate-data: ${base64('hello')}, ${KEY}`,
      `${USER}.client-certificate-data: it is not a PEM certificate`,
    ],
    [
      'a key that is no base64',
      `${CERT}, client-key-data: "***"`,
      `${USER}.client-key-data: it is not base64; encode the PEM text with "base64 -w0"`,
    ],
    [
      'a missing certificate file',
      'client-certificate: a.crt, client-key: a.key',
      `${USER}.client-certificate: /home/me/.kube/a.`,
    ],
    [
      'a plug-in beside an identity provider',
      `${EXEC}, ${GCP}`,
      `${USER}.exec: it excludes auth-provider; remove one of them`,
    ],
    [
      'a plug-in without a command',
      'exec: { apiVersion: x }',
      `${USER}.exec.command: it is missing`,
    ],
    [
      'a plug-in without a version',
      'exec: { command: a }',
      `${USER}.exec.apiVersion: it is missing`,
    ],
    [
      'arguments of a plug-in that are no list',
      `exec: { command: a, apiVersion: client.authentication.k8s.io/v1beta1, args: x }`,
      `${USER}.exec.args: expected a list, found a text`,
    ],
    [
      'a variable of a plug-in without a name',
      `exec: { command: a, apiVersion: client.authentication.k8s.io/v1beta1, env: [{ value: x }] }`,
      `${USER}.exec.env[0].name: it is missing`,
    ],
    [
      'a list for a plug-in',
      'exec: []',
      `${USER}.exec: expected a mapping of fields, found a list`,
    ],
  ];
  for (const [title, fields, expected] of cases) {
    it(`refuses ${title}`, async () => {
      const error = await failureOf(credentialsOf(fields));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message.startsWith(expected), error.message).to.equal(true);
    });
  }

  const providers: [name: string, remedy: string][] = [
    [
      'gcp',
      'install gke-gcloud-auth-plugin and run "gcloud container clusters get-credentials" again',
    ],
    ['azure', 'install kubelogin and run "kubelogin convert-kubeconfig"'],
    ['toString', 'use an exec plug-in'],
  ];
  for (const [name, remedy] of providers) {
    it(`refuses the identity provider ${name}, and names what replaces it`, async () => {
      const error = await failureOf(credentialsOf(`auth-provider: { name: ${name} }`));
      expect(error.code).to.equal('CONFIG_UNSUPPORTED');
      expect(error.message).to.equal(
        `${USER}.auth-provider.name: the auth-provider ${name} is not supported; ${remedy}`,
      );
    });
  }

  it('refuses a plug-in that may not run', async () => {
    const error = await failureOf(credentialsOf(EXEC, { allowExec: false }));
    expect(error.code).to.equal('CREDENTIAL_PLUGIN_REFUSED');
    expect(error.message).to.contain(`the exec plug-in aws of user dev in ${FILE}:3 may not run`);
    expect(await credentialsOf(EXEC, { allowExec: ['aws'] })).not.to.equal(undefined);
  });
});

describe('basicCredentials', () => {
  const source = 'the password of dev';
  const pairOf = (username: string, password: string): string => {
    const credential = basicCredentials({ username, password, source }).current();
    if (!(credential instanceof Credential)) throw new Error('expected no promise');
    const { authorization = '' } = credential;
    return Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('utf8');
  };

  it('sends user and password as UTF-8', () => {
    expect(pairOf('Aladdin', 'open sesame')).to.equal('Aladdin:open sesame');
    expect(pairOf('test', '123\u00a3')).to.equal('test:123\u00a3');
    expect(
      basicCredentials({ username: 'test', password: '123\u00a3', source }).current(),
    ).to.include({ authorization: 'Basic dGVzdDoxMjPCow==', source });
  });

  it('takes colons in a password, and an empty password', () => {
    expect(pairOf('dev', 'a:b:c')).to.equal('dev:a:b:c');
    expect(pairOf('dev', '')).to.equal('dev:');
  });

  it('refuses a user with a colon, because the server would split it elsewhere', () => {
    const error = thrownBy(() => pairOf('a:b', 'canary'));
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.equal(
      'the password of dev: the user name has a colon; it cannot have one',
    );
  });

  it('refuses an empty user and control characters, without showing the password', () => {
    expect(thrownBy(() => pairOf('', 'x')).message).to.contain('the user name is empty');
    expect(thrownBy(() => pairOf('a\nb', 'x')).message).to.contain('control characters');
    const { message } = thrownBy(() => pairOf('dev', 'canary\n'));
    expect(message).to.contain('line break').and.not.to.contain('canary');
  });
});
