import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { loadConfig, type LoadConfigOptions } from '../../../../lib/client/config/load-config.ts';
import type { CredentialSource } from '../../../../lib/client/transport/contract/credential.ts';
import { failureOf } from '../../support/failure-of.ts';
import { OidcIssuer } from '../../support/oidc-issuer.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { base64 } from '../support/kubeconfig-text.ts';

type Fields = Readonly<Record<string, string | undefined>>;

describe('providerCredentials', () => {
  const authority = new TestAuthority();
  let scratch: ScratchDirectory;
  let issuer: OidcIssuer;
  let logger: RecordedLog;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    const { certificate: cert, privateKey: key } = authority.server();
    issuer = await OidcIssuer.start({ tls: { cert, key } });
    logger = new RecordedLog();
  });
  afterEach(async () => {
    await issuer[Symbol.asyncDispose]();
    await scratch[Symbol.asyncDispose]();
  });

  const kubeconfig = (fields: Fields = {}): object => {
    const config = {
      'idp-issuer-url': issuer.url,
      'client-id': issuer.clientId,
      'client-secret': issuer.clientSecret,
      'refresh-token': issuer.newRefreshToken(),
      'idp-certificate-authority-data': base64(authority.certificate),
      'extra-scopes': 'groups',
      ...fields,
    };
    return {
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'dev' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://a.example' } }],
      users: [{ name: 'dev', user: { 'auth-provider': { name: 'oidc', config } } }],
    };
  };
  const write = (fields: Fields = {}): Promise<string> =>
    scratch.write('config', JSON.stringify(kubeconfig(fields), undefined, 2));
  const credentials = async (options: LoadConfigOptions): Promise<CredentialSource> => {
    const config = await loadConfig({ env: {}, logger, ...options });
    if (config.credentials === undefined) throw new Error('no credentials');
    return config.credentials;
  };
  const tokenOf = async (source: CredentialSource): Promise<string> =>
    ((await source.current()).authorization ?? '').replace('Bearer ', '');

  it('refreshes the login of a kubeconfig, with the authority in its data', async () => {
    const path = await write();
    const source = await credentials({ kubeconfig: path });
    expect(issuer.connections, 'nothing is asked before the first request').to.equal(0);
    expect(issuer.accepts(await tokenOf(source))).to.equal(true);
    expect(source.source).to.match(new RegExp(`^the OIDC login of user dev in ${path}:\\d+$`));
  });

  it('reads the authority from a file beside the kubeconfig', async () => {
    await scratch.write('pki/idp.crt', authority.certificate);
    const path = await write({
      'idp-certificate-authority-data': undefined,
      'idp-certificate-authority': 'pki/idp.crt',
    });
    expect(issuer.accepts(await tokenOf(await credentials({ kubeconfig: path })))).to.equal(true);
  });

  it('takes the kubeconfig as an object too', async () => {
    const source = await credentials({ kubeconfig: kubeconfig() });
    expect(issuer.accepts(await tokenOf(source))).to.equal(true);
  });

  it('uses the ID token of the kubeconfig while it is valid', async () => {
    const idToken = issuer.newIdToken();
    const path = await write({ 'id-token': idToken, 'refresh-token': undefined });
    expect(await tokenOf(await credentials({ kubeconfig: path }))).to.equal(idToken);
    expect(issuer.connections).to.equal(0);
  });

  it('leaves the file unchanged, unless configured to write the tokens back', async () => {
    issuer.rotatesRefreshTokens = true;
    const path = await write();
    const before = await readFile(path, 'utf8');
    await tokenOf(await credentials({ kubeconfig: path }));
    expect(await readFile(path, 'utf8')).to.equal(before);

    await write();
    const idToken = await tokenOf(await credentials({ kubeconfig: path, persistTokens: true }));
    expect(await readFile(path, 'utf8')).to.contain(idToken);
    const again = await credentials({ kubeconfig: path });
    expect(await tokenOf(again), 'another program finds a valid login').to.equal(idToken);
    expect(logger.warnings).to.deep.equal([]);
  });

  it('goes on in memory while another program holds the lock of the file', async () => {
    const path = await write();
    const before = await readFile(path, 'utf8');
    await scratch.write('config.lock', '');
    const source = await credentials({ kubeconfig: path, persistTokens: true });
    expect(issuer.accepts(await tokenOf(source))).to.equal(true);
    expect(logger.warnings[0]).to.contain(`${path}.lock: the lock is held`);
    expect(await readFile(path, 'utf8')).to.equal(before);
  });

  it('asks the proxy of the environment for the way to the issuer', async () => {
    const path = await write({ 'idp-issuer-url': 'https://idp.example' });
    const env = { HTTPS_PROXY: 'http://127.0.0.1:1' };
    const source = await credentials({ kubeconfig: path, env });
    const error = await failureOf(tokenOf(source));
    expect(error.code).to.equal('OIDC');
    expect(error.message).to.contain('127.0.0.1:1');
  });

  it('names the field that is missing or wrong', async () => {
    const message = async (fields: Fields): Promise<string> => {
      const path = await write(fields);
      const error = await failureOf(credentials({ kubeconfig: path }));
      expect(error.code).to.equal('CONFIG_INVALID');
      return error.message.replaceAll(scratch.path, '');
    };
    const field = (name: string): RegExp =>
      new RegExp(`^/config:\\d+: users\\[0\\]\\.user\\.auth-provider\\.config\\.${name}: `);
    expect(await message({ 'idp-issuer-url': undefined })).to.match(field('idp-issuer-url'));
    expect(await message({ 'client-id': undefined })).to.match(field('client-id'));
    const data = 'idp-certificate-authority-data';
    expect(await message({ [data]: 'canary!' }))
      .to.match(field(data))
      .and.contain('not base64');
    expect(await message({ [data]: base64('canary') })).to.match(field(data));
    const file = { [data]: undefined, 'idp-certificate-authority': 'none.crt' };
    expect(await message(file)).to.match(field('idp-certificate-authority'));
    expect(await message({ 'idp-issuer-url': 'http://idp.example' })).to.contain('is not https');
  });

  it('writes no tokens back into a kubeconfig that was passed as data', async () => {
    const options = { kubeconfig: kubeconfig(), persistTokens: true };
    const error = await failureOf(credentials(options));
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.contain('"persistTokens"');
  });

  it('prints no secret', async () => {
    const path = await write({ 'client-secret': 'canary', 'id-token': 'canary' });
    const config = await loadConfig({ env: {}, logger, kubeconfig: path });
    const error = await failureOf((async () => await config.credentials?.current())());
    const printed =
      inspect(config, { depth: 9, showHidden: true }) +
      inspect(config.credentials, { depth: 9, showHidden: true }) +
      inspect(error, { depth: 9 }) +
      JSON.stringify([config, config.credentials, logger.lines]);
    expect(printed).to.contain('the issuer refused the client');
    expect(printed).not.to.contain('canary').and.not.to.contain('refresh-');
  });
});
