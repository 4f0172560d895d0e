import { expect } from 'chai';
import { AxiosTransport } from '../../../lib/client/transport/axios-transport.ts';
import { readBody } from '../../../lib/client/transport/body/read-body.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../lib/client/transport/contract/credential.ts';
import { RequestTiming } from '../../../lib/client/transport/contract/request-timing.ts';
import type { TransportResponse } from '../../../lib/client/transport/contract/transport.ts';
import { impersonationHeaders } from '../../../lib/client/transport/request-credentials.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { until } from '../../support/until.ts';
import { failureOf, rejectionOf, thrownBy } from '../support/failure-of.ts';
import { json, RawServer } from '../support/raw-server.ts';

const GET = { method: 'GET', path: '/api' } as const;
const POST = { method: 'POST', path: '/api', body: Buffer.from('{"a":1}') } as const;

/** Tokens that a spec replaces; `refresh` finds what the spec has put there. */
class SpecCredentials implements CredentialSource {
  readonly source = 'the token of the spec';
  refreshed = 0;
  #current: Credential;

  constructor(token: string) {
    this.#current = Credential.bearer(token, this.source);
  }

  /** The result of `refresh`. */
  next: Credential | undefined;

  current(): Credential {
    return this.#current;
  }

  refresh(): Promise<Credential | undefined> {
    this.refreshed += 1;
    if (this.next !== undefined) this.#current = this.next;
    return Promise.resolve(this.next);
  }
}

/** A server that accepts one token, and counts what it refuses. */
class Guarded implements AsyncDisposable {
  accepted: string;
  refused = 0;
  readonly server: RawServer;

  private constructor(server: RawServer, accepted: string) {
    this.server = server;
    this.accepted = accepted;
  }

