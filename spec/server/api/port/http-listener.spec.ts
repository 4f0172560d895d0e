import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { deferred } from '../../../../lib/kernel/time/latch.ts';
import { silentLogger } from '../../../../lib/kernel/report/logger.ts';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../../lib/kernel/certificates/certificate-authority.ts';
import type {
  ApiHandler,
  ApiRequest,
  ApiResponse,
} from '../../../../lib/server/http/api-request.ts';
import { bytesResponse, textResponse } from '../../../../lib/server/http/responses/api-response.ts';
import { joinChunk } from '../../../../lib/server/http/responses/chunk.ts';
import { HttpListener } from '../../../../lib/server/api/port/http-listener.ts';
import type { HttpListenerOptions } from '../../../../lib/server/api/port/http-listener-options.ts';

const OPEN: HttpListener[] = [];

async function listen(
  handler: ApiHandler,
  options: Partial<HttpListenerOptions> = {},
): Promise<HttpListener> {
  const listener = new HttpListener({ handler, ...options });
  OPEN.push(listener);
  await listener.listen();
  return listener;
}

function portOf({ address }: HttpListener): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

/** A certificate for localhost, and the authority that a client has to trust. */
function newCertificate(): { readonly authority: string; readonly certificate: Certificate } {
  const nowMs = Date.now();
  const authority = new CertificateAuthority({ name: 'an authority', nowMs });
  const name = 'localhost';
  const certificate = authority.issue({ usage: 'server', name, hosts: [name], nowMs });
  return { authority: authority.certificate, certificate };
}

const echo: ApiHandler = ({ method, url, body }) =>
  Promise.resolve(textResponse(200, `${method} ${url} ${body.byteLength}`));

/** A connection spoken to in bytes. */
class Raw {
  readonly socket: Socket;
  text = '';
  readonly closed: Promise<void>;
  #wake: (() => void) | undefined;

