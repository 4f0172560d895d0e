import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
} from '../../../lib/client/transport/axios-transport.ts';
import { readBody } from '../../../lib/client/transport/body/read-body.ts';
import type { TransportRequest } from '../../../lib/client/transport/contract/transport.ts';
import { failureOf } from '../support/failure-of.ts';
import { RawServer, type Script } from '../support/raw-server.ts';

const GET: TransportRequest = { method: 'GET', path: '/api/v1/pods?continue=secret' };

for (const http2 of [false, true]) {
  describe(`compressed streams over HTTP/${http2 ? '2' : '1.1'}`, () => {
    let transport: AxiosTransport;
    const start = (script: Script): Promise<RawServer> => RawServer.start(script, undefined, http2);
    const open = (server: string, options: Partial<AxiosTransportOptions> = {}): void => {
      transport = new AxiosTransport({ server, http2: http2 && 'prior-knowledge', ...options });
    };
    const textOf = async (request: TransportRequest): Promise<string> => {
      const { body } = await transport.send(request);
      const target = { server: transport.server, method: request.method, path: request.path };
      return (await readBody(body, 1 << 20, target)).toString();
    };

    afterEach(() => transport.close());

    it('asks for a compressed stream that may be, except on this machine, or as an option says', async () => {
      await using server = await start((_, response) => void response.end('plain'));
      const asked = async (url: string, disableCompression?: boolean): Promise<unknown> => {
        open(url, { disableCompression });
        await textOf({ ...GET, stream: true, compress: true });
        await transport.close();
        return server.requests.at(-1)?.headers['accept-encoding'];
      };
      // An address that is not known to be this machine.
      const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0');
      expect(elsewhere).to.not.equal(server.url);
      expect(await asked(elsewhere)).to.equal('gzip');
      expect(await asked(elsewhere, true)).to.equal('identity');
      expect(await asked(server.url)).to.equal('identity');
      expect(await asked(server.url, false)).to.equal('gzip');
      expect(await asked(server.url, true)).to.equal('identity');
    });

    it('asks for plain streams after one whose compression failed', async () => {
      await using server = await start((request, response) => {
        if (request.headers['accept-encoding'] !== 'gzip') return void response.end('plain');
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('damaged');
      });
      open(server.url, { disableCompression: false });
      const request = { ...GET, stream: true, compress: true };
      const error = await failureOf(textOf(request));
      expect(error.code).to.equal('CONNECTION_FAILED');
      expect(error.message)
        .to.include('the compressed answer is damaged')
        .and.not.include('secret');
      expect(await textOf(request)).to.equal('plain');
    });

    it('uses the connection of a compressed stream again after its end', async () => {
      await using server = await start((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync('one'));
        response.end(gzipSync('two'));
      });
      open(server.url, { disableCompression: false });
      for (let count = 0; count < 3; count += 1) {
        const { headers, body } = await transport.send({ ...GET, stream: true, compress: true });
        expect(headers).to.not.have.property('content-encoding');
        const target = { server: '', method: 'GET', path: '' };
        expect(String(await readBody(body, 100, target))).to.equal('onetwo');
      }
      expect(server.connections).to.equal(1);
    });
  });
}
