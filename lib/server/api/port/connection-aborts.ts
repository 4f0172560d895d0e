import type { Socket } from 'node:net';

/** Requests that one controller serves at most, so that a listener that one of them leaves behind does not stay for ever. */
const MOST_REQUESTS = 100;

interface Spare {
  readonly controller: AbortController;
  requests: number;
}

/** One request, as long as it runs. */
export interface ConnectionAbort {
  readonly controller: AbortController;
  /** The request has ended; its controller may serve the next request of the connection. */
  release(): void;
}

/**
 * The abort controllers of requests. Making the signal of one takes as long as finding out who sent the request, so the requests of a
 * connection that follow each other share one: the only abort besides the time limit is that the client disconnects, which ends them all.
 * A request that begins before the last one has ended gets its own. An aborted controller is not used again.
 */
export class ConnectionAborts {
  readonly #spares = new WeakMap<Socket, Spare>();

  begin(socket: Socket): ConnectionAbort {
    const spare = this.#spares.get(socket) ?? { controller: new AbortController(), requests: 0 };
    this.#spares.delete(socket);
    spare.requests += 1;
    return {
      controller: spare.controller,
      release: () => {
        if (spare.controller.signal.aborted || spare.requests >= MOST_REQUESTS) return;
        this.#spares.set(socket, spare);
      },
    };
  }
}
