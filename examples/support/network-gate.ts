import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server that can be switched off and on. */
export class NetworkGate implements AsyncDisposable {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #down = false;

  constructor(serverUrl: string) {
    const { hostname, port } = new URL(serverUrl);
    this.#target = { host: hostname, port: Number(port) };
    this.#server = createServer((socket) => {
      this.#carry(socket);
    });
  }

  /** Resolves to the address of the gate, which forwards to the server. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection, and each new one, until `up` is called. */
  down(): void {
    this.#down = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  up(): void {
    this.#down = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.down();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #carry(client: Socket): void {
    if (this.#down) {
      client.destroy();
      return;
    }
    const server = connect(this.#target);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.pipe(other);
      // The other side gets a broken connection; nothing else has to be reported.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
