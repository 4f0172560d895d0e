import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  AxiosTransport,
  type AxiosTransportOptions,
} from '../../../../../lib/client/transport/axios-transport.ts';
import { BodyTap } from '../../../../../lib/client/transport/connection/tap/body-tap.ts';
import { isListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import { Dice } from '../../../../soak/dice.ts';
import { until } from '../../../../support/until.ts';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from '../../../support/certificates.ts';
import { TestProxy } from '../../../support/test-proxy.ts';

const TLS = { cert: SERVER_CERTIFICATE, key: SERVER_KEY };
const CHUNKED =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const LAST = '0\r\n\r\n';

const chunk = (data: string | Buffer): Buffer => {
  const bytes = Buffer.from(data);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
};
const chunks = (...data: readonly string[]): Buffer => Buffer.concat(data.map(chunk));

const coded = (...data: readonly string[]): string => chunks(...data).toString('latin1');

/** How the server ends its connection after the answer. */
type Ending = 'stays' | 'ends' | 'resets';

/** A server that writes the same bytes after each request, cut into these pieces. */
class ScriptedServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #secure: boolean;
  #written = 0;
  connections = 0;

  private constructor(pieces: readonly Buffer[], ending: Ending, secure: boolean) {
    const serve = (socket: Socket): void => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.setNoDelay(true);
      let head = '';
      socket.on('data', (data) => {
        head += data.toString('latin1');
        if (!head.includes('\r\n\r\n')) return;
        head = '';
        void write(socket, pieces, ending);
      });
    };
    this.#secure = secure;
    this.#server = secure ? createTlsServer(TLS, serve) : createServer(serve);
  }

  static async start(
    pieces: readonly Buffer[],
    ending: Ending = 'stays',
    secure: boolean = false,
  ): Promise<ScriptedServer> {
    const server = new ScriptedServer(pieces, ending, secure);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** Whether more was written than the client has taken. */
  get isFull(): boolean {
    const before = this.#written;
    this.#written = [...this.#sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    return this.#written === before && [...this.#sockets].some((one) => one.writableLength > 0);
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#secure ? 'https' : 'http'}://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function write(socket: Socket, pieces: readonly Buffer[], ending: Ending): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    // Each piece is on its way before the next one is written.
    await new Promise<void>((resolve) => {
      socket.write(piece, () => setImmediate(resolve));
    });
  }
  if (ending === 'ends') socket.end();
  if (ending === 'resets') socket.resetAndDestroy();
}

interface Outcome {
  readonly status?: number;
  readonly headers?: unknown;
  readonly text: string;
  readonly code?: string;
  readonly message?: string;
}

/** The bytes that a reader of one request gets: past the parser when it asks for a stream, through the parser when it does not. */
async function read(transport: AxiosTransport, stream: boolean): Promise<Outcome> {
  const pieces: Uint8Array[] = [];
  const text = (): string => Buffer.concat(pieces).toString('latin1');
  let answer: object = {};
  try {
    const { status, headers, body } = await transport.send({ method: 'GET', path: '/', stream });
    answer = { status, headers };
    for await (const piece of body) pieces.push(piece);
    return { ...answer, text: text() };
  } catch (error) {
    const code = isListwatchError(error) ? error.code : String(error);
    return { ...answer, text: text(), code, message: (error as Error).message };
  }
}

async function outcomes(
  pieces: readonly Buffer[],
  ending: Ending,
  secure: boolean = false,
): Promise<{ readonly tapped: Outcome; readonly parsed: Outcome; readonly reused: number[] }> {
  const found: Outcome[] = [];
  const reused: number[] = [];
  for (const stream of [true, false]) {
    await using server = await ScriptedServer.start(pieces, ending, secure);
    const tls = { ca: AUTHORITY, serverName: 'api.test' };
    const transport = new AxiosTransport({
      server: server.url,
      disableCompression: true,
      http2: false,
      ...(secure ? { tls } : {}),
    });
    try {
      const first = await read(transport, stream);
      const second = await read(transport, stream);
      const port = new RegExp(server.url, 'g');
      const { message, ...rest } = second;
      expect(withoutUrl(second, port)).to.deep.equal(withoutUrl(first, port));
      found.push(message === undefined ? rest : { ...rest, message: message.replaceAll(port, '') });
      reused.push(server.connections);
    } finally {
      await transport.close();
    }
  }
  const [tapped, parsed] = found as [Outcome, Outcome];
  return { tapped, parsed, reused };
}

