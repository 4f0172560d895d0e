import { EventEmitter, once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';

export interface TestProxyOptions {
  /** `http` answers CONNECT. @defaultValue 'http' */
  readonly protocol?: 'http' | 'socks5' | undefined;
  /** The certificate of an https proxy, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** The credentials that clients have to give. Left out: none. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Refuses every tunnel with this HTTP status or SOCKS reply code. */
  readonly refuse?: number | undefined;
  /** Headers of a refusal, e.g. `Proxy-Authenticate: NTLM`. */
  readonly refusalHeaders?: readonly string[] | undefined;
  /** Accepts connections and never answers: not at all, or not to the request for a tunnel. */
  readonly silent?: 'greeting' | 'request' | undefined;
  /** Closes the connection: when the first bytes have arrived, or instead of an answer to the request for a tunnel. */
  readonly close?: 'greeting' | 'request' | undefined;
  /** Sent as the answer to the first bytes. Then the connection stays open, or it is ended in the same moment. */
  readonly garbage?: string | Buffer | undefined;
  readonly garbageEnds?: boolean | undefined;
  /** The bytes of one write of an answer. Left out: all of it. */
  readonly pieceBytes?: number | undefined;
  /** Sent in one write with the answer that opens a tunnel. */
  readonly trailing?: string | undefined;
}

/**
 * A proxy on a free port of the loopback. Every target, by whatever name, is the port of that number on 127.0.0.1, so that specs
 * can use any host name and need no network.
 */
export class TestProxy implements AsyncDisposable {
  /** The tunnels that were ever opened. */
  tunnels = 0;
  /** The connections that were ever made. */
  connections = 0;
  /** The connections that have brought a first byte. */
  received = 0;
  /** Emits `received`. */
  readonly events: EventEmitter = new EventEmitter();
  /** The connections of clients that are open now. */
  readonly sockets: Set<Socket> = new Set();
  /** Host and port of each request for a tunnel, e.g. `api.test:6443`. */
  readonly targets: string[] = [];
  /** The heads of the CONNECT requests. */
  readonly heads: string[] = [];
  /** It can be replaced between two connections. */
  options: TestProxyOptions;
  readonly #server: Server;
  readonly #upstream = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];

  private constructor(options: TestProxyOptions) {
    this.options = options;
    const { tls } = options;
    // The frames of HTTP/2 come in several small writes.
    this.#server =
      tls === undefined
        ? createServer({ noDelay: true })
        : createSecureServer({ ...tls, noDelay: true });
    this.#server.on(options.tls === undefined ? 'connection' : 'secureConnection', this.#serve);
    // A TLS handshake that the client breaks off.
    this.#server.on('tlsClientError', () => {});
  }

  static async start(options: TestProxyOptions = {}): Promise<TestProxy> {
    const proxy = new TestProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Without user and password. */
  get url(): string {
    return this.urlOf('');
  }

  /** With the user and the password that it asks for. */
  get urlWithPassword(): string {
    const { user = '', password = '' } = this.options;
    return this.urlOf(`${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
  }

  /** A message with PORT in place of the port of the proxy. */
  maskPort(message: string): string {
    return message.replaceAll(`127.0.0.1:${this.port}`, '127.0.0.1:PORT');
  }

  /** With a user part such as `user:password@`. */
  urlOf(userPart: string): string {
    const { protocol = 'http', tls } = this.options;
    const scheme = protocol === 'http' && tls !== undefined ? 'https' : protocol;
    return `${scheme}://${userPart}127.0.0.1:${this.port}`;
  }

  /** Ends the connections of the clients, as a restart does. */
  cut(): void {
    for (const socket of [...this.sockets, ...this.#upstream]) socket.destroy();
  }

  /** Resolves when the clients have closed all their connections. */
  async allClosed(): Promise<void> {
    if (this.sockets.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  readonly #serve = (socket: Socket): void => {
    this.connections += 1;
    this.sockets.add(socket);
    socket.once('close', () => {
      this.sockets.delete(socket);
      if (this.sockets.size === 0) for (const done of this.#waiting.splice(0)) done();
    });
    socket.on('error', () => {});
    const exchange = new Exchange(socket, this.options, () => {
      this.received += 1;
      this.events.emit('received');
    });
    const served =
      this.options.protocol === 'socks5' ? this.#socks(exchange) : this.#http(exchange);
    // The client may go away at any moment.
    void served
      .catch(() => socket.destroy())
      // The end of a client that is left without a tunnel is noticed only by reading.
      .then(() => socket.resume());
  };

  async #http(exchange: Exchange): Promise<void> {
    const { user, password = '', refuse, refusalHeaders = [], trailing = '' } = this.options;
    if (!(await exchange.greeted())) return;
    const head = await exchange.read((bytes) => end(bytes.indexOf('\r\n\r\n'), 4));
    this.heads.push(head.toString('latin1'));
    const [, host = '', port = ''] = /^CONNECT (\S+):(\d+) HTTP\/1\.1\r\n/.exec(String(head)) ?? [];
    this.targets.push(`${host}:${port}`);
    if (!exchange.requested()) return;
    const given = /^proxy-authorization: basic (\S+)/im.exec(String(head))?.[1] ?? '';
    const known =
      user === undefined || Buffer.from(given, 'base64').toString() === `${user}:${password}`;
    const status = refuse ?? (known ? 200 : 407);
    if (status === 200) {
      await this.#open(exchange, Number(port), `HTTP/1.1 200 OK\r\n\r\n${trailing}`);
      return;
    }
    const asks = status === 407 && refusalHeaders.length === 0 ? ['Proxy-Authenticate: Basic'] : [];
    const lines = [`HTTP/1.1 ${status} Scripted`, ...refusalHeaders, ...asks, 'Content-Length: 4'];
    exchange.write(`${lines.join('\r\n')}\r\n\r\nbody`);
  }

  async #socks(exchange: Exchange): Promise<void> {
    const { user, password = '', refuse, trailing = '' } = this.options;
    if (!(await exchange.greeted())) return;
    const methods = (await exchange.read((bytes) => end(bytes[1], 2))).subarray(2);
    const method = user === undefined ? 0 : 2;
    if (!methods.includes(method)) {
      exchange.write(Buffer.from([5, 0xff]));
      return;
    }
    exchange.write(Buffer.from([5, method]));
    if (user !== undefined && !(await login(exchange, user, password))) return;
    const request = await exchange.read(socksRequestLength);
    const { host, port } = socksTarget(request);
    this.targets.push(`${host}:${port}`);
    if (!exchange.requested()) return;
    if (refuse !== undefined) {
      exchange.write(Buffer.from([5, refuse, 0, 1, 0, 0, 0, 0, 0, 0]));
      return;
    }
    const answer = Buffer.from([5, 0, 0, 3, 4, ...Buffer.from('test'), 0, 80]);
    await this.#open(exchange, port, Buffer.concat([answer, Buffer.from(trailing)]));
  }

  async #open(exchange: Exchange, port: number, answer: string | Buffer): Promise<void> {
    const { socket } = exchange;
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#upstream.add(upstream);
    upstream.on('error', () => socket.destroy());
    upstream.once('close', () => {
      this.#upstream.delete(upstream);
      socket.destroy();
    });
    socket.once('close', () => upstream.destroy());
    await once(upstream, 'connect');
    this.tunnels += 1;
    exchange.write(answer);
    exchange.leave();
    socket.pipe(upstream);
    upstream.pipe(socket);
  }
}

/** One connection of a client before its tunnel is open. */
class Exchange {
  readonly socket: Socket;
  readonly #options: TestProxyOptions;
  readonly #onReceived: () => void;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, options: TestProxyOptions, onReceived: () => void) {
    this.socket = socket;
    this.#onReceived = onReceived;
    this.#options = options;
  }

  /** Whether the proxy goes on after the first bytes of the client. */
  async greeted(): Promise<boolean> {
    const { garbage, garbageEnds, silent, close } = this.#options;
    await this.read((bytes) => (bytes.length > 0 ? 0 : -1));
    this.#onReceived();
    if (close === 'greeting') this.socket.destroy();
    if (garbage !== undefined) this.write(garbage);
    if (garbageEnds === true) this.socket.end();
    return garbage === undefined && silent !== 'greeting' && close !== 'greeting';
  }

  /** Whether the proxy answers the request for a tunnel. */
  requested(): boolean {
    const { silent, close } = this.#options;
    if (close === 'request') this.socket.destroy();
    return silent !== 'request' && close !== 'request';
  }

  /** Reads as many bytes as `lengthOf` says; -1: it needs more. */
  async read(lengthOf: (bytes: Buffer) => number): Promise<Buffer> {
    for (;;) {
      const length = lengthOf(this.#bytes);
      if (length >= 0 && length <= this.#bytes.length) {
        const taken = this.#bytes.subarray(0, length);
        this.#bytes = this.#bytes.subarray(length);
        return taken;
      }
      const piece = this.socket.read() as Buffer | null;
      if (piece !== null) this.#bytes = Buffer.concat([this.#bytes, piece]);
      else await this.#more();
    }
  }

  write(answer: string | Buffer): void {
    const bytes = Buffer.from(answer as string);
    const { pieceBytes = bytes.length } = this.#options;
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      this.socket.write(bytes.subarray(at, at + pieceBytes));
    }
  }

  /** Gives back what was read too far. */
  leave(): void {
    if (this.#bytes.length > 0) this.socket.unshift(this.#bytes);
  }

  async #more(): Promise<void> {
    const { socket } = this;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        socket.off('readable', readable).off('close', closed).off('end', closed);
      };
      const readable = (): void => {
        stop();
        resolve();
      };
      const closed = (): void => {
        stop();
        reject(new Error('the client has gone'));
      };
      socket.once('readable', readable).once('close', closed).once('end', closed);
    });
  }
}

async function login(exchange: Exchange, user: string, password: string): Promise<boolean> {
  const name = await exchange.read((bytes) => end(bytes[1], 2));
  const secret = await exchange.read((bytes) => end(bytes[0], 1));
  const known = String(name.subarray(2)) === user && String(secret.subarray(1)) === password;
  exchange.write(Buffer.from([1, known ? 0 : 1]));
  return known;
}

function end(at: number | undefined, more: number): number {
  return at === undefined || at < 0 ? -1 : at + more;
}

/** Version, command, reserved, address type, address, port. */
function socksRequestLength(bytes: Buffer): number {
  switch (bytes[3]) {
    case 1:
      return 10;
    case 4:
      return 22;
    default:
      return end(bytes[4], 7);
  }
}

function socksTarget(request: Buffer): { host: string; port: number } {
  const port = request.readUInt16BE(request.length - 2);
  const address = request.subarray(4, -2);
  if (request[3] === 1) return { host: address.join('.'), port };
  if (request[3] === 3) return { host: String(address.subarray(1)), port };
  const groups = Array.from({ length: 8 }, (_, at) => address.readUInt16BE(2 * at).toString(16));
  return { host: new URL(`http://[${groups.join(':')}]`).hostname, port };
}
