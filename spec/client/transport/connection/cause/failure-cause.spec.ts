import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { SecureVersion, TlsOptions as ServerTls } from 'node:tls';
import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
} from '../../../../../lib/client/transport/axios-transport.ts';
import type { TlsOptions } from '../../../../../lib/client/transport/contract/tls-options.ts';
import type { ListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { json, RawServer } from '../../../support/raw-server.ts';
import {
  encryptedKey,
  expired,
  notYetValid,
  TestAuthority,
  type IssuedCertificate,
} from '../../../support/test-authority.ts';
import { TestProxy } from '../../../support/test-proxy.ts';

const authority = new TestAuthority({ name: 'cluster' });
const other = new TestAuthority({ name: 'corporate' });

async function failure(options: AxiosTransportOptions): Promise<ListwatchError> {
  const transport = new AxiosTransport(options);
  try {
    return await failureOf(transport.send({ method: 'GET', path: '/api?token=canary' }));
  } finally {
    await transport.close();
  }
}

/** The text of a message after method and URL. It has to be one line, the same with and without a proxy. */
async function explained(
  server: RawServer | number,
  tls: TlsOptions,
  code: string,
): Promise<string> {
  const url = `https://127.0.0.1:${typeof server === 'number' ? server : server.port}`;
  await using proxy = await TestProxy.start();
  const errors = [
    await failure({ server: url, tls }),
    await failure({ server: url, tls, proxy: proxy.url }),
  ];
  const texts = errors.map((error) => {
    expect(error.code, error.message).to.equal(code);
    expect(error.message).not.to.match(/[\n\r]/);
    expect(inspect(error, { depth: 9 })).not.to.include('canary');
    const start = `GET ${url}/api: `;
    expect(error.message.slice(0, start.length)).to.equal(start);
    return error.message.slice(start.length);
  });
  expect(texts[1]).to.equal(texts[0]);
  await proxy.allClosed();
  return texts[0] ?? '';
}

/** The explanation for a server with this certificate. */
async function withServer(
  { certificate: cert, privateKey: key }: IssuedCertificate,
  tls: TlsOptions = { ca: authority.certificate },
  more: ServerTls = {},
  code: string = 'CERTIFICATE',
): Promise<string> {
  await using server = await RawServer.start((_request, response) => json(response, {}), {
    cert,
    key,
    ...more,
  });
  return await explained(server, tls, code);
}

/** A server that answers the first bytes with these, and then closes the connection. */
async function withAnswer(answer: Buffer | string, code: string): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return await explained(port, { ca: authority.certificate }, code);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}

/** A fatal alert, in a record of TLS 1.2. */
function alert(number: number): Buffer {
  return Buffer.from([0x15, 3, 3, 0, 2, 2, number]);
}