function withoutUrl({ message, ...rest }: Outcome, url: RegExp): object {
  return { ...rest, message: message?.replaceAll(url, '') };
}

const EVENT = '{"type":"ADDED","object":{}}\n';
const gzipped = gzipSync('compressed although unasked');

/** Answers, and how the connection ends after them. */
const ANSWERS: readonly [what: string, answer: Buffer | string, ending?: Ending][] = [
  [
    'plain chunks',
    Buffer.concat([Buffer.from(CHUNKED), chunks(EVENT, 'a', EVENT), Buffer.from(LAST)]),
  ],
  ['an empty body', CHUNKED + LAST],
  ['sizes in upper case', `${CHUNKED}1C\r\n${'x'.repeat(28)}\r\n${LAST}`],
  [
    'interim answers first',
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${CHUNKED}${coded(EVENT)}${LAST}`,
  ],
  ['trailers', `${CHUNKED}${coded(EVENT)}0\r\nChecksum: abc\r\nMore: def\r\n\r\n`],
  [
    'Connection: close',
    `HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${coded(EVENT)}${LAST}`,
    'ends',
  ],
  [
    'a body that ends with its connection',
    `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${EVENT}`,
    'ends',
  ],
  ['a body of known length', `HTTP/1.1 200 OK\r\nContent-Length: ${EVENT.length}\r\n\r\n${EVENT}`],
  ['an answer of HTTP/1.0', `HTTP/1.0 200 OK\r\n\r\n${EVENT}`, 'ends'],
  [
    'another status',
    `HTTP/1.1 410 Gone\r\nTransfer-Encoding: chunked\r\n\r\n${coded('gone')}${LAST}`,
  ],
  [
    'an answer compressed unasked',
    Buffer.concat([
      Buffer.from(
        'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n',
      ),
      chunk(gzipped),
      Buffer.from(LAST),
    ]),
  ],
  ['an end within the head', CHUNKED.slice(0, 40), 'ends'],
  ['an end within a size', `${CHUNKED}${coded(EVENT)}1`, 'ends'],
  ['an end within a chunk', `${CHUNKED}${coded(EVENT)}ff\r\nabc`, 'ends'],
  ['an end between two chunks', `${CHUNKED}${coded(EVENT)}`, 'ends'],
  ['an end within the trailers', `${CHUNKED}${coded(EVENT)}0\r\nChecks`, 'ends'],
  ['a reset within a chunk', `${CHUNKED}${coded(EVENT)}ff\r\nabc`, 'resets'],
  ['a size of 20 digits', `${CHUNKED}${coded(EVENT)}${'f'.repeat(20)}\r\nabc\r\n${LAST}`],
  ['a size with zeros in front', `${CHUNKED}${'0'.repeat(18)}3\r\nabc\r\n${coded(EVENT)}${LAST}`],
  ['a size that is none', `${CHUNKED}${coded(EVENT)}xyz\r\nabc\r\n${LAST}`],
  ['a size that is empty', `${CHUNKED}${coded(EVENT)}\r\nabc\r\n${LAST}`],
  ['a size below zero', `${CHUNKED}${coded(EVENT)}-3\r\nabc\r\n${LAST}`],
  ['a size followed by a line feed alone', `${CHUNKED}${coded(EVENT)}3\nabc\r\n${LAST}`],
  ['a size followed by a carriage return alone', `${CHUNKED}${coded(EVENT)}3\rabc\r\n${LAST}`],
  ['data longer than its size', `${CHUNKED}${coded(EVENT)}3\r\nabcdef\r\n${LAST}`],
  ['data followed by a carriage return alone', `${CHUNKED}${coded(EVENT)}3\r\nabc\rx${LAST}`],
  [
    'extensions of chunks',
    `${CHUNKED}${coded(EVENT)}3;a=b\r\nabc\r\n3 ;"c"\r\ndef\r\n${coded(EVENT)}${LAST}`,
  ],
  [
    'a second coding',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${coded(EVENT)}${LAST}`,
  ],
  [
    'a coding beside a length',
    `HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n${coded(EVENT)}${LAST}`,
  ],
  [
    'a head whose lines end with a line feed alone',
    `${CHUNKED.replaceAll('\r\n', '\n')}${coded(EVENT)}${LAST}`,
  ],
  [
    'a head that is too large',
    CHUNKED.replace('\r\n\r\n', `\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`) + LAST,
  ],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', 'ends'],
];

