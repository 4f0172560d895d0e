import { once } from 'node:events';
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import { failureOf, type ServiceError } from '../../../lib/server/etcd/etcd-error.ts';
import { UnaryChannel } from '../../../lib/server/etcd/unary-channel.ts';

type Serve = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  message: Buffer,
) => void | Promise<void>;

const MOST_BYTES = 1000;
const call = { path: '/service/Method', message: Buffer.from('question'), token: undefined };

function frame(text: string, flag: number = 0, bytes: number = text.length): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes, 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

function answer(
  stream: ServerHttp2Stream,
  body: Buffer,
  trailers: Record<string, string> = { 'grpc-status': '0' },
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    stream.sendTrailers(trailers);
  });
  stream.end(body);
}

/** A member with scripted answers. */
class Member implements AsyncDisposable {
  readonly sessions: ServerHttp2Session[] = [];
  readonly #server: Http2Server = createServer();
  readonly #serve: Serve;

  constructor(serve: Serve) {
    this.#serve = serve;
    this.#server.on('session', (session: ServerHttp2Session) => {
      this.sessions.push(session);
      session.on('error', () => {});
    });
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      void this.#take(stream, headers);
    });
  }

  async channel(): Promise<UnaryChannel> {
    return channelTo(await listening(this.#server));
  }

  async #take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece as Buffer);
    await this.#serve(stream, headers, Buffer.concat(pieces));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.sessions) session.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function listening(server: Server | Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function channelTo(port: number): UnaryChannel {
  const endpoint = { address: `127.0.0.1:${port}`, secure: false };
  return new UnaryChannel(endpoint, { tls: undefined, maxResponseBytes: MOST_BYTES });
}

async function errorOf(work: Promise<unknown>): Promise<ServiceError> {
  return await work.then(
    () => {
      throw new Error('it was answered');
    },
    (error: unknown) => error as ServiceError,
  );
}

describe('UnaryChannel', () => {
  it('sends one message and returns the answer, many at a time over one connection', async () => {
    const asked: IncomingHttpHeaders[] = [];
    await using member = new Member((stream, headers, message) => {
      asked.push(headers);
      answer(stream, frame(message.subarray(5).toString().toUpperCase()));
    });
    const channel = await member.channel();
    const texts = Array.from({ length: 50 }, (_, index) => `question ${index}`);
    const answers = await Promise.all(
      texts.map((text) => channel.call({ ...call, message: Buffer.from(text), token: 't' }).answer),
    );
    expect(answers.map(String)).to.deep.equal(texts.map((text) => text.toUpperCase()));
    expect(member.sessions).to.have.length(1);
    expect(asked[0]).to.include({
      ':method': 'POST',
      ':path': '/service/Method',
      'content-type': 'application/grpc',
      te: 'trailers',
      token: 't',
    });
    expect(String(await channel.call(call).answer)).to.equal('QUESTION');
    expect(asked.at(-1)).to.not.have.property('token');
    channel.destroy();
  });

  it('keeps nothing of what came together with an answer', async () => {
    await using member = new Member((stream) => {
      answer(stream, frame('x'.repeat(500)));
    });
    const channel = await member.channel();
    const one = await channel.call(call).answer;
    // The pool of small buffers of Node has 8 KiB.
    expect(one.buffer.byteLength).to.be.at.most(8192);
    channel.destroy();
  });

  it('fails with the status of the member, from the trailers or the headers', async () => {
    const refusal = { 'grpc-status': '11', 'grpc-message': 'etcdserver: 100%25 compacted' };
    await using member = new Member((stream, headers) => {
      if (headers[':path'] === '/in/trailers') answer(stream, Buffer.alloc(0), refusal);
      else stream.respond({ ':status': 200, ...refusal }, { endStream: true });
    });
    const channel = await member.channel();
    for (const path of ['/in/trailers', '/in/headers']) {
      const { code, details } = await errorOf(channel.call({ ...call, path }).answer);
      expect([code, details]).to.deep.equal([11, 'etcdserver: 100% compacted']);
    }
    channel.destroy();
  });

  it('says of a call that the member cannot have received it', async () => {
    const server = createTcpServer();
    const port = await listening(server);
    server.close();
    await once(server, 'close');
    const channel = channelTo(port);
    const error = await errorOf(channel.call(call).answer);
    expect(failureOf(error)).to.deep.equal({ kind: 'unsent' });
    expect(error.details).to.include('ECONNREFUSED');
    await using busy = new Member((stream) => {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    const refusing = await busy.channel();
    const refused = await errorOf(refusing.call(call).answer);
    expect(failureOf(refused)).to.deep.equal({ kind: 'unsent' });
    refusing.destroy();
  });

  it('does not say so of a call whose connection ended, and opens another one for the next', async () => {
    let cut = true;
    await using member = new Member((stream) => {
      if (cut) stream.session?.destroy();
      else answer(stream, frame('there'));
    });
    const channel = await member.channel();
    const error = await errorOf(channel.call(call).answer);
    expect(failureOf(error)).to.deep.equal({ kind: 'lost' });
    cut = false;
    expect(String(await channel.call(call).answer)).to.equal('there');
    expect(member.sessions).to.have.length(2);
    channel.destroy();
  });

  it('ends a canceled call at once, and takes another connection for the next', async () => {
    let silent = true;
    await using member = new Member((stream) => {
      if (!silent) answer(stream, frame('there'));
    });
    const channel = await member.channel();
    const first = channel.call(call);
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (member.sessions.length > 0) resolve();
        else setImmediate(look);
      };
      look();
    });
    first.cancel();
    expect(failureOf(await errorOf(first.answer)).kind).to.be.oneOf(['lost', 'unsent']);
    silent = false;
    expect(String(await channel.call(call).answer)).to.equal('there');
    expect(member.sessions).to.have.length(2);
    channel.destroy();
  });

  it('says of a member that takes no connection that it has received nothing', async () => {
    // Nothing answers the beginning of HTTP/2.
    const mute = createTcpServer((socket) => socket.on('error', () => {}).resume());
    const port = await listening(mute);
    const channel = channelTo(port);
    const one = channel.call(call);
    one.cancel();
    expect((await errorOf(one.answer)).details).to.include('no connection established');
    channel.destroy();
    mute.close();
    await once(mute, 'close');
  });

  it('goes on elsewhere when the member says goodbye, and ends what it has taken', async () => {
    const held: ServerHttp2Stream[] = [];
    await using member = new Member((stream) => {
      if (member.sessions.length > 1) answer(stream, frame('second'));
      else held.push(stream);
    });
    const channel = await member.channel();
    const first = channel.call(call).answer;
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [stream] = held as [ServerHttp2Stream];
    stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
    let text = '';
    while (text !== 'second') {
      const next = channel.call(call);
      const timely = setImmediateOften(50).then(() => undefined);
      const came = await Promise.race([next.answer.catch(() => undefined), timely]);
      text = String(came ?? '');
    }
    for (const one of held) answer(one, frame('first'));
    expect(String(await first)).to.equal('first');
    channel.destroy();
  });

  it('refuses an answer that is too large, and one that is not a message', async () => {
    const bodies = new Map([
      ['/large', frame('x'.repeat(MOST_BYTES + 1))],
      ['/fits', frame('x'.repeat(MOST_BYTES))],
      ['/packed', frame('text', 1)],
      ['/short', frame('text', 0, 5)],
      ['/long', frame('text', 0, 3)],
      ['/none', Buffer.alloc(0)],
    ]);
    await using member = new Member((stream, headers) => {
      answer(stream, bodies.get(String(headers[':path'])) as Buffer);
    });
    const channel = await member.channel();
    const large = await errorOf(channel.call({ ...call, path: '/large' }).answer);
    expect(failureOf(large)).to.deep.equal({ kind: 'refused', code: 'VALUE_TOO_LARGE' });
    expect(await channel.call({ ...call, path: '/fits' }).answer).to.have.length(MOST_BYTES);
    for (const path of ['/packed', '/short', '/long', '/none']) {
      const { code } = await errorOf(channel.call({ ...call, path }).answer);
      expect(code, path).to.equal(13);
    }
    channel.destroy();
  });

  it('fails the calls under way when it is closed', async () => {
    await using member = new Member(() => {});
    const channel = await member.channel();
    const one = channel.call(call).answer;
    channel.destroy();
    expect((await errorOf(one)).code).to.equal(14);
  });
});

async function setImmediateOften(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await new Promise((resolve) => setImmediate(resolve));
}
