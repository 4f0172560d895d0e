import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A TCP proxy on loopback that passes bytes as they are, TLS included, and breaks connections on command. */
export class TcpProxy implements AsyncDisposable {
  /** Connections that were broken. */
  resets = 0;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #port = 0;
  #silent = false;

  constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  get isSilent(): boolean {
    return this.#silent;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes connections; after `down`, on the port as before. */
  async up(): Promise<void> {
    const server = createServer({ pauseOnConnect: true }, (client) => {
      this.#serve(client);
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks every connection. */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      this.resets += 1;
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Breaks every connection and refuses new ones. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    this.reset();
    await closed;
  }

  /** Lets nothing through in either direction, and breaks nothing; what is held back goes through afterwards. */
  silence(silent: boolean): void {
    this.#silent = silent;
    for (const pair of this.#pairs) this.#flow(pair);
  }

  /** Lets nothing more through the connections of now, in either direction, and breaks none. Later ones work. */
  strand(): void {
    for (const pair of this.#pairs) {
      pair.client.pause();
      pair.server.pause();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
  }

  #serve(client: Socket): void {
    const pair = { client, server: connect(this.#target) };
    this.#pairs.add(pair);
    const drop = (): void => {
      this.#pairs.delete(pair);
      client.destroy();
      pair.server.destroy();
    };
    for (const [socket, other] of [
      [client, pair.server],
      [pair.server, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on('error', drop);
      socket.on('close', drop);
      socket.on('data', (bytes) => other.write(bytes));
      socket.on('end', () => other.end());
    }
    this.#flow(pair);
  }

  #flow({ client, server }: Pair): void {
    for (const socket of [client, server]) {
      if (this.#silent) socket.pause();
      else socket.resume();
    }
  }
}
