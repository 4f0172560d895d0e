import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import type { TlsOptions } from '../../../lib/client/transport/contract/tls-options.ts';
import {
  AUTHORITY,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from '../support/certificates.ts';
import { failureOf } from '../support/failure-of.ts';
import { json, RawServer } from '../support/raw-server.ts';
import { TestAuthority } from '../support/test-authority.ts';

const FOREIGN = new TestAuthority().certificate;

for (const http2 of [false, true]) {
  describe(`AxiosTransport over TLS and HTTP/${http2 ? '2' : '1.1'}`, () => {
    const answering = (): Promise<RawServer> =>
      RawServer.start(
        (request, response) => {
          const { subject } = (request.socket as TLSSocket).getPeerCertificate();
          json(response, { client: subject?.CN ?? 'no certificate' });
        },
        {
          cert: SERVER_CERTIFICATE,
          key: SERVER_KEY,
          ca: AUTHORITY,
          requestCert: true,
          rejectUnauthorized: false,
        },
        http2,
      );
    const send = async (server: string, tls: TlsOptions): Promise<string> => {
      const transport = new AxiosTransport({ server, tls, http2 });
      try {
        const { body } = await transport.send({ method: 'GET', path: '/' });
        let text = '';
        for await (const piece of body) text += Buffer.from(piece).toString();
        return text;
      } finally {
        await transport.close();
      }
    };

    it('trusts the given authority for the given server name', async () => {
      await using server = await answering();
      const text = await send(server.url, { ca: AUTHORITY, serverName: 'api.test' });
      expect(text).to.equal('{"client":"no certificate"}');
    });

    it('trusts a certificate that is given itself, without its authority, as client-go does', async () => {
      await using server = await answering();
      const text = await send(server.url, { ca: SERVER_CERTIFICATE, serverName: 'api.test' });
      expect(text).to.equal('{"client":"no certificate"}');
    });

    it('shows the client certificate, given as text or as bytes', async () => {
      await using server = await answering();
      const tls = { ca: AUTHORITY, serverName: 'api.test', cert: CLIENT_CERTIFICATE };
      expect(await send(server.url, { ...tls, key: CLIENT_KEY })).to.contain('spec client');
      const key = new Uint8Array(Buffer.from(CLIENT_KEY));
      expect(await send(server.url, { ...tls, key })).to.contain('spec client');
    });

    it('refuses an unknown authority and says what to give', async () => {
      await using server = await answering();
      const error = await failureOf(send(server.url, { serverName: 'api.test' }));
      expect(error.code).to.equal('CERTIFICATE');
      expect(error.message).to.contain('certificate-authority');
    });

    it('asks for the authorities again when the certificate is refused, and sends the request once more', async () => {
      await using server = await answering();
      const asked: boolean[] = [];
      const ca = (again: boolean = false): string => {
        asked.push(again);
        return again ? AUTHORITY : FOREIGN;
      };
      expect(await send(server.url, { ca, serverName: 'api.test' })).to.contain('no certificate');
      expect(asked).to.deep.equal([false, true]);
      expect(server.requests.length).to.equal(1);
    });

    it('asks for the authorities twice and no more for a server that they do not fit', async () => {
      await using server = await answering();
      let asked = 0;
      const ca = (): string => {
        asked += 1;
        return FOREIGN;
      };
      const error = await failureOf(send(server.url, { ca, serverName: 'api.test' }));
      expect(error.code).to.equal('CERTIFICATE');
      expect([asked, server.requests.length]).to.deep.equal([2, 0]);
    });

    it('refuses a certificate for another host and says so', async () => {
      await using server = await answering();
      const error = await failureOf(send(server.url, { ca: AUTHORITY }));
      expect(error.code).to.equal('CERTIFICATE');
      expect(error.message).to.contain('for another host name').and.to.contain('tls-server-name');
    });

    it('takes any certificate only with the option', async () => {
      await using server = await answering();
      expect(await send(server.url, { insecureSkipVerify: true })).to.contain('no certificate');
    });

    it('never prints the key', () => {
      const transport = new AxiosTransport({
        server: 'https://127.0.0.1:1',
        tls: { cert: CLIENT_CERTIFICATE, key: CLIENT_KEY },
      });
      const printed =
        inspect(transport, { depth: 20, showHidden: true }) + JSON.stringify(transport);
      expect(printed).not.to.contain('PRIVATE KEY');
      void transport.close();
    });
  });
}
