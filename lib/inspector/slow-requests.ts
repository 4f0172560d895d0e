import type { InspectedRequest } from './contract/inspected-parts.ts';

const KEPT = 50;
/** Requests that end later than this are slow, milliseconds. */
const SLOW_MS = 100;
const LONGEST_URL = 300;
/** A request that is open for as long as its client wants. */
const STREAMS = /[?&](?:watch|follow)=(?:1|true)|\/(?:exec|attach|portforward|proxy)(?:[/?]|$)/;

/** The slowest requests to a server, and the number of all. Those that stay open on purpose, such as watches, are not slow. */
export class SlowRequests {
  #slow: InspectedRequest[] = [];
  #count = 0;
  #failed = 0;

  readonly note = (request: InspectedRequest): void => {
    this.#count += 1;
    if (request.status >= 500 || request.status === 0) this.#failed += 1;
    if (request.durationMs < SLOW_MS || STREAMS.test(request.url)) return;
    const { startedMs, method, user, status, durationMs } = request;
    const url = request.url.slice(0, LONGEST_URL);
    this.#slow.push({ startedMs, method, url, user, status, durationMs });
    if (this.#slow.length <= KEPT) return;
    this.#slow = this.list().slice(0, KEPT);
  };

  get count(): number {
    return this.#count;
  }

  /** Without an answer, or with one that says that the server failed. */
  get failed(): number {
    return this.#failed;
  }

  /** The slowest first. */
  list(): InspectedRequest[] {
    return this.#slow.toSorted((one, other) => other.durationMs - one.durationMs);
  }
}
