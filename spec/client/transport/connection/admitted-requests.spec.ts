import { expect } from 'chai';
import { AxiosTransport } from '../../../../lib/client/transport/axios-transport.ts';
import { ListwatchError } from '../../../../lib/kernel/failure/errors.ts';
import type { TransportRequest } from '../../../../lib/client/transport/contract/transport.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from '../../support/certificates.ts';
import { failureOf } from '../../support/failure-of.ts';
import { json, RawServer } from '../../support/raw-server.ts';

const REFUSAL = new ListwatchError('LEADERSHIP_LOST', 'the lease has ended');

const WAYS = [
  { name: 'HTTP/1.1', secure: false, http2: false },
  { name: 'HTTP/1.1 over TLS', secure: true, http2: false },
  { name: 'HTTP/2', secure: true, http2: true },
] as const;

for (const { name, secure, http2 } of WAYS) {
  describe(`The check before bytes leave, ${name}`, () => {
    let server: RawServer;
    let transport: AxiosTransport;
    let seen: string[];

    beforeEach(async () => {
      seen = [];
      const tls = secure ? { cert: SERVER_CERTIFICATE, key: SERVER_KEY } : undefined;
      server = await RawServer.start(
        (request, response) => {
          seen.push(`${request.method} ${request.url}`);
          json(response, {});
        },
        tls,
        http2,
      );
      const options = secure ? { tls: { ca: AUTHORITY, serverName: 'api.test' } } : {};
      transport = new AxiosTransport({ server: server.url, http2, ...options });
    });

    afterEach(async () => {
      await transport.close();
      await server[Symbol.asyncDispose]();
    });

    const write = (path: string, admit: () => void): TransportRequest => ({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"a":1}'),
      admit,
    });

    async function send(path: string, admit: () => void): Promise<void> {
      const { body } = await transport.send(write(path, admit));
      for await (const piece of body) void piece;
    }

    it('is asked once for each request, on a new connection and on a kept one', async () => {
      let asked = 0;
      const admit = (): void => {
        asked += 1;
      };
      await send('/one', admit);
      await send('/two', admit);
      expect([asked, seen]).to.deep.equal([2, ['POST /one', 'POST /two']]);
      expect(transport.connectionsOpened).to.equal(1);
    });

    it('refuses on a new connection: no byte is sent', async () => {
      const failure = await failureOf(
        send('/one', () => {
          throw REFUSAL;
        }),
      );
      expect(failure).to.equal(REFUSAL);
      // The next request shows that the server would have seen the first one by now.
      await send('/two', () => {});
      expect(seen).to.deep.equal(['POST /two']);
    });

    it('refuses on a kept connection: no byte is sent', async () => {
      await send('/one', () => {});
      const failure = await failureOf(
        send('/two', () => {
          throw REFUSAL;
        }),
      );
      expect(failure).to.equal(REFUSAL);
      await send('/three', () => {});
      expect(seen).to.deep.equal(['POST /one', 'POST /three']);
    });
  });
}
