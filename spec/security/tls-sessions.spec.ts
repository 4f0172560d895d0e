import { once } from 'node:events';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { Certificate } from '../../lib/kernel/certificates/certificate-authority.ts';

const PATH = '/api/v1/namespaces/default/secrets';

type Version = 'TLSv1.2' | 'TLSv1.3';

/** Connections of one version to a server that has issued the certificates of two users. */
class Clients {
  readonly #server: ApiServer;
  readonly #certificates: Readonly<Record<string, Certificate>>;

  constructor(server: ApiServer) {
    this.#server = server;
    const users = ['first', 'second'].map((name) => {
      const issued = server.issueClientCertificate({ user: name });
      return [name, issued] as const;
    });
    this.#certificates = Object.fromEntries(users);
  }

  async open(user: string, version: Version, session?: Buffer): Promise<TLSSocket> {
    const { hostname, port } = new URL(this.#server.url);
    const { certificate: cert, privateKey: key } = this.#certificates[user] ?? {};
    const bounds = { minVersion: version, maxVersion: version } as const;
    const ca = this.#server.certificateAuthority;
    const options: ConnectionOptions = { host: hostname, port: Number(port), ca, cert, key };
    const socket = connect({ ...options, ...bounds, session });
    await once(socket, 'secureConnect');
    return socket;
  }
}

/** The name of the user that the server sees. */
async function userOf(socket: TLSSocket): Promise<string> {
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  let text = '';
  while (!/User \\"/.test(text)) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    text += piece.toString();
  }
  return /User \\"(.*?)\\"/.exec(text)?.[1] ?? '';
}

describe('TLS sessions of clients with certificates', () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`keep the user with which they began when they are resumed with another certificate, ${version}`, async () => {
      await using server = new ApiServer();
      await server.listen();
      const clients = new Clients(server);
      const first = await clients.open('first', version);
      const sessions: Buffer[] = [];
      first.on('session', (session: Buffer) => sessions.push(session));
      expect(await userOf(first)).to.equal('first');
      const session = sessions.at(-1) ?? first.getSession();
      first.destroy();
      const resumed = await clients.open('second', version, session);
      expect(resumed.isSessionReused()).to.equal(true);
      expect(await userOf(resumed)).to.equal('first');
      resumed.destroy();
    });
  }

  it('end when the client asks for another handshake', async () => {
    await using server = new ApiServer();
    await server.listen();
    const socket = await new Clients(server).open('first', 'TLSv1.2');
    expect(await userOf(socket)).to.equal('first');
    const outcome = new Promise<string>((resolve) => {
      socket.on('error', () => {
        resolve('an error');
      });
      socket.renegotiate({}, (error) => {
        resolve(error === null ? 'another handshake' : 'an error');
      });
    });
    expect(await outcome).to.equal('an error');
    socket.destroy();
  });
});