  constructor(listener: HttpListener) {
    this.socket = connect(portOf(listener), '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      this.text += chunk.toString('latin1');
      this.#wake?.();
    });
    const closed = deferred<void>();
    this.socket.on('close', () => {
      closed.resolve();
      this.#wake?.();
    });
    this.closed = closed.promise;
  }

  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) {
      if (this.socket.destroyed) throw new Error(`closed before ${part}: ${this.text}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async ask(head: string, body: string = ''): Promise<void> {
    this.socket.write(`${head}\r\nHost: localhost\r\n\r\n${body}`);
    await this.until('\r\n\r\n');
  }
}

async function exchange(listener: HttpListener, line: string, host: string): Promise<Raw> {
  const raw = new Raw(listener);
  raw.socket.end(`${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await raw.closed;
  return raw;
}

/** A body that is fed by hand. */
class Feed implements AsyncIterable<Uint8Array> {
  readonly #pieces: Uint8Array[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  readonly left = deferred<void>();
  pulled = 0;

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return {
      next: async () => {
        while (this.#pieces.length === 0 && !this.#ended) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        const value = this.#pieces.shift();
        this.pulled += 1;
        return value === undefined ? { done: true, value: undefined } : { done: false, value };
      },
      return: () => {
        this.end();
        this.left.resolve();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

const streaming = (body: AsyncIterable<Uint8Array>): ApiResponse =>
  bytesResponse(200, 'application/json', body);

describe('http listener', () => {
  afterEach(async () => {
    await Promise.all(OPEN.splice(0).map((listener) => listener.close()));
  });

  it('takes the form of a request to a proxy, whose host counts', async () => {
    const listener = await listen(echo);
    const { text } = await exchange(listener, 'GET http://127.0.0.1/a?b=c HTTP/1.1', 'elsewhere');
    expect(text)
      .to.match(/^HTTP\/1.1 200 /)
      .and.to.contain('GET /a?b=c 0');
    const foreign = await exchange(listener, 'GET http://elsewhere/a HTTP/1.1', '127.0.0.1');
    expect(foreign.text).to.match(/^HTTP\/1.1 403 /);
  });

  it('takes a request line and headers of up to 1 MiB', async () => {
    const listener = await listen(({ url }) => Promise.resolve(textResponse(200, `${url.length}`)));
    const long = await exchange(listener, `GET /${'a'.repeat(900_000)} HTTP/1.1`, 'localhost');
    expect(long.text).to.contain('900001');
  });

  it('hands method, url, lower-case headers and body over', async () => {
    const seen: ApiRequest[] = [];
    const listener = await listen((request) => {
      seen.push(request);
      return echo(request);
    });
    const raw = new Raw(listener);
    await raw.ask('PUT /a%20b?c=d HTTP/1.1\r\nX-Thing: 1\r\nContent-Length: 5', 'hello');
    await raw.until('PUT /a%20b?c=d 5');
    expect(raw.text).to.match(/^HTTP\/1.1 200 OK\r\n/);
    expect(seen[0]?.headers['x-thing']).to.equal('1');
    expect(Buffer.from(seen[0]?.body ?? []).toString()).to.equal('hello');
    raw.socket.destroy();
  });

  it('answers requests one after the other on a kept connection, also pipelined', async () => {
    const raw = new Raw(await listen(echo));
    const one = 'GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
    raw.socket.write(one + one.replace('/1', '/2'));
    await raw.until('GET /2 0');
    expect(raw.text.indexOf('GET /1 0')).to.be.below(raw.text.indexOf('GET /2 0'));
    raw.socket.destroy();
  });

  it('serves TLS on the same port to clients that use it', async () => {
    const { authority, certificate } = newCertificate();
    const listener = await listen(echo, { certificate: () => certificate });
    const options = {
      port: portOf(listener),
      host: 'localhost',
      path: '/x',
      agent: false,
      family: 4,
    };
    const read = (request: ReturnType<typeof httpRequest>): Promise<string> =>
      new Promise((resolve, reject) => {
        request.on('error', reject).on('response', (response) => {
          response.setEncoding('utf8').on('data', resolve);
        });
        request.end();
      });
    expect(await read(httpsRequest({ ...options, ca: authority }))).to.equal('GET /x 0');
    expect(await read(httpRequest(options))).to.equal('GET /x 0');
    const untrusting = await read(httpsRequest(options)).catch((error: unknown) => error);
    expect(untrusting).to.include({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  it('presents a new certificate as soon as there is one', async () => {
    const [first, second] = [newCertificate(), newCertificate()];
    let { certificate } = first;
    const listener = await listen(echo, { certificate: () => certificate });
    const presented = async (authority: string): Promise<string> => {
      const socket = connectTls({ port: portOf(listener), servername: 'localhost', ca: authority });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    };
    const before = await presented(first.authority);
    expect(await presented(first.authority)).to.equal(before);
    ({ certificate } = second);
    expect(await presented(second.authority)).not.to.equal(before);
  });

  it('survives clients that greet badly', async () => {
    const { certificate } = newCertificate();
    const listener = await listen(echo, {
      certificate: () => certificate,
      receiveTimeoutMs: 200,
    });
    for (const bytes of [
      Buffer.from([0x16, 0x03, 0x01, 0xff, 0xff, 0x00]),
      Buffer.from([0x16]),
      Buffer.from('\0\0\0\0'),
      randomBytes(1000),
    ]) {
      const raw = new Raw(listener);
      raw.socket.end(bytes);
      await raw.closed;
    }
    const raw = new Raw(listener);
    await raw.ask('GET /still-here HTTP/1.1');
    raw.socket.destroy();
  });

  it('refuses a body over 3 MiB with 413, announced or not, and says so to the client', async () => {
    const listener = await listen(echo);
    const size = 3 * 1024 * 1024;
    const fits = new Raw(listener);
    await fits.ask(`POST / HTTP/1.1\r\nContent-Length: ${size}`, 'x'.repeat(size));
    await fits.until(`POST / ${size}`);
    const over = new Raw(listener);
    await over.ask(`POST / HTTP/1.1\r\nContent-Length: ${size + 1}`, 'x'.repeat(size + 1));
    expect(over.text)
      .to.match(/^HTTP\/1.1 413 /)
      .and.match(/connection: close/i);
    await over.closed;
    expect(over.text).to.contain('"reason":"RequestEntityTooLarge"');
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const chunked = new Raw(listener);
    await chunked.ask(
      'POST / HTTP/1.1\r\nTransfer-Encoding: chunked',
      `${chunk.repeat(4)}0\r\n\r\n`,
    );
    expect(chunked.text).to.match(/^HTTP\/1.1 413 /);
    await chunked.closed;
    const absurd = new Raw(listener);
    await absurd.ask('POST / HTTP/1.1\r\nContent-Length: 99999999999', 'x');
    expect(absurd.text).to.match(/^HTTP\/1.1 413 /);
    await absurd.closed;
    fits.socket.destroy();
  });

  it('serves only local host names on a loopback address', async () => {
    const listener = await listen(echo);
    const rows: readonly [host: string, status: number][] = [
      ['127.0.0.1:1', 200],
      ['localhost', 200],
      ['[::1]:80', 200],
      ['app.localhost:8080', 200],
      ['evil.example', 403],
      ['127.0.0.1.evil.example', 403],
      ['localhost.evil.example:80', 403],
      ['10.0.0.1', 403],
    ];
    for (const [host, status] of rows) {
      const raw = new Raw(listener);
      raw.socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      await raw.closed;
      expect(raw.text, host).to.match(new RegExp(`^HTTP/1.1 ${status} `));
    }
  });

  it('sends the headers of a stream before its first piece, and each piece at once', async () => {
    const feed = new Feed();
    const raw = new Raw(await listen(() => Promise.resolve(streaming(feed))));
    await raw.ask('GET / HTTP/1.1');
    expect(raw.text).to.contain('Transfer-Encoding: chunked');
    feed.push(Buffer.from('one\n'));
    await raw.until('4\r\none\n\r\n');
    feed.push(Buffer.from('two\n'));
    feed.end();
    await raw.until('4\r\ntwo\n\r\n0\r\n\r\n');
    raw.socket.destroy();
  });

  it('sends pieces with and without a chunk around them in order, to the client of an older HTTP without', async () => {
    const pieces = [
      joinChunk([Buffer.from('to'), Buffer.from('gether\n')]),
      Buffer.from('alone\n'),
    ];
    const listener = await listen(async () => {
      const feed = new Feed();
      for (const piece of [...pieces, joinChunk([]), ...pieces]) feed.push(piece);
      feed.end();
      return await Promise.resolve(streaming(feed));
    });
    const text = 'together\nalone\ntogether\nalone\n';
    const chunks = '9\r\ntogether\n\r\n6\r\nalone\n\r\n';
    const raw = new Raw(listener);
    await raw.ask('GET / HTTP/1.1');
    await raw.until('\r\n0\r\n\r\n');
    expect(raw.text.slice(raw.text.indexOf('\r\n\r\n') + 4)).to.equal(
      `${chunks}${chunks}0\r\n\r\n`,
    );
    raw.socket.destroy();
    const old = new Raw(listener);
    await old.ask('GET / HTTP/1.0');
    await old.closed;
    expect(old.text.slice(old.text.indexOf('\r\n\r\n') + 4)).to.equal(text);
    const read = await fetch(`http://${listener.address}/`);
    expect(await read.text()).to.equal(text);
  });

  it('hands out the means to abort a request, and answers it all the same', async () => {
    const aborted: boolean[] = [];
    const listener = await listen(({ signal, abort }) => {
      abort?.(new Error('the time is up'));
      aborted.push(signal.aborted);
      return Promise.resolve(textResponse(504, 'too late'));
    });
    const raw = new Raw(listener);
    await raw.ask('GET /a HTTP/1.1');
    await raw.until('too late');
    raw.text = '';
    await raw.ask('GET /b HTTP/1.1');
    expect(aborted).to.deep.equal([true, true]);
    raw.socket.destroy();
  });

  it('aborts the request and leaves the body when the client goes away', async () => {
    const feed = new Feed();
    let signal: AbortSignal | undefined;
    const raw = new Raw(
      await listen((request) => {
        ({ signal } = request);
        return Promise.resolve(streaming(feed));
      }),
    );
    await raw.ask('GET / HTTP/1.1');
    raw.socket.destroy();
    await feed.left.promise;
    expect(signal?.aborted).to.equal(true);
  });

  it('pulls no more than the client takes, and cuts one off that takes nothing', async () => {
    const feed = new Feed();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let count = 0; count < 200; count += 1) feed.push(piece);
    const warnings: unknown[] = [];
    const listener = await listen(() => Promise.resolve(streaming(feed)), {
      stuckClientTimeoutMs: 200,
      logger: { ...silentLogger, warn: (_message, fields) => warnings.push(fields?.['error']) },
    });
    const raw = new Raw(listener);
    raw.socket.pause();
    raw.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await feed.left.promise;
    expect(feed.pulled).to.be.below(50);
    expect(warnings).to.deep.equal(['the client read nothing of its response for 200 ms']);
    raw.socket.resume();
    await raw.closed;
  });

  it('breaks the connection when the body fails in the middle', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('begin');
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      throw new Error('storage gone');
    }
    const raw = new Raw(await listen(() => Promise.resolve(streaming(broken()))));
    await raw.ask('GET / HTTP/1.1');
    await raw.closed;
    expect(raw.text).to.contain('begin').and.not.contain('0\r\n\r\n');
  });

  it('answers 500 when the handler rejects', async () => {
    const raw = new Raw(await listen(() => Promise.reject(new Error('oops'))));
    await raw.ask('GET / HTTP/1.1');
    expect(raw.text).to.match(/^HTTP\/1.1 500 /);
    raw.socket.destroy();
  });

  it('gives up on clients that do not get on with sending', async () => {
    const listener = await listen(echo, { receiveTimeoutMs: 300 });
    const [silent, slow] = [new Raw(listener), new Raw(listener)];
    slow.socket.write('GET / HTTP/1.1\r\nHost: loc');
    await Promise.all([silent.closed, slow.closed]);
    expect(slow.text).to.match(/^HTTP\/1.1 408 /);
  });

  it('takes no more connections than it may', async () => {
    const listener = await listen(echo, { maxConnections: 2 });
    const raws = [new Raw(listener), new Raw(listener)];
    for (const raw of raws) await raw.ask('GET / HTTP/1.1');
    const third = new Raw(listener);
    await third.closed;
    expect(third.text).to.equal('');
    for (const raw of raws) raw.socket.destroy();
  });

  it('ends streams cleanly on close, and lets other answers finish', async () => {
    const feed = new Feed();
    const slow = deferred<ApiResponse>();
    const asked = deferred<void>();
    const listener = await listen(({ url }) => {
      if (url === '/stream') return Promise.resolve(streaming(feed));
      asked.resolve();
      return slow.promise;
    });
    const [stream, single, idle] = [new Raw(listener), new Raw(listener), new Raw(listener)];
    await stream.ask('GET /stream HTTP/1.1');
    single.socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await asked.promise;
    const closed = listener.close();
    await stream.closed;
    expect(stream.text.endsWith('0\r\n\r\n')).to.equal(true);
    slow.resolve(textResponse(200, 'done'));
    await closed;
    await Promise.all([single.closed, idle.closed]);
    expect(single.text)
      .to.match(/connection: close/i)
      .and.contain('done');
    await listener.close();
  });

  it('cuts off what does not end after close', async () => {
    const listener = await listen(() => deferred<never>().promise, { closeTimeoutMs: 50 });
    const raw = new Raw(listener);
    raw.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await new Promise((resolve) => raw.socket.once('connect', resolve));
    await listener.close();
    await raw.closed;
  });

  it('cuts connections without closing the port', async () => {
    const listener = await listen(echo);
    const raw = new Raw(listener);
    await raw.ask('GET / HTTP/1.1');
    await listener.closeConnections();
    await raw.closed;
    const again = new Raw(listener);
    await again.ask('GET / HTTP/1.1');
    again.socket.destroy();
  });

  it('explains why it cannot listen', async () => {
    const listener = await listen(echo);
    const failure = async (run: Promise<void>): Promise<unknown> =>
      await run.catch((error: unknown) => error);
    const second = new HttpListener({ handler: echo });
    const taken = await failure(second.listen({ port: portOf(listener) }));
    expect(taken).to.include({ code: 'PORT_IN_USE' });
    expect(String(taken))
      .to.contain(`port ${portOf(listener)}`)
      .and.contain('leave "port" out');
    const nowhere = await failure(second.listen({ host: '203.0.113.1' }));
    expect(nowhere).to.include({ code: 'LISTEN_FAILED' });
    expect(await failure(second.listen({ port: 70_000 }))).to.include({ code: 'INVALID_OPTION' });
    expect(await failure(listener.listen())).to.include({ code: 'ALREADY_STARTED' });
    await second.listen();
    await second.close();
    expect(await failure(second.listen())).to.include({ code: 'CLOSED' });
  });

  it('refuses unknown options', () => {
    const options = { handler: echo, maxConnection: 5 };
    expect(() => new HttpListener(options)).to.throw('unknown option "maxConnection"');
  });
});
