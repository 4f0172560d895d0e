import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { Certificate } from '../../lib/kernel/certificates/certificate-authority.ts';
import { certificateRequest } from './certificate-request.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
const REFUSED = 'configmaps is forbidden: User "jane" cannot list resource "configmaps"';
const REQUEST_NAME = 'jane';
const signerName = 'kubernetes.io/kube-apiserver-client';

interface Answer {
  readonly status: number | undefined;
  readonly body: Record<string, unknown>;
  /** Whether it came over a connection of an earlier request. */
  readonly isReused?: boolean;
}

/** A user who has rights by a binding, and a certificate by a request that was approved. */
class Jane {
  readonly #server: ApiServer;
  readonly #admin = new Agent({ keepAlive: true });
  readonly certificate: Certificate;

  constructor(server: ApiServer) {
    this.#server = server;
    this.certificate = server.issueClientCertificate({ user: 'jane' });
  }

  /** Creates the binding and the request, approves it, and issues the certificate as a signer does. */
  async prepare(): Promise<void> {
    await this.asAdmin('POST', BINDINGS, {
      metadata: { name: 'jane' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'cluster-admin',
      },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    });
    const request = Buffer.from(certificateRequest('jane', this.certificate.privateKey)).toString(
      'base64',
    );
    const created = await this.asAdmin('POST', REQUESTS, {
      metadata: { name: REQUEST_NAME },
      spec: { request, signerName, usages: ['client auth'] },
    });
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' };
    const approved = { ...created, status: { conditions: [condition] } };
    const one = `${REQUESTS}/${REQUEST_NAME}`;
    const { status, ...rest } = await this.asAdmin('PUT', `${one}/approval`, approved);
    const certificate = Buffer.from(this.certificate.certificate).toString('base64');
    const issued = { ...rest, status: { ...(status as object), certificate } };
    await this.asAdmin('PUT', `${one}/status`, issued);
    expect(await this.asAdmin('GET', one)).to.have.nested.property(
      'status.certificate',
      certificate,
    );
  }

  async asAdmin(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await answerOf(
      request(this.#options(method, path, this.#admin, true)).end(
        body === undefined ? undefined : JSON.stringify(body),
      ),
    );
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 201);
    return answer.body;
  }

  /** A request with the certificate; the agent says over which connection. */
  async ask(path: string, agent: Agent): Promise<Answer> {
    return await answerOf(request(this.#options('GET', path, agent)).end());
  }

  /** A watch of config maps, opened with the certificate. */
  async watch(): Promise<IncomingMessage> {
    const sent = request(this.#options('GET', `${CONFIG_MAPS}?watch=1`, new Agent())).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response.setEncoding('utf8');
  }

  /** Requests over one connection of HTTP/2. */
  openHttp2(): { ask(path: string): Promise<Answer>; close(): void } {
    const { certificateAuthority: ca, url } = this.#server;
    const { certificate: cert, privateKey: key } = this.certificate;
    const session = connectHttp2(url.replace('http:', 'https:'), { ca, cert, key });
    return {
      async ask(path) {
        const stream = session.request({ ':path': path });
        const [headers] = (await once(stream, 'response')) as [{ ':status'?: number }];
        const body = (await json(stream)) as Record<string, unknown>;
        return { status: headers[':status'], body };
      },
      close() {
        session.close();
      },
    };
  }

  #options(method: string, path: string, agent: Agent, isAdmin = false): RequestOptions {
    const { hostname, port } = new URL(this.#server.url);
    const { certificateAuthority: ca, token } = this.#server;
    const own = { cert: this.certificate.certificate, key: this.certificate.privateKey };
    const authorization = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const identity = isAdmin ? { headers: authorization } : own;
    return { method, path, hostname, port, ca, agent, ...identity };
  }

  close(): void {
    this.#admin.destroy();
  }
}

async function answerOf(sent: ReturnType<typeof request>): Promise<Answer> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await json(response)) as Answer['body'];
  return { status: response.statusCode, body, isReused: sent.reusedSocket };
}

describe('a certificate that was obtained by a request', () => {
  let server: ApiServer;
  let jane: Jane;
  let agent: Agent;
  beforeEach(async () => {
    server = new ApiServer();
    await server.listen();
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    jane = new Jane(server);
    await jane.prepare();
  });
  afterEach(async () => {
    jane.close();
    agent.destroy();
    await server.close();
  });

  it('is refused by the first request after its user has lost the rights, on an open connection of HTTP/1.1', async () => {
    expect(await jane.ask(CONFIG_MAPS, agent)).to.have.property('status', 200);
    await jane.asAdmin('DELETE', `${BINDINGS}/jane`);
    const { status, body, isReused } = await jane.ask(CONFIG_MAPS, agent);
    expect(isReused).to.equal(true);
    expect(status).to.equal(403);
    expect(body).to.have.property('message').that.includes(REFUSED);
  });

  it('is refused by the first request after its user has lost the rights, on an open connection of HTTP/2', async () => {
    const connection = jane.openHttp2();
    expect(await connection.ask(CONFIG_MAPS)).to.have.property('status', 200);
    await jane.asAdmin('DELETE', `${BINDINGS}/jane`);
    const { status, body } = await connection.ask(CONFIG_MAPS);
    expect(status).to.equal(403);
    expect(body).to.have.property('message').that.includes(REFUSED);
    connection.close();
  });

  it('keeps a watch that is open when its user loses the rights, and opens no other', async () => {
    const open = await jane.watch();
    await jane.asAdmin('DELETE', `${BINDINGS}/jane`);
    const other = await jane.watch();
    expect(other.statusCode).to.equal(403);
    expect(await json(other)).to.have.property('reason', 'Forbidden');
    const name = 'after-the-rights';
    let seen = '';
    const notified = new Promise<void>((resolve) => {
      open.on('data', (piece: string) => {
        seen += piece;
        if (seen.includes(name)) resolve();
      });
    });
    await jane.asAdmin('POST', CONFIG_MAPS, { metadata: { name } });
    await notified;
    open.destroy();
  });

  it('is valid until its end when the request is deleted', async () => {
    await jane.asAdmin('DELETE', `${REQUESTS}/${REQUEST_NAME}`);
    expect(await jane.ask(CONFIG_MAPS, agent)).to.have.property('status', 200);
    const anew = new Agent();
    expect(await jane.ask(CONFIG_MAPS, anew)).to.have.property('status', 200);
    anew.destroy();
  });
});
