import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from '../../../lib/client/transport/contract/transport.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';

export interface ThrottlingServerOptions {
  readonly runtime: Runtime;
  /** Requests a second that it accepts. */
  readonly rate: number;
  /** @defaultValue 1 */
  readonly burst?: number;
  /** @defaultValue 10 */
  readonly latencyMs?: number;
}

/**
 * A server in virtual time that accepts so many requests a second, as a token bucket, and answers 429 with `Retry-After: 1` to
 * the others, as the filters of kube-apiserver do.
 */
export class ThrottlingServer {
  /** Requests a second; Infinity: it accepts all. */
  rate: number;
  /** The times at which requests were accepted, and refused, milliseconds. */
  readonly accepted: number[] = [];
  readonly refused: number[] = [];
  readonly #options: ThrottlingServerOptions;
  #tokens: number;
  #filledAtMs = 0;

  constructor(options: ThrottlingServerOptions) {
    this.#options = options;
    this.rate = options.rate;
    this.#tokens = options.burst ?? 1;
  }

  /** The connection of one client. */
  connect(): Transport & { readonly accepted: number[] } {
    const accepted: number[] = [];
    return {
      server: 'http://throttling',
      accepted,
      send: (request) => this.#answer(request, accepted),
      close: () => Promise.resolve(),
    };
  }

  async #answer({ signal }: TransportRequest, mine: number[]): Promise<TransportResponse> {
    const { runtime, burst = 1, latencyMs = 10 } = this.#options;
    const nowMs = runtime.monotonicMs();
    const filled = this.#tokens + ((nowMs - this.#filledAtMs) * this.rate) / 1000;
    this.#tokens = Math.min(burst, filled);
    this.#filledAtMs = nowMs;
    const takes = this.rate === Infinity || this.#tokens >= 1;
    if (takes) {
      this.#tokens -= 1;
      mine.push(nowMs);
    }
    (takes ? this.accepted : this.refused).push(nowMs);
    await sleep(runtime, latencyMs, { signal });
    return takes
      ? { status: 200, headers: {}, body: empty() }
      : { status: 429, headers: { 'retry-after': '1' }, body: empty() };
  }
}

async function* empty(): AsyncGenerator<Uint8Array> {}

/** How many of `times` lie in [fromMs, toMs). */
export function between(times: readonly number[], fromMs: number, toMs: number): number {
  return times.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
}