/** Cuts bytes at random. */
function cut(bytes: Buffer, most: number, dice: Dice): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + dice.int(1, Math.max(1, most));
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

describe('a body past the parser', () => {
  for (const [what, answer, ending = 'stays'] of ANSWERS) {
    for (const cutting of ['as a whole', 'in small pieces'] as const) {
      it(`is what the parser makes of ${what}, ${cutting}`, async () => {
        const bytes = Buffer.from(answer);
        const most = cutting === 'as a whole' ? bytes.length : Math.max(3, bytes.length / 60);
        const pieces = cut(bytes, most, new Dice(`${what}, ${cutting}`));
        const { tapped, parsed, reused } = await outcomes(pieces, ending);
        expect(tapped).to.deep.equal(parsed);
        expect(reused[0], 'connections').to.equal(reused[1]);
      });
    }
  }

  it('is the same for chunks that were changed at random', async () => {
    const pool = Buffer.from('0123456789abcdefABCDEF\r\n\r\n;xg \t\0-', 'latin1');
    let failures = 0;
    for (let course = 0; course < 60; course += 1) {
      const dice = new Dice(`changed chunks/${course}`);
      const data = Array.from({ length: dice.int(1, 4) }, () => 'x'.repeat(dice.int(1, 40)));
      const body = Buffer.concat([chunks(...data), Buffer.from(LAST)]);
      for (let change = dice.int(1, 2); change > 0; change -= 1) {
        body[dice.int(0, body.length - 1)] = pool[dice.int(0, pool.length - 1)] as number;
      }
      const bytes = Buffer.concat([Buffer.from(CHUNKED), body]);
      const pieces = cut(bytes, dice.pick([bytes.length, 30]), dice);
      const { tapped, parsed } = await outcomes(pieces, 'ends');
      expect(tapped, JSON.stringify(body.toString('latin1'))).to.deep.equal(parsed);
      if (tapped.code !== undefined) failures += 1;
    }
    expect(failures).to.be.within(10, 59);
  });

  it('is the same over TLS', async () => {
    for (const [what, answer, ending = 'stays'] of ANSWERS) {
      if (ending === 'resets') continue;
      const { tapped, parsed } = await outcomes([Buffer.from(answer)], ending, true);
      expect(tapped, what).to.deep.equal(parsed);
    }
  });

  it('has a chunk that came in 1,000 reads', async () => {
    const data = 'abcdefghij'.repeat(200);
    const pieces = cut(Buffer.concat([chunk(data), Buffer.from(LAST)]), 3, new Dice('reads'));
    expect(pieces.length).to.be.above(1000);
    const { tapped, parsed } = await outcomes([Buffer.from(CHUNKED), ...pieces], 'stays');
    expect(tapped.text).to.equal(data);
    expect(tapped).to.deep.equal(parsed);
  });
});