describe('the cause of a failed connection', () => {
  it('is the certificate of the server that has expired, with the date', async () => {
    expect(await withServer(authority.server(expired()))).to.match(
      /^the server's certificate expired on 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ; renew it, or correct the clock of this machine$/,
    );
  });

  it('is the certificate of the authority that has expired', async () => {
    const old = new TestAuthority(expired());
    const { certificate, privateKey } = old.server();
    const chain = { certificate: certificate + old.certificate, privateKey };
    expect(await withServer(chain, { ca: old.certificate })).to.equal(
      'a certificate of the server, or of its authority, has expired; renew it, or correct the clock of this machine',
    );
  });

  it('is the certificate of the server that is not valid yet, with the date', async () => {
    expect(await withServer(authority.server(notYetValid()))).to.match(
      /^the certificate of the server is not valid yet before 20[0-9T:-]+Z; correct the clock of this machine$/,
    );
  });

  it('is an authority that is not known, with its name', async () => {
    const text = (inTheWordsOfOpenSsl: string): string =>
      'the certificate of the server is not signed by a known authority, but by "corporate"; ' +
      `give the cluster's certificate-authority (${inTheWordsOfOpenSsl})`;
    // With an authority, a certificate that is given itself would be trusted, so OpenSSL looks for more.
    expect(await withServer(other.server())).to.equal(
      text('unable to get local issuer certificate'),
    );
    expect(await withServer(other.server(), {})).to.equal(
      text('unable to verify the first certificate'),
    );
  });

  it('is a host name that the certificate does not have, with five of the names that it has', async () => {
    const text = (names: string): string =>
      `the certificate of the server is for another host name: 127.0.0.1 was asked for, and it is for ${names}; ` +
      'use one of these names in the server address, or set tls-server-name to one';
    expect(await withServer(authority.server({ hosts: ['api.test'] }))).to.equal(text('api.test'));
    expect(await withServer(authority.server({ hosts: ['api.test', '10.0.0.1'] }))).to.equal(
      text('api.test, 10.0.0.1'),
    );
    const hosts = Array.from({ length: 40 }, (_, at) => `h${at}.test`);
    expect(await withServer(authority.server({ hosts }))).to.equal(
      text('h0.test, h1.test, h2.test, h3.test, h4.test and 35 more'),
    );
    const { length } = await withServer(
      authority.server({ hosts: [`${'a'.repeat(60)}.`.repeat(4)] }),
    );
    expect(length).to.be.lessThan(350);
  });

  it('is a client certificate that the server requires and does not get', async () => {
    const asks = { ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
    expect(
      await withServer(authority.server(), undefined, { ...asks, minVersion: 'TLSv1.3' }),
    ).to.equal(
      'the server requires a client certificate; give client-certificate and client-key ' +
        '(TLS alert 116: tlsv13 alert certificate required)',
    );
    expect(
      await withServer(authority.server(), undefined, { ...asks, maxVersion: 'TLSv1.2' }),
    ).to.match(
      /^the server broke off the TLS handshake; give a client certificate that it accepts, or let it offer a cipher of TLS 1.2 or 1.3 \(TLS alert 40: /,
    );
  });

  it('is the alert of a server that does not accept the client certificate', async () => {
    const alerts: Record<number, string> = {
      40: 'the server broke off the TLS handshake; give a client certificate that it accepts, or',
      42: 'the server does not accept the client certificate; give one of its own client authority',
      43: 'the server does not accept the kind of the client certificate; give one for client',
      44: 'the server says that the client certificate was revoked; give another one',
      45: "the server says that the client certificate has expired; renew it, or correct the server's clock",
      46: 'the server does not accept the client certificate; give one for client authentication',
      48: 'the server does not know the authority of the client certificate; give a certificate of its',
      49: 'the server grants the client certificate no access; give another one',
      51: 'the server cannot verify the client certificate; check that the client key belongs to it',
      116: 'the server requires a client certificate; give client-certificate and client-key',
    };
    for (const [number, text] of Object.entries(alerts)) {
      const found = await withAnswer(alert(Number(number)), 'CERTIFICATE');
      expect(found).to.include(text).and.to.include(`(TLS alert ${number}: `);
    }
  });

  it('is the alert of a server that has something against the handshake', async () => {
    const alerts: Record<number, string> = {
      70: 'the server speaks only TLS versions before 1.2; let it offer TLS 1.2 or 1.3',
      80: 'the server broke off the TLS handshake; look at its log',
      112: 'the server has no certificate for this host name; use its name in the server address, or set tls-server-name',
    };
    for (const [number, text] of Object.entries(alerts)) {
      const found = await withAnswer(alert(Number(number)), 'CONNECTION_FAILED');
      expect(found).to.include(`${text} (TLS alert ${number}: `);
    }
  });

  for (const version of ['TLSv1', 'TLSv1.1'] satisfies SecureVersion[]) {
    it(`is a server that speaks only ${version}`, async () => {
      const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
      expect(await withServer(authority.server(), undefined, old, 'CONNECTION_FAILED')).to.include(
        'the server speaks only TLS versions before 1.2; let it offer TLS 1.2 or 1.3 (TLS alert 70: ',
      );
    });
  }

  it('is a server that speaks no TLS, or closes the connection within the handshake', async () => {
    const answer = 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n';
    expect(await withAnswer(answer, 'CONNECTION_FAILED')).to.equal(
      'the server does not speak TLS at this port; check https:// and the port (SSL routines: wrong version number)',
    );
    expect(await withAnswer('', 'CONNECTION_FAILED')).to.match(
      /^the server closed the connection within the TLS handshake; check that it speaks TLS at this port, and/,
    );
  });

  it('is a client certificate or key that cannot be used', async () => {
    const { certificate: cert, privateKey: key } = authority.client({ user: 'jane' });
    const foreign = authority.client({ user: 'joe' }).privateKey;
    const noCertificate =
      'the client certificate is not in PEM form; give a text with -----BEGIN CERTIFICATE-----';
    const cases: [what: string, tls: TlsOptions, text: string][] = [
      [
        'the key of another certificate',
        { cert, key: foreign },
        'the client key does not belong to the client certificate; give the key that this certificate was made for',
      ],
      [
        'an encrypted key',
        { cert, key: encryptedKey(key, 'secret') },
        'the client key is encrypted; decrypt it (openssl pkey -in KEY -out DECRYPTED)',
      ],
      ['no key', { cert }, 'the client certificate has no key; give client-key too'],
      ['no certificate', { key }, 'the client key has no certificate; give client-certificate too'],
      ['a certificate that is not PEM', { cert: 'canary', key }, noCertificate],
      ['a certificate in DER', { cert: Buffer.from([0x30, 3, 2, 1, 1]), key }, noCertificate],
      ['a key as the certificate', { cert: key, key }, noCertificate],
      ['a broken certificate', { cert: cert.replace(/(\n.{20})./, '$1!'), key }, noCertificate],
      [
        'a key that is not PEM',
        { cert, key: 'canary' },
        'the client key is not in PEM form; give a text with -----BEGIN PRIVATE KEY-----',
      ],
    ];
    for (const [what, tls, text] of cases) {
      const found = await withServer(authority.server(), { ca: authority.certificate, ...tls });
      expect(found, what).to.equal(text);
    }
  });

  it('is a certificate-authority that has no certificate', async () => {
    const broken = authority.certificate.replace(/\n.{20}/, `\n${'A'.repeat(20)}`);
    for (const ca of ['', 'canary', authority.server().privateKey, broken]) {
      expect(await withServer(authority.server(), { ca })).to.equal(
        'the certificate-authority has no certificate in PEM form; give a text with -----BEGIN CERTIFICATE-----',
      );
    }
  });

  it('is never an unusable certificate for the requests that follow with a usable one', async () => {
    const { certificate: cert, privateKey: key } = authority.server();
    const script = { cert, key };
    await using server = await RawServer.start((_request, response) => json(response, {}), script);
    let ca = authority.certificate;
    const transport = new AxiosTransport({ server: server.url, tls: { ca: () => ca } });
    const send = async (): Promise<number> => {
      const { status, body } = await transport.send({ method: 'GET', path: '/' });
      for await (const _piece of body);
      return status;
    };
    try {
      expect(await send()).to.equal(200);
      ca = 'half a file';
      for (let attempt = 0; attempt < 2; attempt += 1) {
        expect((await failureOf(send())).message).to.include(
          'the certificate-authority has no certificate',
        );
      }
      ca = authority.certificate;
      expect(await send()).to.equal(200);
      expect(server.connections).to.equal(1);
    } finally {
      await transport.close();
    }
  });
});
