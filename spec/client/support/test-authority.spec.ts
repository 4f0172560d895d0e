import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { failureOf } from './failure-of.ts';
import { json, RawServer } from './raw-server.ts';
import {
  encryptedKey,
  expired,
  notYetValid,
  TestAuthority,
  type Validity,
} from './test-authority.ts';

const DAY_MS = 86_400_000;

describe('TestAuthority', () => {
  const authority = new TestAuthority();
  const get = async (server: string, ca: string): Promise<void> => {
    const transport = new AxiosTransport({ server, tls: { ca } });
    try {
      const { body } = await transport.send({ method: 'GET', path: '/' });
      for await (const _piece of body);
    } finally {
      await transport.close();
    }
  };

  it('issues certificates with the given names, users, groups and hosts, which OpenSSL verifies', () => {
    const root = new X509Certificate(authority.certificate);
    const server = authority.server({ hosts: ['api.test', '127.0.0.1', '::1'] });
    const client = authority.client({ user: 'jane', groups: ['system:masters', 'dev'] });
    for (const issued of [server, client]) {
      const leaf = new X509Certificate(issued.certificate);
      expect(leaf.verify(root.publicKey) && leaf.checkIssued(root)).to.equal(true);
      expect(leaf.checkPrivateKey(createPrivateKey(issued.privateKey))).to.equal(true);
      expect(leaf.ca).to.equal(false);
    }
    expect(root.ca).to.equal(true);
    expect(new X509Certificate(server.certificate).checkHost('api.test')).to.equal('api.test');
    expect(new X509Certificate(server.certificate).checkIP('127.0.0.1')).to.equal('127.0.0.1');
    const { subject } = new X509Certificate(client.certificate);
    expect(subject).to.equal('O=system:masters\nO=dev\nCN=jane');
  });

  it('issues certificates that a TLS server and a TLS client accept from their own authority only', async () => {
    const { certificate, privateKey } = authority.server();
    const clientAuthority = new TestAuthority({ name: 'clients' });
    await using server = await RawServer.start(
      (request, response) => {
        const socket = request.socket as TLSSocket;
        json(response, { valid: socket.authorized, user: socket.getPeerCertificate().subject?.CN });
      },
      {
        cert: certificate,
        key: privateKey,
        ca: clientAuthority.certificate,
        requestCert: true,
        rejectUnauthorized: false,
      },
    );
    const ask = async (issuer: TestAuthority, validity: Validity = {}): Promise<string> => {
      const client = issuer.client({ user: 'jane', ...validity });
      const tls = {
        ca: authority.certificate,
        cert: client.certificate,
        key: client.privateKey,
      };
      const transport = new AxiosTransport({ server: server.url, tls });
      try {
        const { body } = await transport.send({ method: 'GET', path: '/' });
        let text = '';
        for await (const piece of body) text += Buffer.from(piece).toString();
        return text;
      } finally {
        await transport.close();
      }
    };
    expect(await ask(clientAuthority)).to.equal('{"valid":true,"user":"jane"}');
    expect(await ask(clientAuthority, expired())).to.contain('"valid":false');
    expect(await ask(clientAuthority, notYetValid())).to.contain('"valid":false');
    expect(await ask(authority)).to.contain('"valid":false');
  });

  it('issues certificates that clients refuse for their time or their authority', async () => {
    const serve = async (validity: Validity): Promise<RawServer> => {
      const { certificate, privateKey } = authority.server(validity);
      return await RawServer.start((_request, response) => json(response, {}), {
        cert: certificate,
        key: privateKey,
      });
    };
    await using valid = await serve({});
    await using old = await serve(expired());
    await using early = await serve(notYetValid());
    await get(valid.url, authority.certificate);
    const rotated = new TestAuthority();
    for (const [url, ca] of [
      [old.url, authority.certificate],
      [early.url, authority.certificate],
      [valid.url, rotated.certificate],
    ] as const) {
      expect((await failureOf(get(url, ca))).code).to.equal('CERTIFICATE');
    }
  });

  it('keeps the validity to the second, also beyond 2049', () => {
    const notBeforeMs = Date.UTC(2049, 11, 31, 23, 59, 58);
    const notAfterMs = Date.UTC(2050, 0, 1) + DAY_MS;
    const { certificate } = authority.client({ user: 'jane', notBeforeMs, notAfterMs });
    const { validFrom, validTo } = new X509Certificate(certificate);
    expect([Date.parse(validFrom), Date.parse(validTo)]).to.deep.equal([notBeforeMs, notAfterMs]);
  });

  it('encrypts a key so that only its passphrase opens it', () => {
    const { certificate, privateKey } = authority.client({ user: 'jane' });
    const key = encryptedKey(privateKey, 'open sesame');
    expect(key).to.contain('ENCRYPTED PRIVATE KEY');
    expect(() => createPrivateKey({ key, passphrase: 'wrong' })).to.throw();
    const opened = createPrivateKey({ key, passphrase: 'open sesame' });
    expect(new X509Certificate(certificate).checkPrivateKey(opened)).to.equal(true);
  });
});
