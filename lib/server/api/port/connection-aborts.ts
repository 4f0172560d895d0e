import type { Socket } from 'node:net';

/** Requests that one controller serves at most, so that a listener that one of them leaves behind does not stay for ever. */
const MOST_REQUESTS = 100;

interface Spare {
  readonly controller: AbortController;
  readonly requests: number;
}

/**
 * The abort controllers of requests. Making the signal of one takes as long as finding out who sent the request, so the requests of a
 * connection that follow each other share one: besides the time limit, a request aborts only when its client disconnects, and then all
 * have ended. A request that begins before the last one has ended gets its own. An aborted controller is not used again.
 */
export class ConnectionAborts {
  readonly #spares = new WeakMap<Socket, Spare>();
  readonly #requests = new WeakMap<AbortController, number>();

  /** A controller for one request. */
  take(socket: Socket): AbortController {
    const spare = this.#spares.get(socket);
    if (spare === undefined) return new AbortController();
    this.#spares.delete(socket);
    this.#requests.set(spare.controller, spare.requests);
    return spare.controller;
  }

  /** The request has ended; the next one of the connection may use its controller. */
  give(socket: Socket, controller: AbortController): void {
    const requests = (this.#requests.get(controller) ?? 0) + 1;
    if (controller.signal.aborted || requests >= MOST_REQUESTS) return;
    this.#spares.set(socket, { controller, requests });
  }
}
