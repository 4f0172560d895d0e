import { inspect } from 'node:util';
import { expect } from 'chai';
import { AUTHORITY, CLIENT_CERTIFICATE, CLIENT_KEY } from '../../support/certificates.ts';
import { authorizationOf } from '../../support/authorization-of.ts';
import { failureOf } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { base64, connectionOf, FILE, kubeconfigText, parsed } from '../support/kubeconfig-text.ts';
import { impersonationOf } from '../../../../lib/client/config/context/kubeconfig-connection.ts';
import type { Impersonation } from '../../../../lib/client/transport/contract/impersonation.ts';

const CERTIFICATE = `client-certificate-data: ${base64(CLIENT_CERTIFICATE)}
    client-key-data: ${base64(CLIENT_KEY)}`;

describe('kubeconfigConnection', () => {
  it('leads from the current context to address, namespace and token', async () => {
    const config = await connectionOf(kubeconfigText());
    expect(config.server).to.equal('https://10.0.0.1:6443');
    expect(config.namespace).to.equal('shop');
    expect(await authorizationOf(config)).to.equal('Bearer t');
    expect(config.credentials?.source).to.equal(`the token of user me in ${FILE}:17`);
    expect(config.source).to.equal(`context kind in ${FILE}`);
  });

  it('reads files relative to its own', async () => {
    await using scratch = await ScratchDirectory.make();
    await scratch.write('pki/ca.crt', AUTHORITY);
    await scratch.write('pki/me.crt', CLIENT_CERTIFICATE);
    await scratch.write('pki/me.key', CLIENT_KEY);
    await scratch.write('token', 'from-file\n');
    const text = kubeconfigText({
      cluster: 'certificate-authority: pki/ca.crt',
      user: `tokenFile: token
    client-certificate: pki/me.crt
    client-key: ./pki/me.key`,
    });
    const config = await connectionOf(text, {}, `${scratch.path}/config`);
    const { ca } = config.tls;
    expect(typeof ca === 'function' && (await ca())).to.equal(AUTHORITY);
    const credential = await config.credentials?.current();
    expect(credential?.authorization).to.equal('Bearer from-file');
    expect(credential?.cert).to.equal(CLIENT_CERTIFICATE);
    expect(credential?.key).to.equal(CLIENT_KEY);
    expect(credential?.source).to.equal(
      `the token of user me in ${scratch.path}/token and the client certificate of user me in ${scratch.path}/pki/me.crt`,
    );
  });

  it('needs no user', async () => {
    const text = kubeconfigText().replaceAll('user: me,', '');
    expect((await connectionOf(text)).credentials).to.equal(undefined);
  });

  it('has no credentials for a user without any', async () => {
    const config = await connectionOf(kubeconfigText({ user: 'extensions: []' }));
    expect(config.credentials).to.equal(undefined);
    expect(config.impersonate).to.equal(undefined);
  });

  it('does not read the credentials of the user if the program has some', async () => {
    const text = kubeconfigText({ user: '{ exec: { command: aws }, as: bob }' });
    const config = await connectionOf(text, { hasCredentials: true });
    expect(config.credentials).to.equal(undefined);
    expect(config.impersonate?.user, 'the identity stays').to.equal('bob');
  });

  it('has the namespace default if the context names none', async () => {
    const text = kubeconfigText().replace(', namespace: shop', '');
    expect((await connectionOf(text)).namespace).to.equal('default');
  });

  it('prints neither token, key nor password', async () => {
    const users = [
      `{ token: canary, client-certificate-data: ${base64(CLIENT_CERTIFICATE)}, client-key-data: ${base64(CLIENT_KEY)} }`,
      '{ username: me, password: canary }',
    ];
    for (const user of users) {
      const cluster = 'proxy-url: "http://user:canary@proxy.example:3128"';
      const logger = new RecordedLog();
      const config = await connectionOf(kubeconfigText({ cluster, user }), { logger });
      await config.credentials?.current();
      const printed =
        inspect(config, { depth: 9, showHidden: true }) +
        JSON.stringify(config) +
        JSON.stringify(logger.lines);
      expect(printed).to.contain('https://10.0.0.1:6443');
      expect(printed).not.to.contain('canary').and.not.to.contain('PRIVATE KEY');
    }
  });

  it('never shows values in errors', async () => {
    const users = [
      'token: [canary]',
      'token: "canary canary"',
      '{ username: me, password: "canary\\n" }',
      `{ client-certificate-data: ${base64('canary')}, client-key-data: ${base64('canary')} }`,
      '{ client-certificate-data: "canary!", client-key-data: "canary!" }',
      'token: { canary: canary }',
    ];
    for (const user of users) {
      const error = await failureOf(connectionOf(kubeconfigText({ user })));
      expect(inspect(error, { depth: 9 })).not.to.contain('canary');
      expect(error.message).not.to.contain('\n').and.not.to.contain(base64('canary'));
    }
  });

  it('reads certificates from a file with a certificate of its own', async () => {
    const config = await connectionOf(kubeconfigText({ user: CERTIFICATE }));
    const credential = await config.credentials?.current();
    expect([credential?.cert, credential?.authorization]).to.deep.equal([
      CLIENT_CERTIFICATE,
      undefined,
    ]);
  });
});

async function of(fields: string): Promise<Impersonation | undefined> {
  const entry = (await parsed(`users: [{ name: me, user: { ${fields} } }]`)).users.get('me');
  return entry === undefined ? undefined : impersonationOf(entry.field('user'));
}

describe('impersonationOf', () => {
  it('reads user, uid, groups and extra fields', async () => {
    const fields =
      'as: bob, as-uid: u-1, as-groups: [dev, ops], as-user-extra: { reason: [a, b], __proto__: [c] }';
    const found = await of(fields);
    expect(found?.user).to.equal('bob');
    expect(found?.uid).to.equal('u-1');
    expect(found?.groups).to.deep.equal(['dev', 'ops']);
    expect(Object.entries(found?.extra ?? {})).to.deep.equal([
      ['reason', ['a', 'b']],
      ['__proto__', ['c']],
    ]);
  });

  it('leaves out what is not there', async () => {
    const nothing = { uid: undefined, groups: undefined, extra: undefined };
    expect(await of('as: bob')).to.deep.equal({ user: 'bob', ...nothing });
    expect(await of('token: t')).to.equal(undefined);
    expect(await of('as: "", as-groups: [], as-user-extra: {}')).to.equal(undefined);
  });

  const USER = `${FILE}:1: users[0].user`;
  const cases: [fields: string, expected: string][] = [
    ['as-uid: u', `${USER}.as-uid: it needs a user; add "as" beside it`],
    ['as-groups: [g]', `${USER}.as-groups: it needs a user; add "as" beside it`],
    ['as-user-extra: { a: [b] }', `${USER}.as-user-extra: it needs a user; add "as" beside it`],
    ['as: 7', `${USER}.as: expected a text, found a number; put it in quotes`],
    ['as: bob, as-groups: g', `${USER}.as-groups: expected a list, found a text`],
    ['as: bob, as-groups: [7]', `${USER}.as-groups[0]: expected a text, found a number`],
    ['as: bob, as-user-extra: { a: b }', `${USER}.as-user-extra.a: expected a list, found a text`],
    ['as: bob, as-user-extra: [a]', `${USER}.as-user-extra: expected a mapping of fields`],
  ];
  for (const [fields, expected] of cases) {
    it(`refuses ${fields}`, async () => {
      const error = await failureOf(of(fields));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message.startsWith(expected), error.message).to.equal(true);
    });
  }
});
