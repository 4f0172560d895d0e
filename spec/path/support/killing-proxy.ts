import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface KillingProxyOptions {
  readonly targetPort: number;
  /** How many bytes of the server's answer the next connection may carry; undefined: no limit. */
  readonly nextBudget: () => number | undefined;
}

/**
 * A TCP proxy that resets a connection as soon as it has carried its budget of response bytes: before the headers, inside
 * them, between two frames or inside one, wherever the budget falls.
 */
export class KillingProxy implements AsyncDisposable {
  readonly #options: KillingProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  kills = 0;

  constructor(options: KillingProxyOptions) {
    this.#options = options;
    this.#server = createServer((client) => {
      this.#serve(client);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Resets all connections there are. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serve(client: Socket): void {
    const upstream = connect(this.#options.targetPort, '127.0.0.1');
    let budget = this.#options.nextBudget() ?? Infinity;
    const drop = (): void => {
      client.resetAndDestroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on('error', drop);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        drop();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      if (chunk.length < budget) {
        budget -= chunk.length;
        client.write(chunk);
        return;
      }
      // The part before the cut still travels: the reset must not overtake it.
      this.kills += 1;
      upstream.destroy();
      client.write(chunk.subarray(0, budget), () => {
        client.resetAndDestroy();
      });
    });
    upstream.on('end', () => client.end());
  }
}
