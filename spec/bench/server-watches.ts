import { Client } from '../../lib/client/rest/client.ts';
import { AxiosTransport } from '../../lib/client/transport/axios-transport.ts';
import { collectGarbage } from './bench.ts';
import type { Served } from './server-served.ts';

export interface CrowdState {
  readonly sessions: number;
  readonly sockets: number;
  /** Memory that is resident above what was before the watches, bytes. */
  readonly resident: number;
}

/** Watches of one client over TLS. */
export class WatchCrowd {
  readonly #abort = new AbortController();
  #client: Client | undefined;
  #transport: AxiosTransport | undefined;
  #reading: Promise<unknown> = Promise.resolve();
  #idle = 0;
  #arrived = 0;
  #wanted = 0;
  #wake = (): void => {};

  /** Starts to open the watches; `until` says that they are. */
  async open({ port, token, authority }: Served, http2: boolean, watches: number): Promise<void> {
    const server = `https://127.0.0.1:${port}`;
    const transport = new AxiosTransport({ server, token, tls: { ca: authority }, http2 });
    const client = new Client({ transport });
    this.#transport = transport;
    this.#client = client;
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const { resourceVersion } = await maps.list({ limit: 1 });
    collectGarbage();
    this.#idle = process.memoryUsage.rss();
    const { signal } = this.#abort;
    const one = async (): Promise<void> => {
      for await (const { type } of maps.watch({ resourceVersion, signal })) {
        if (type === 'BOOKMARK') continue;
        this.#arrived += 1;
        if (this.#arrived === this.#wanted) this.#wake();
      }
    };
    this.#reading = Promise.all(Array.from({ length: watches }, one));
    this.#reading.catch(() => {});
  }

  /** Resolves when so many events have arrived in all of them together. @throws the failure of a watch. */
  async until(events: number): Promise<void> {
    this.#wanted = events;
    if (this.#arrived >= events) return;
    const reached = new Promise<void>((resolve) => (this.#wake = resolve));
    await Promise.race([reached, this.#reading]);
  }

  state(): CrowdState {
    collectGarbage();
    const { connectionsOpened: sockets = 0, sessions = [] } = this.#transport?.inspect() ?? {};
    const resident = process.memoryUsage.rss() - this.#idle;
    return { sessions: sessions.length, sockets, resident };
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#reading.catch(() => {});
    await this.#client?.close();
  }
}