  static async start(accepted: string): Promise<Guarded> {
    let self: Guarded | undefined = undefined;
    const server = await RawServer.start((request, response) => {
      if (request.headers.authorization === `Bearer ${self?.accepted}`) return json(response, {});
      if (self !== undefined) self.refused += 1;
      json(response, { kind: 'Status' }, 401);
    });
    self = new Guarded(server, accepted);
    return self;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

async function drain({ body }: TransportResponse): Promise<void> {
  await readBody(body, 1 << 20, { server: '', method: '', path: '' });
}

describe('the credentials of requests', () => {
  let transport: AxiosTransport;
  afterEach(() => transport.close());

  it('are looked up again after an answer 401, and the request with its body is sent once more', async () => {
    await using guarded = await Guarded.start('old');
    const credentials = new SpecCredentials('old');
    transport = new AxiosTransport({ server: guarded.server.url, credentials });
    await drain(await transport.send(POST));
    guarded.accepted = 'new';
    credentials.next = Credential.bearer('new', 'the new token');
    const response = await transport.send(POST);
    await drain(response);
    expect([response.status, response.credential]).to.deep.equal([200, 'the new token']);
    expect(guarded.refused).to.equal(1);
    expect(guarded.server.requests.map(({ body }) => String(body))).to.deep.equal(
      Array.from({ length: 3 }, () => '{"a":1}'),
    );
    expect(guarded.server.connections).to.equal(1);
  });

  it('are tried once: when the other ones are refused too, the caller gets the 401', async () => {
    await using guarded = await Guarded.start('something else');
    const credentials = new SpecCredentials('old');
    credentials.next = Credential.bearer('new', 'the new token');
    transport = new AxiosTransport({ server: guarded.server.url, credentials });
    const response = await transport.send(GET);
    await drain(response);
    expect(response.status).to.equal(401);
    expect(response.credential).to.equal('the new token');
    expect(guarded.refused).to.equal(2);
  });

  it('are not sent again when there are no other ones, or the same ones', async () => {
    await using guarded = await Guarded.start('something else');
    const credentials = new SpecCredentials('old');
    transport = new AxiosTransport({ server: guarded.server.url, credentials });
    for (const next of [undefined, Credential.bearer('old', 'the same')]) {
      credentials.next = next;
      const before = guarded.refused;
      const response = await transport.send(GET);
      await drain(response);
      expect(response.status).to.equal(401);
      expect(guarded.refused - before).to.equal(1);
    }
  });

  it('leave no connection behind when they cannot be looked up after an answer 401', async () => {
    // It does not end its answers, so it does not close their connections either.
    await using server = await RawServer.start((_request, response) => {
      response.writeHead(401).write('{');
    });
    const credentials = new SpecCredentials('old');
    const failure = new Error('the plug-in failed');
    credentials.refresh = () => Promise.reject(failure);
    transport = new AxiosTransport({ server: server.url, credentials });
    for (let sent = 1; sent <= 3; sent += 1) {
      expect(await rejectionOf(transport.send(GET))).to.equal(failure);
    }
    expect(server.connections).to.equal(3);
    await until('the connections are closed', () => server.sockets.size === 0);
  });

  it('of a function are asked for before each request, and again after a 401', async () => {
    await using guarded = await Guarded.start('two');
    const tokens = ['one', 'two', 'three'];
    let asked = 0;
    const token = (): string => tokens[asked++] ?? 'none';
    transport = new AxiosTransport({ server: guarded.server.url, token });
    const response = await transport.send(GET);
    await drain(response);
    expect([response.status, guarded.refused, asked]).to.deep.equal([200, 1, 2]);
  });

  it('are no tokens without a string: nothing is sent', async () => {
    await using guarded = await Guarded.start('undefined');
    const tokens = ['one', undefined, null, 5];
    const messages: string[] = [];
    transport = new AxiosTransport({
      server: guarded.server.url,
      token: () => tokens.shift() as string,
    });
    // It is refused, and the tokens that follow are no strings.
    for (let sent = 1; sent <= 3; sent += 1) {
      messages.push((await failureOf(transport.send(GET))).message);
    }
    const problem = (what: string): string =>
      `the token of the option "token" must be a string, not ${what}; check where the program takes it from`;
    expect(messages).to.deep.equal(['undefined', 'null', 'number'].map(problem));
    expect(guarded.server.requests).to.have.lengthOf(1);
  });

  it('may be waited for longer than for the answer: the time does not count, and is measured', async () => {
    await using guarded = await Guarded.start('late');
    const runtime = new VirtualRuntime();
    let give: (credential: Credential) => void = () => {};
    const credentials: CredentialSource = {
      source: 'late ones',
      current: () => new Promise((resolve) => (give = resolve)),
    };
    const timeouts = { headersMs: 1000, totalMs: 1000 };
    transport = new AxiosTransport({ server: guarded.server.url, credentials, runtime, timeouts });
    const timing = new RequestTiming();
    const sent = transport.send({ ...GET, timing });
    await runtime.advance(60_000);
    give(Credential.bearer('late', 'late'));
    expect((await sent).status).to.equal(200);
    expect(timing.waitedMs.credential).to.equal(60_000);
    expect(timing.attempts).to.equal(1);
    await transport.close();
  });

  it('stop being waited for when the request is aborted', async () => {
    const credentials: CredentialSource = { source: 'none', current: () => new Promise(() => {}) };
    transport = new AxiosTransport({ server: 'http://127.0.0.1:1', credentials });
    const controller = new AbortController();
    const sent = rejectionOf(transport.send({ ...GET, signal: controller.signal }));
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await sent).to.equal(reason);
  });

  it('of any kind are refused for an address in plain text', () => {
    transport = new AxiosTransport({ server: 'http://127.0.0.1:1' });
    const credentials = new SpecCredentials('canary');
    const server = 'http://10.0.0.1';
    const error = thrownBy(() => new AxiosTransport({ server, credentials }));
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.equal(
      'the token of the spec would be sent to http://10.0.0.1 in plain text; use https',
    );
  });

  it('are refused for a server of this machine behind a proxy of another one', () => {
    const server = 'http://127.0.0.1:1';
    const credentials = new SpecCredentials('canary');
    const error = thrownBy(
      () => new AxiosTransport({ server, credentials, proxy: 'http://10.0.0.1:3128' }),
    );
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.equal(
      'the token of the spec would be sent to http://127.0.0.1:1 through a proxy in plain text; use https',
    );
    transport = new AxiosTransport({ server, credentials, proxy: 'http://127.0.0.1:3128' });
  });

  it('are given once: a token and other credentials exclude each other', () => {
    transport = new AxiosTransport({ server: 'http://127.0.0.1:1' });
    const credentials = new SpecCredentials('canary');
    const error = thrownBy(
      () => new AxiosTransport({ server: 'https://a', token: 't', credentials }),
    );
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).to.contain('"credentials" excludes "token"');
  });
});

