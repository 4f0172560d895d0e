import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { sharedClockMs } from './bench.ts';
import type { Served } from './server-served.ts';

const NEWLINE = 0x0a;
const CLOSE_BRACE = 0x7d;

/** Where watches are opened. */
export type WatchedServer = Pick<Served, 'port' | 'token'> & {
  /** PEM; the watches are over TLS. */
  readonly ca?: string | undefined;
};

/** Watches over bare sockets: what is left of a client that only counts events. */
export class EventCounter {
  readonly #sockets: Socket[] = [];
  #events = 0;
  #target = Number.POSITIVE_INFINITY;
  #reached = (): void => {};
  #failed: (error: Error) => void = () => {};
  #failure: Error | undefined;

  /** Opens watches from now on, and waits until each has been answered. */
  async open(served: Served, path: string, count: number): Promise<void> {
    const headers = { authorization: `Bearer ${served.token}` };
    const list = await fetch(`${served.url}${path}?limit=1`, { headers });
    const { metadata } = (await list.json()) as { metadata: { resourceVersion: string } };
    await this.openFrom(served, `${path}?resourceVersion=${metadata.resourceVersion}`, count);
  }

  /** As `open`, for any server: `collection` is a path with a resource version in its query. */
  async openFrom(served: WatchedServer, collection: string, count: number): Promise<void> {
    const url = `${collection}&watch=true`;
    for (let from = 0; from < count; from += 100) {
      const some = Array.from({ length: Math.min(100, count - from) }, () =>
        this.#watch(served, url),
      );
      await Promise.all(some);
    }
  }

  /**
   * Resolves with the time, by `sharedClockMs`, when all watches together have had `events` since `open`. Rejects when
   * a server has ended one before, as kube-apiserver does with slow ones.
   */
  async until(events: number): Promise<number> {
    if (this.#events < events) {
      await new Promise<void>((resolve, reject) => {
        this.#target = events;
        this.#reached = resolve;
        this.#failed = reject;
        if (this.#failure !== undefined) reject(this.#failure);
      });
    }
    return sharedClockMs();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #watch({ port, token, ca }: WatchedServer, url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket =
        ca === undefined
          ? connect({ port, host: '127.0.0.1', noDelay: true })
          : connectTls({ port, host: '127.0.0.1', ca });
      this.#sockets.push(socket);
      let last = 0;
      let answered = false;
      socket.on('error', reject);
      socket.on('end', () => {
        this.#failure = new Error(`a watch ended after ${this.#events} events of all`);
        this.#failed(this.#failure);
      });
      socket.write(
        `GET ${url} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\nConnection: close\r\n\r\n`,
      );
      socket.on('data', (chunk: Buffer) => {
        if (!answered) {
          answered = true;
          if (chunk.toString('latin1', 0, 12) === 'HTTP/1.1 200') resolve();
          else reject(new Error(chunk.toString('latin1')));
        }
        // A line of JSON ends with a brace; the lines that HTTP adds do not.
        for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
          if ((at === 0 ? last : chunk[at - 1]) === CLOSE_BRACE) this.#events += 1;
        }
        last = chunk[chunk.length - 1] as number;
        if (this.#events >= this.#target) this.#reached();
      });
    });
  }
}
