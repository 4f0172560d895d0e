import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { Http2Server } from './http2-server.ts';

/** TLS in front of a server of HTTP/2 without TLS; adds frames that a server of Node never sends. */
export class FrameInjector implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #client: Socket | undefined;

  private constructor(port: number) {
    const options = { ...Http2Server.identity, ALPNProtocols: ['h2'] };
    this.#server = createServer(options, (client) => {
      const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
      this.#client = client;
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => {
          client.destroy();
          upstream.destroy();
        });
      }
      client.pipe(upstream).pipe(client);
    });
  }

  /** In front of the server on this port of the loopback. */
  static async start(port: number): Promise<FrameInjector> {
    const injector = new FrameInjector(port);
    injector.#server.listen(0, '127.0.0.1');
    await once(injector.#server, 'listening');
    return injector;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sends RST_STREAM on the last connection. The server must be sending nothing. */
  resetStream(id: number, errorCode: number): void {
    const frame = Buffer.from([0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    frame.writeUInt32BE(id, 5);
    frame.writeUInt32BE(errorCode, 9);
    this.#client?.write(frame);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
