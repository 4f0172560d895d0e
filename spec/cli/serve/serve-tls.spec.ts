import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { CertificateAuthority } from '../../../lib/kernel/certificates/certificate-authority.ts';
import { ServeFixture } from '../support/serve-fixture.ts';

const nowMs = Date.now();

describe('the certificates of listwatch serve', () => {
  let fixture: ServeFixture;
  let company: CertificateAuthority;
  beforeEach(async () => {
    fixture = await ServeFixture.make();
    company = new CertificateAuthority({ name: 'company', nowMs });
  });
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(fixture.path(name), text);
    return fixture.path(name);
  };

  it('have an authority that --cert-dir keeps, with a key for its owner only', async () => {
    const authorities: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      await using run = fixture.serve(['--cert-dir', fixture.path('certs')]);
      await run.ready();
      authorities.push(await readFile(fixture.path('certs/ca.crt'), 'utf8'));
      await using client = await run.client();
      expect((await client.resource('v1', 'namespaces').list()).items).to.not.deep.equal([]);
    }
    expect(authorities[0]).to.equal(authorities[1]);
    expect((await stat(fixture.path('certs/ca.key'))).mode & 0o777).to.equal(0o600);
  });

  it('outlive a restart with tokens of service accounts, whose key --cert-dir keeps for its owner only', async () => {
    const files = ['--cert-dir', fixture.path('certs'), '--snapshot', fixture.path('state')];
    let token = '';
    {
      await using run = fixture.serve(files);
      await using client = await run.client();
      const accounts = client.resource('v1', 'serviceaccounts', { namespace: 'default' });
      await accounts.create({ metadata: { name: 'robot' } });
      ({ token } = await accounts.createToken('robot'));
    }
    expect((await stat(fixture.path('certs/sa.key'))).mode & 0o777).to.equal(0o600);
    await using run = fixture.serve(files);
    const { address } = await run.readyDocument();
    const ca = await readFile(fixture.path('certs/ca.crt'), 'utf8');
    await using robot = await connect({ server: address, token, tls: { ca } });
    const { status } = await robot
      .resource<UnstructuredObject>('authentication.k8s.io/v1', 'selfsubjectreviews')
      .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
    expect(status).to.have.nested.property(
      'userInfo.username',
      'system:serviceaccount:default:robot',
    );
  });

  it('refuse a key of account tokens that is none, without its text', async () => {
    await mkdir(fixture.path('certs'));
    await file('certs/sa.key', 'a-secret-text');
    await using run = fixture.serve(['--cert-dir', fixture.path('certs')]);
    expect(await run.ended()).to.equal(2);
    const { text } = run.host.stderr;
    expect(text).to.include('certs/sa.key is no private key of the curve P-256, PEM; restore it');
    expect(text).to.not.include('a-secret-text');
  });

  it('may be given, and clients may have certificates', async () => {
    const leaf = company.issue({ usage: 'server', name: 'api', hosts: ['127.0.0.1'], nowMs });
    await using run = fixture.serve([
      '--tls-cert-file',
      await file('api.crt', leaf.certificate + company.certificate),
      '--tls-private-key-file',
      await file('api.key', leaf.privateKey),
      '--client-ca-file',
      await file('clients.crt', company.certificate),
      '--authorization',
      'always-allow',
    ]);
    await using client = await run.client();
    expect((await client.resource('v1', 'namespaces').list()).items).to.not.deep.equal([]);
    const jane = company.issue({ usage: 'client', name: 'jane', nowMs });
    const { address } = await run.readyDocument();
    await using other = await connect({
      server: address,
      tls: { ca: company.certificate, cert: jane.certificate, key: jane.privateKey },
    });
    expect((await other.resource('v1', 'namespaces').list()).items).to.not.deep.equal([]);
  });

  it('are in the kubeconfig in place of the token with --client-certificate', async () => {
    await using run = fixture.serve(['--client-certificate']);
    const text = await readFile((await run.readyDocument()).kubeconfig, 'utf8');
    expect(text).to.include('client-key-data').and.not.include('token');
    await using client = await run.client();
    expect((await client.resource('v1', 'namespaces').list()).items).to.not.deep.equal([]);
  });

  it('need the roles of their users, unless authorization is off', async () => {
    await using run = fixture.serve(['--client-ca-file', await file('c.crt', company.certificate)]);
    const jane = company.issue({ usage: 'client', name: 'jane', nowMs });
    const { address, kubeconfig } = await run.readyDocument();
    const authority = /certificate-authority-data: (\S+)/.exec(await readFile(kubeconfig, 'utf8'));
    const ca = Buffer.from(authority?.[1] ?? '', 'base64').toString();
    const tls = { ca, cert: jane.certificate, key: jane.privateKey };
    await using client = await connect({ server: address, tls });
    const error: unknown = await client
      .resource('v1', 'namespaces')
      .list()
      .catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'FORBIDDEN' });
    expect((error as Error).message).to.include('user "jane" may not list namespaces');
  });

  const refused: readonly (readonly [string, () => Promise<string[]>, string])[] = [
    [
      'a certificate without its key',
      () => Promise.resolve(['--tls-cert-file', 'a']),
      '--tls-cert-file needs --tls-private-key-file; give both',
    ],
    [
      'a file that is not there',
      () => Promise.resolve(['--client-ca-file', fixture.path('none')]),
      '--client-ca-file',
    ],
    [
      'a key of another certificate',
      async () => [
        '--tls-cert-file',
        await file('a', company.certificate),
        '--tls-private-key-file',
        await file('b', company.issue({ usage: 'server', name: 'x', nowMs }).privateKey),
      ],
      'the private key belongs to another certificate',
    ],
    [
      'half of an authority',
      async () => {
        await file('ca.key', company.stored().privateKey);
        return ['--cert-dir', fixture.path('.')];
      },
      'has ca.key but not ca.crt',
    ],
    [
      'the authority of another program',
      async () => {
        await file('ca.key', company.stored().privateKey);
        await file('ca.crt', company.certificate);
        return ['--cert-dir', fixture.path('.')];
      },
      'it is not the authority "listwatch CA"',
    ],
  ];
  for (const [name, parameters, message] of refused) {
    it(`refuse ${name}`, async () => {
      await using run = fixture.serve(await parameters());
      expect(await run.ended()).to.equal(2);
      expect(run.host.stderr.text).to.include(message).and.not.include('PRIVATE KEY');
    });
  }
});
