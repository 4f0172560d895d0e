import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Exchange, pause, type ExchangeKind } from './exchange.ts';
import { readRequests } from './request-head.ts';

/** Answers a request in its own way. */
export type Act = (exchange: Exchange) => void | Promise<void>;

/** Which requests a plan is for; the first plan that fits takes a request. */
export interface Which {
  /** @defaultValue all of a collection */
  readonly kinds?: readonly ExchangeKind[] | undefined;
  /** @defaultValue Infinity */
  readonly times?: number | undefined;
}

/** The treatment of further requests. */
export interface Plan {
  /** Resolves when the plan has been carried out as often as it says. */
  readonly done: Promise<void>;
  cancel(): void;
}

interface Planned extends Plan {
  readonly kinds: readonly ExchangeKind[];
  left: number;
  readonly act: Act;
  readonly finish: () => void;
}

const COLLECTION: readonly ExchangeKind[] = ['list', 'watch', 'streaming-list'];

/** An HTTP/1.1 proxy before an API server that does to requests what plans say, down to the single byte. */
export class FaultProxy {
  /** Everything that was asked, in order. */
  readonly exchanges: Exchange[] = [];
  targetPort: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #plans: Planned[] = [];
  #port = 0;
  #closed = false;

  constructor(targetPort: number) {
    this.targetPort = targetPort;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Takes connections; after `down`, on the port as before. */
  async up(): Promise<void> {
    const server = createServer((socket) => {
      this.#serve(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Resets all connections and refuses new ones. */
  async down(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => {
      server.close(resolve);
    });
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  /** The next requests of these kinds are answered by `act`. */
  plan(act: Act, { kinds = COLLECTION, times = Infinity }: Which = {}): Plan {
    let finish = (): void => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const planned: Planned = {
      kinds,
      left: times,
      act,
      finish,
      done,
      cancel: () => {
        this.#plans = this.#plans.filter((one) => one !== planned);
        finish();
      },
    };
    this.#plans.push(planned);
    return planned;
  }

  /** The watch that carries changes now, or the next one that does. Rejects when the proxy is closed first. */
  async liveWatch(): Promise<Exchange> {
    while (!this.#closed) {
      const live = this.exchanges.findLast((exchange) => exchange.live);
      if (live !== undefined) return live;
      await pause(5);
    }
    throw new Error('there was no watch until the end');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.down();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    // Each exchange on a kept connection listens for its end.
    socket.setMaxListeners(0);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
    });
    let busy = false;
    readRequests(socket, (head) => {
      // No client pipelines; bytes that come into a frozen exchange are lost.
      if (busy) return;
      busy = true;
      const exchange = new Exchange({
        head,
        socket,
        targetPort: this.targetPort,
        onDone: () => {
          busy = false;
        },
      });
      this.exchanges.push(exchange);
      void this.#answer(exchange).catch(() => {
        exchange.reset();
      });
    });
  }

  async #answer(exchange: Exchange): Promise<void> {
    const plan = this.#plans.find(({ kinds }) => kinds.includes(exchange.kind));
    if (plan === undefined) {
      await exchange.forward();
      return;
    }
    plan.left -= 1;
    if (plan.left <= 0) this.#plans = this.#plans.filter((one) => one !== plan);
    await plan.act(exchange);
    if (plan.left <= 0) plan.finish();
  }
}
