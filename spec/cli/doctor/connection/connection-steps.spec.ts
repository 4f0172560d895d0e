import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { realNetwork } from '../../../../lib/cli/doctor/connection/real-network.ts';
import { ConnectionConfig } from '../../../../lib/client/config/contract/connection-config.ts';
import { constantCredential } from '../../../../lib/client/config/credentials/constant.ts';
import {
  Credential,
  type CredentialFields,
} from '../../../../lib/client/transport/contract/credential.ts';
import type { Network } from '../../../../lib/cli/doctor/contract/network.ts';
import {
  AUTHORITY,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from '../../../client/support/certificates.ts';
import { RawServer } from '../../../client/support/raw-server.ts';
import { until } from '../../../support/until.ts';
import {
  base64,
  certificateThatEnds,
  DoctorFixture,
  expectFailure,
  tokenWith,
  type KubeconfigParts,
} from '../../support/doctor-fixture.ts';
import { examine, type Examined } from '../../support/examine.ts';
import { fakeApi } from '../../support/fake-api.ts';
import { HeldTimers } from '../../support/held-timers.ts';
import { JANE_CERTIFICATE, JANE_KEY } from '../../support/jane-certificate.ts';

describe('the steps of listwatch doctor before the first request', () => {
  let doctor: DoctorFixture;
  beforeEach(async () => {
    doctor = await DoctorFixture.make();
  });
  afterEach(async () => {
    await doctor[Symbol.asyncDispose]();
  });

  describe('with a configuration that cannot be used', () => {
    it('fails at the configuration when there is none, and skips all else with the reason', async () => {
      const examined = await examine([], { homeDir: doctor.homeDir });
      expectFailure(examined, 'configuration', {
        code: 'CONFIG_NOT_FOUND',
        detail: /^no API server to connect to\. Looked at: .*config \(no such file\)/,
        remedy: /^give --kubeconfig FILE or --server URL, or set KUBECONFIG$/,
      });
      expect(examined.ids('skipped')).to.have.length(14);
      expect(examined.step('list/pods').detail).to.equal('it needs "configuration"');
    });

    it('names the options of the command, not those of the library', async () => {
      const missing = await examine(['--kubeconfig', '/no/such/file']);
      expect(missing.step('configuration').detail).to.equal(
        'no API server to connect to. Looked at: /no/such/file (--kubeconfig; no such file)',
      );
      const refused = await examine(['--server', 'http://127.0.0.1:1']);
      expect(refused.step('configuration').detail).to.match(/, from --server$/);
      expect(refused.step('credentials').remedy).to.equal(
        'use a kubeconfig with a user instead of --server',
      );
    });

    it('names the contexts for one that does not exist', async () => {
      const file = await doctor.kubeconfig({ server: 'https://127.0.0.1:1' });
      const examined = await examine(['--kubeconfig', file, '--context', 'prod']);
      expectFailure(examined, 'configuration', {
        code: 'CONFIG_INVALID',
        detail: /there is no context prod$/,
        remedy: /^choose with --context one of: dev$/,
      });
    });

    it('fails at an expired token, and still says whether the server is there', async () => {
      const exp = Math.floor(Date.parse('2020-01-01T00:00:00Z') / 1000);
      const user = { token: tokenWith({ exp }) };
      const examined = await doctor.examineApi(fakeApi(), [], {}, user);
      expectFailure(examined, 'credentials', {
        code: 'UNAUTHORIZED',
        detail: /^the token expired at 2020-01-01T00:00:00Z, \d+ days ago$/,
        remedy: /kubectl create token/,
      });
      expect(examined.step('tls').status).to.equal('ok');
    });

    it('says user and groups of a client certificate, and until when it is valid', async () => {
      const user = {
        'client-certificate-data': base64(JANE_CERTIFICATE),
        'client-key-data': base64(JANE_KEY),
      };
      const { data, detail } = (await doctor.examineApi(fakeApi(), [], {}, user)).step(
        'credentials',
      );
      expect(detail).to.include('user jane, groups developers, operators, valid to 2126-');
      expect(data['certificate']).to.include({ user: 'jane' });
    });

    it('fails at the configuration with a client key that does not belong, or a certificate that has expired', async () => {
      const mixed = {
        'client-certificate-data': base64(CLIENT_CERTIFICATE),
        'client-key-data': base64(JANE_KEY),
      };
      expectFailure(await doctor.examineApi(fakeApi(), [], {}, mixed), 'configuration', {
        code: 'CONFIG_INVALID',
        detail: /client-key-data: the certificate and the key do not belong together$/,
        remedy: /^give the key that the certificate was made for$/,
      });
      const { cert, key } = certificateThatEnds(-3);
      const old = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
      expectFailure(await doctor.examineApi(fakeApi(), [], {}, old), 'configuration', {
        code: 'CONFIG_INVALID',
        detail: /client-certificate-data: the client certificate expired on /,
        remedy: /^renew it/,
      });
    });

    it('fails at the credentials when a source returns a pair that cannot be used', async () => {
      const { cert, key } = certificateThatEnds(-3);
      const old = await doctor.examineApi(fakeApi(), [], {
        network: networkWith({ cert, key, source: 'a plug-in' }),
      });
      expectFailure(old, 'credentials', {
        code: 'CERTIFICATE',
        detail: /^the client certificate expired at .*, 3 days ago$/,
        remedy: /^renew/,
      });
      const mixed = await doctor.examineApi(fakeApi(), [], {
        network: networkWith({ cert: CLIENT_CERTIFICATE, key: JANE_KEY, source: 'a plug-in' }),
      });
      expectFailure(mixed, 'credentials', {
        code: 'CERTIFICATE',
        detail: 'the client key does not belong to the client certificate (a plug-in)',
        remedy: /issued together$/,
      });
    });

    it('warns about a client certificate that ends within 14 days', async () => {
      const { cert, key } = certificateThatEnds(10);
      const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
      const examined = await doctor.examineApi(fakeApi(), [], {}, user);
      expect(examined.ids('warning')).to.deep.equal(['credentials']);
      expect(examined.step('credentials').detail).to.match(/expires at .*, in 9 days$/);
    });

    it('warns about requests without credentials', async () => {
      const examined = await doctor.examineApi(fakeApi(), [], {}, {});
      expect(examined.ids('warning')).to.deep.equal(['credentials']);
      expect(examined.step('credentials').detail).to.equal('none: requests are anonymous');
    });

    it('sends no credentials over plain HTTP to another machine', async () => {
      const file = await doctor.kubeconfig({ server: 'http://192.0.2.1:8080' });
      const network: Network = {
        ...realNetwork,
        connect: () => {
          throw new Error('not in this spec');
        },
      };
      const examined = await examine(['--kubeconfig', file], { network });
      expect(examined.step('credentials')).to.include({ status: 'failed', code: 'INVALID_OPTION' });
      expect(examined.step('version').status).to.equal('skipped');
    });
  });

  describe('with a server that cannot be reached', () => {
    it('fails at the address of a name that is unknown', async () => {
      const file = await doctor.kubeconfig({ server: 'https://api.invalid:6443' });
      const network: Network = {
        ...realNetwork,
        lookup: () => Promise.reject(new Error('getaddrinfo ENOTFOUND api.invalid')),
      };
      expectFailure(await examine(['--kubeconfig', file], { network }), 'address', {
        code: 'CONNECTION_FAILED',
        detail: 'the name api.invalid cannot be resolved (getaddrinfo ENOTFOUND api.invalid)',
        remedy: /nslookup api\.invalid$/,
      });
    });

    it('shows all addresses of a name', async () => {
      const { cert, key, authority: ca } = certificateThatEnds(1000);
      await using server = await RawServer.start(fakeApi(), { cert, key });
      const file = await doctor.kubeconfig({
        server: server.url.replace('127.0.0.1', 'localhost'),
        ca,
        cluster: { 'tls-server-name': '127.0.0.1' },
      });
      const network: Network = {
        ...realNetwork,
        lookup: async () => ['::1', '127.0.0.1'],
      };
      const { detail } = (await examine(['--kubeconfig', file], { network })).step('address');
      expect(detail).to.equal('localhost is ::1, 127.0.0.1');
    });

    it('fails at the TCP connection when nothing listens', async () => {
      const server = await RawServer.start(fakeApi());
      const address = server.url.replace('http:', 'https:');
      await server[Symbol.asyncDispose]();
      const file = await doctor.kubeconfig({ server: address });
      expectFailure(await examine(['--kubeconfig', file]), 'tcp', {
        code: 'CONNECTION_REFUSED',
        detail: /^nothing listens there \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)$/,
        remedy: /check that the API server runs/,
      });
    });

    it('fails at TLS when the server is silent, at the time limit, and leaves no connection', async () => {
      const sockets = new Set<Socket>();
      const server = await listening((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => sockets.delete(socket));
        // The end of a connection is seen only by a reader.
        socket.resume();
      });
      try {
        const { port } = server.address() as AddressInfo;
        const file = await doctor.kubeconfig({ server: `https://127.0.0.1:${port}` });
        const timers = new HeldTimers(77_000);
        const running = examine(['--kubeconfig', file, '--timeout', '77s'], {
          runtime: timers.runtime,
        });
        await until('the server has the bytes of a handshake', () =>
          [...sockets].some((socket) => socket.bytesRead > 0),
        );
        timers.fire();
        expectFailure(await running, 'tls', {
          code: 'TIMEOUT',
          detail: 'gave up after 77000 ms waiting for "TLS"',
          remedy: /raise --timeout/,
        });
        await until('the connection is closed', () => sockets.size === 0);
      } finally {
        server.close();
      }
    });

    it('fails at the version when the server is silent behind TLS', async () => {
      const { cert, key, authority: ca } = certificateThatEnds(1000);
      await using server = await RawServer.start(() => {}, { cert, key });
      const file = await doctor.kubeconfig({ server: server.url, ca });
      const timers = new HeldTimers(77_000);
      const running = examine(['--kubeconfig', file, '--timeout', '77s'], {
        runtime: timers.runtime,
      });
      await until('the server has a request', () => server.requests.length === 1);
      timers.fire();
      expectFailure(await running, 'version', {
        code: 'TIMEOUT',
        detail: /77000 ms/,
        remedy: /raise --timeout/,
      });
    });

    it('fails at TLS when the server closes every connection', async () => {
      const server = await listening((socket) => socket.destroy());
      try {
        const { port } = server.address() as AddressInfo;
        const file = await doctor.kubeconfig({ server: `https://127.0.0.1:${port}` });
        expectFailure(await examine(['--kubeconfig', file]), 'tls', {
          code: 'CONNECTION_FAILED',
          detail: 'the connection was closed during the TLS handshake',
          remedy: /firewall or proxy/,
        });
      } finally {
        server.close();
      }
    });
  });

  describe('with a certificate that is not right', () => {
    async function examineTls(
      tls: { readonly cert: string; readonly key: string },
      config: Omit<KubeconfigParts, 'server'> = {},
      host: Parameters<typeof examine>[1] = {},
    ): Promise<Examined> {
      await using server = await RawServer.start(fakeApi(), { ...tls });
      const file = await doctor.kubeconfig({ server: server.url, ...config });
      return await examine(['--kubeconfig', file], host);
    }

    it('fails at TLS with the wrong authority, and names both', async () => {
      const examined = await examineTls(certificateThatEnds(1000), { ca: AUTHORITY });
      expectFailure(examined, 'tls', {
        code: 'CERTIFICATE',
        detail:
          'the certificate is issued by CN=listwatch, and the given certificate-authority is CN=spec authority (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)',
        remedy: /^replace certificate-authority-data of the cluster/,
      });
    });

    it('accepts a certificate that is the given certificate-authority itself', async () => {
      const tls = certificateThatEnds(1000);
      const examined = await examineTls(tls, { ca: tls.cert });
      expect(examined.step('tls').status).to.equal('ok');
    });

    it('fails at TLS without an authority', async () => {
      expectFailure(await examineTls(certificateThatEnds(1000)), 'tls', {
        code: 'CERTIFICATE',
        detail:
          /^the certificate is issued by CN=listwatch, which is not among the public authorities/,
        remedy: /^give certificate-authority-data of the cluster/,
      });
    });

    it('fails at TLS when the certificate has expired', async () => {
      const tls = certificateThatEnds(-2);
      expectFailure(await examineTls(tls, { ca: tls.authority }), 'tls', {
        code: 'CERTIFICATE',
        detail: /^the certificate of the server expired at \d{4}-.*Z, 2 days ago$/,
        remedy: /^renew it on the server/,
      });
    });

    it('fails at TLS when the certificate is not valid yet', async () => {
      const tls = certificateThatEnds(3660);
      expectFailure(await examineTls(tls, { ca: tls.authority }), 'tls', {
        code: 'CERTIFICATE',
        detail: /^the certificate of the server is valid only from .*, in \d days$/,
        remedy: /clock/,
      });
    });

    it('warns when the certificate ends within 14 days', async () => {
      const tls = certificateThatEnds(10);
      const examined = await examineTls(tls, { ca: tls.authority });
      expect(examined.ids('warning')).to.deep.equal(['tls']);
      expect(examined.step('tls').detail).to.match(/expires at .*Z, in 9 days$/);
      expect(examined.code).to.equal(0);
    });

    it('fails at TLS when the certificate is for another name, and names one to set', async () => {
      const tls = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
      expectFailure(await examineTls(tls, { ca: AUTHORITY }), 'tls', {
        code: 'CERTIFICATE',
        detail: 'the certificate is for api.test, not for 127.0.0.1',
        remedy: /add tls-server-name: api\.test there$/,
      });
    });

    it('accepts that certificate with tls-server-name', async () => {
      const tls = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
      const cluster = { 'tls-server-name': 'api.test' };
      const examined = await examineTls(tls, { ca: AUTHORITY, cluster });
      expect(examined.ids('failed')).to.deep.equal([]);
      expect(examined.step('tls').data).to.include({ serverName: 'api.test', verified: true });
    });

    it('warns when the certificate is not verified, and says what is wrong with it', async () => {
      const cluster = { 'insecure-skip-tls-verify': true };
      const examined = await examineTls(certificateThatEnds(-2), { cluster });
      expect(examined.ids('failed')).to.deep.equal([]);
      const { status, detail, remedy } = examined.step('tls');
      expect(status).to.equal('warning');
      expect(detail).to.include('the certificate is not verified, and ');
      expect(remedy).to.match(/^remove insecure-skip-tls-verify/);
    });

    it('presents the client certificate to a server that wants one', async () => {
      const tls = { cert: SERVER_CERTIFICATE, key: SERVER_KEY, ca: AUTHORITY, requestCert: true };
      const examined = await examineTls(tls, {
        ca: AUTHORITY,
        cluster: { 'tls-server-name': 'api.test' },
        user: {
          'client-certificate-data': base64(CLIENT_CERTIFICATE),
          'client-key-data': base64(CLIENT_KEY),
        },
      });
      expect(examined.ids('failed'), examined.text).to.deep.equal([]);
      expect(examined.step('credentials').detail).to.include('user spec client');
    });

    it('fails at TLS when the port speaks plain HTTP', async () => {
      await using server = await RawServer.start(fakeApi());
      const file = await doctor.kubeconfig({ server: server.url.replace('http:', 'https:') });
      expectFailure(await examine(['--kubeconfig', file]), 'tls', {
        code: 'CONNECTION_FAILED',
        detail: 'the port is open, but what listens there does not speak TLS',
        remedy: /^give the TLS port/,
      });
    });

    it('skips TLS for an address with http, and goes on', async () => {
      await using server = await RawServer.start(fakeApi());
      const file = await doctor.kubeconfig({ server: server.url });
      const examined = await examine(['--kubeconfig', file]);
      expect(examined.ids('skipped')).to.deep.equal(['tls']);
      expect([examined.ids('failed'), examined.code]).to.deep.equal([[], 0]);
    });
  });
});

async function listening(onSocket: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onSocket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The configuration of the kubeconfig, with other credentials. */
function networkWith(fields: CredentialFields): Network {
  return {
    ...realNetwork,
    async loadConfig(options) {
      const { server, namespace, source, tls } = await realNetwork.loadConfig(options);
      const credentials = constantCredential(new Credential(fields));
      return new ConnectionConfig({ server, namespace, source, tls, credentials });
    },
  };
}
