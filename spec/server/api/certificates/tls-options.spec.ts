import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../../lib/kernel/certificates/certificate-authority.ts';
import type { ServerTlsOptions } from '../../../../lib/server/api/certificates/server-certificates.ts';

const nowMs = Date.now();
const DAY_MS = 86_400_000;
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

interface Answer {
  readonly status: number | undefined;
  /** The SHA-256 of the certificate that the server presented. */
  readonly presented: string;
  readonly text: string;
}

/** POSTs a review of its own user with these credentials. */
function ask(
  server: ApiServer,
  { ca, client, token }: { ca: string; client?: Certificate; token?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const body = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
    const sent = request(
      {
        method: 'POST',
        path: REVIEWS,
        hostname,
        port,
        ca,
        agent: false,
        cert: client?.certificate,
        key: client?.privateKey,
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        const presented = (response.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256;
        let text = '';
        response.on('data', (piece: Buffer) => {
          text += piece.toString();
        });
        response.on('end', () => {
          resolve({ status: response.statusCode, presented: presented ?? '', text });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function userIn({ text }: Answer): unknown {
  const { status } = JSON.parse(text) as {
    status: { userInfo: { username: string; groups: string[] } };
  };
  const { username, groups } = status.userInfo;
  return { username, groups };
}

const authority = (name: string): CertificateAuthority => new CertificateAuthority({ name, nowMs });

describe('the certificates of an ApiServer', () => {
  it('present a given certificate, which its own chain explains', async () => {
    const company = authority('company');
    const leaf = company.issue({ usage: 'server', name: 'api', hosts: ['127.0.0.1'], nowMs });
    const certificate = { ...leaf, certificate: leaf.certificate + company.certificate };
    await using server = new ApiServer({ tls: { certificate } });
    await server.listen();
    const { status, presented } = await ask(server, {
      ca: company.certificate,
      token: server.token,
    });
    expect(status).to.equal(201);
    expect(presented).to.equal(new X509Certificate(leaf.certificate).fingerprint256);
    expect(server.certificateAuthority).to.equal(company.certificate);
  });

  it('have no authority of their own if clients know that of a given certificate', async () => {
    const leaf = authority('public').issue({ usage: 'server', name: 'api', nowMs });
    await using server = new ApiServer({ tls: { certificate: leaf } });
    expect(server.certificateAuthority).to.equal('');
  });

  it('take the user and the groups from a client certificate', async () => {
    const company = authority('company');
    await using server = new ApiServer({ tls: { clientAuthorities: company.certificate } });
    await server.listen();
    const ca = server.certificateAuthority;
    const organizations = ['devs', 'ops'];
    const foreign = company.issue({ usage: 'client', name: 'jane', organizations, nowMs });
    const own = server.issueClientCertificate({ user: 'root', groups: ['system:masters'] });
    const answers = [
      await ask(server, { ca, client: foreign }),
      await ask(server, { ca, client: own }),
    ];
    expect(answers.map(userIn)).to.deep.equal([
      { username: 'jane', groups: ['devs', 'ops', 'system:authenticated'] },
      { username: 'root', groups: ['system:masters', 'system:authenticated'] },
    ]);
  });

  it('refuse client certificates that are not valid, and those of others', async () => {
    const company = authority('company');
    await using server = new ApiServer({ tls: { clientAuthorities: company.certificate } });
    await server.listen();
    const ca = server.certificateAuthority;
    const issue = (
      signer: CertificateAuthority,
      more: {
        usage?: 'server' | 'client';
        name?: string;
        notAfterMs?: number;
        notBeforeMs?: number;
      },
    ): Certificate => signer.issue({ usage: 'client', name: 'jane', nowMs, ...more });
    const refused = [
      issue(authority('company'), {}),
      issue(company, { usage: 'server' }),
      issue(company, { name: '' }),
      issue(company, { notBeforeMs: nowMs - 2 * DAY_MS, notAfterMs: nowMs - DAY_MS }),
    ];
    for (const client of refused) {
      expect((await ask(server, { ca, client })).status).to.equal(401);
    }
    const [client] = refused;
    const withToken = await ask(server, { ca, client: client!, token: server.token });
    expect(withToken.status).to.equal(201);
    expect((await ask(server, { ca })).status).to.equal(403);
  });

  it('keep their authority over a restart', async () => {
    await using first = new ApiServer();
    const stored = first.storedAuthority();
    const client = first.issueClientCertificate({ user: 'jane' });
    await using second = new ApiServer({
      tls: { authority: stored, clientAuthorities: stored.certificate },
    });
    await second.listen();
    expect(second.certificateAuthority).to.equal(first.certificateAuthority);
    const { status } = await ask(second, { ca: first.certificateAuthority, client });
    expect(status).to.equal(201);
  });

  const company = authority('company');
  const leaf = company.issue({ usage: 'server', name: 'api', nowMs });
  const expired = new CertificateAuthority({ name: 'listwatch CA', nowMs, notAfterMs: nowMs - 1 });
  const refusals: readonly (readonly [string, ServerTlsOptions, string])[] = [
    [
      'the key of another certificate',
      { certificate: { ...leaf, privateKey: company.stored().privateKey } },
      'the private key belongs to another certificate',
    ],
    [
      'a key that is no key',
      { certificate: { ...leaf, privateKey: 'a secret' } },
      'must be PEM without a passphrase',
    ],
    ['a text without a certificate', { clientAuthorities: 'hello' }, 'no certificate in PEM'],
    [
      'an unreadable certificate',
      {
        clientAuthorities: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      },
      'clientAuthorities',
    ],
    ['an authority of another program', { authority: company.stored() }, 'not the authority'],
    ['an expired authority', { authority: expired.stored() }, 'it has expired on'],
  ];
  for (const [name, tls, message] of refusals) {
    it(`are refused: ${name}`, () => {
      expect(() => new ApiServer({ tls }))
        .to.throw(message)
        .with.property('code', 'INVALID_OPTION');
    });
  }

  it('say no secret when they are refused', () => {
    const tls = { certificate: { ...leaf, privateKey: 'a secret' } };
    expect(() => new ApiServer({ tls }))
      .to.throw()
      .with.property('message')
      .not.contain('a secret');
  });
});
