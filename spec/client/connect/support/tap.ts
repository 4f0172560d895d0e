import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy that passes everything on, TLS untouched, counts connections, and can end them. */
export class Tap implements AsyncDisposable {
  /** Connections that were ever made. */
  connections = 0;
  readonly #targetPort: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((client) => {
      this.connections += 1;
      this.#serve(client);
    });
  }

  static async start(targetPort: number): Promise<Tap> {
    const tap = new Tap(targetPort);
    tap.#server.listen(0, '127.0.0.1');
    await once(tap.#server, 'listening');
    return tap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections of clients that are open now. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(client: Socket): void {
    const upstream = connect(this.#targetPort, '127.0.0.1');
    this.#sockets.add(client);
    client.on('close', () => this.#sockets.delete(client));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
      socket.pipe(other);
    }
  }
}