describe('impersonation', () => {
  it('names user, uid, groups and extra in the headers that a server reads', async () => {
    await using server = await RawServer.start((_, response) => json(response, {}));
    const transport = new AxiosTransport({
      server: server.url,
      impersonate: {
        user: 'jane',
        uid: 'u1',
        groups: ['dev', 'ops'],
        extra: { 'example.com/Reason': ['a', 'b'] },
      },
    });
    await drain(await transport.send(GET));
    await transport.close();
    const headers = server.requests[0]?.headers ?? {};
    expect(headers['impersonate-user']).to.equal('jane');
    expect(headers['impersonate-uid']).to.equal('u1');
    expect(headers['impersonate-group']).to.equal('dev, ops');
    expect(headers['impersonate-extra-example.com%2freason']).to.equal('a, b');
  });

  it('needs a user, and printable names', () => {
    expect(thrownBy(() => impersonationHeaders({ user: '' })).message).to.contain('needs a user');
    const broken = thrownBy(() => impersonationHeaders({ user: 'a', groups: ['b\r\nx: y'] }));
    expect(broken.code).to.equal('INVALID_OPTION');
  });
});

describe('the time limits of a request', () => {
  it('end a body that takes longer than the total, but no stream', async () => {
    await using server = await RawServer.start((_, response) => void response.write('piece'));
    const runtime = new VirtualRuntime();
    const timeouts = { idleMs: Infinity, totalMs: 60_000 };
    const transport = new AxiosTransport({ server: server.url, runtime, timeouts });
    const stream = await transport.send({ ...GET, stream: true });
    const plain = failureOf(drain(await transport.send(GET)));
    await until('both run', () => server.requests.length === 2);
    await runtime.advance(59_999);
    expect(server.sockets.size).to.equal(2);
    await runtime.advance(1);
    const error = await plain;
    expect(error.code).to.equal('REQUEST_TIMEOUT');
    expect(error.message).to.contain('within 60000 ms').and.to.contain('timeouts.totalMs');
    await runtime.advance(3_600_000);
    expect(server.sockets.size).to.equal(1);
    await stream.body[Symbol.asyncIterator]().return?.();
    await transport.close();
    expect(runtime.pending).to.equal(0);
  });

  it('may be a millisecond, or none at all', () => {
    for (const limitMs of [1, Infinity]) {
      const timeouts = {
        connectMs: limitMs,
        headersMs: limitMs,
        idleMs: limitMs,
        totalMs: limitMs,
      };
      void new AxiosTransport({ server: 'http://127.0.0.1:1', timeouts }).close();
    }
  });

  it('are named in the error when they are no times', () => {
    for (const timeouts of [{ headersMs: 0 }, { idleMs: -1 }, { totalMs: Number.NaN }]) {
      const error = thrownBy(() => new AxiosTransport({ server: 'http://127.0.0.1:1', timeouts }));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain(`timeouts.${Object.keys(timeouts)[0]}`);
    }
    const unknown: object = { request: 1 };
    const error = thrownBy(
      () => new AxiosTransport({ server: 'http://127.0.0.1:1', timeouts: unknown }),
    );
    expect(error.message).to.contain('"timeouts.request"');
  });
});