describe('the streams past the parser', () => {
  const follow = async (
    server: string,
    more: Partial<AxiosTransportOptions> = {},
  ): Promise<number | undefined> => {
    const transport = new AxiosTransport({ server, http2: false, ...more });
    try {
      const { body } = await transport.send({ method: 'GET', path: '/', stream: true });
      const reader = body[Symbol.asyncIterator]();
      expect(Buffer.from((await reader.next()).value ?? '').toString()).to.equal(EVENT);
      const { streamsPastParser } = transport.inspect();
      await reader.return?.();
      await until('the stream has ended', () => transport.inspect().streams === 0);
      expect(transport.inspect().streamsPastParser).to.equal(0);
      return streamsPastParser;
    } finally {
      await transport.close();
    }
  };
  const tls = { ca: AUTHORITY, serverName: 'api.test' };
  const open = [Buffer.from(CHUNKED), chunk(EVENT)];

  it('are those of Node, with and without TLS', async () => {
    for (const secure of [false, true]) {
      await using server = await ScriptedServer.start(open, 'stays', secure);
      expect(await follow(server.url, secure ? { tls } : {})).to.equal(1);
    }
  });

  it('are those through a proxy, with and without TLS', async () => {
    for (const protocol of ['http', 'socks5'] as const) {
      for (const secure of [false, true]) {
        await using server = await ScriptedServer.start(open, 'stays', secure);
        await using proxy = await TestProxy.start({ protocol });
        const through = { proxy: proxy.urlWithPassword, ...(secure ? { tls } : {}) };
        expect(await follow(server.url, through), `${protocol} ${secure}`).to.equal(1);
      }
    }
  });

  it('are not those that are compressed, or of a length', async () => {
    const zipped = gzipSync(EVENT);
    const head = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answers = [
      [Buffer.from(head), chunk(zipped)],
      [Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${EVENT}`)],
    ];
    for (const answer of answers) {
      await using server = await ScriptedServer.start(answer);
      expect(await follow(server.url)).to.equal(0);
    }
  });

  it('stop reading while their reader does not, and lose nothing', async () => {
    const data = 'abcdefghij'.repeat(800);
    const pieces = Array.from({ length: 4000 }, () => chunk(data));
    await using server = await ScriptedServer.start([
      Buffer.from(CHUNKED),
      ...pieces,
      Buffer.from(LAST),
    ]);
    const transport = new AxiosTransport({ server: server.url, http2: false });
    try {
      const { body } = await transport.send({ method: 'GET', path: '/', stream: true });
      const reader = body[Symbol.asyncIterator]();
      let bytes = (await reader.next()).value?.length ?? 0;
      await until('the server waits for its reader', () => server.isFull);
      for (;;) {
        const { done = false, value } = await reader.next();
        if (done) break;
        bytes += value?.length ?? 0;
      }
      expect(bytes).to.equal(4000 * data.length);
    } finally {
      await transport.close();
    }
  });

  it('serve the next stream over their connection, past the parser too', async () => {
    await using server = await ScriptedServer.start([...open, Buffer.from(LAST)]);
    const transport = new AxiosTransport({ server: server.url, http2: false });
    try {
      for (let round = 0; round < 3; round += 1) {
        const { body } = await transport.send({ method: 'GET', path: '/', stream: true });
        expect(transport.inspect().streamsPastParser).to.equal(1);
        const pieces: Uint8Array[] = [];
        for await (const piece of body) pieces.push(piece);
        expect(Buffer.concat(pieces).toString()).to.equal(EVENT);
        await until('the stream has ended', () => transport.inspect().streams === 0);
      }
      expect(server.connections).to.equal(1);
    } finally {
      await transport.close();
    }
  });

  it('are none of a runtime that calls back without its socket', async () => {
    const tap = new BodyTap();
    const reading = tap.onRead(Buffer.from(`${CHUNKED}3\r\nabc\r\n`));
    const socket = new PassThrough();
    const read: string[] = [];
    socket.on('data', (bytes: Buffer) => read.push(bytes.toString()));
    tap.attach(socket);
    expect(reading.callback(5, new Uint8Array())).to.equal(true);
    expect(read).to.deep.equal(['HTTP/']);
    expect(tap.hasBody).to.equal(false);
  });
});
