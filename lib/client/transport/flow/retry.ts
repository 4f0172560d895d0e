import { silentLogger, type Logger } from '../../../kernel/logger.ts';
import { numberOption, rejectUnknownOptions } from '../../../kernel/options.ts';
import { realRuntime } from '../../../kernel/real-runtime.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { sleep } from '../../../kernel/wait.ts';
import { readBodyStart } from '../body/read-body.ts';
import type { Transport, TransportRequest, TransportResponse } from '../contract/transport.ts';

export interface RetryOptions {
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
  /**
   * The most times that one request is sent again.
   * @defaultValue 10 (client-go rest/request.go maxRetries @ 32ce75a7)
   */
  readonly maxRetries?: number | undefined;
  /** The longest wait before a try, milliseconds, even if the server asks for a longer one. @defaultValue 30 000 */
  readonly maxDelayMs?: number | undefined;
}

const REFUSED_FOR_NOW = new Set([429, 503]);

/** Idempotent methods: sending them twice has the same effect as sending them once. */
const IDEMPOTENT = new Set(['GET', 'PUT', 'DELETE']);

/** An answer up to this size is read to its end, so that its connection can be reused; bytes. */
const DRAINED_BYTES = 64 * 1024;

/**
 * Sends idempotent requests again when the server answers 429 or 503 with `Retry-After`.
 *
 * Guarantees: a request is not sent before the time the server asked for, unless that is longer than `maxDelayMs`. When the
 * tries are used up, the caller gets the last answer. The wait ends at once when the request's signal aborts.
 *
 * Not guaranteed: anything about POST and PATCH; they are sent once.
 */
export class RetryingTransport implements Transport {
  readonly #transport: Transport;
  readonly #runtime: Runtime;
  readonly #logger: Logger;
  readonly #maxRetries: number;
  readonly #maxDelayMs: number;

  constructor(transport: Transport, options: RetryOptions = {}) {
    const owner = 'RetryingTransport';
    rejectUnknownOptions(owner, options, ['runtime', 'logger', 'maxRetries', 'maxDelayMs']);
    this.#transport = transport;
    this.#runtime = options.runtime ?? realRuntime;
    this.#logger = options.logger ?? silentLogger;
    const { maxRetries, maxDelayMs } = options;
    this.#maxRetries = numberOption(owner, 'maxRetries', maxRetries, 10, { min: 0, integer: true });
    this.#maxDelayMs = numberOption(owner, 'maxDelayMs', maxDelayMs, 30_000, { min: 0 });
  }

  get server(): string {
    return this.#transport.server;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    for (let retries = 0; ; retries += 1) {
      const response = await this.#transport.send(request);
      if (retries === this.#maxRetries || !IDEMPOTENT.has(request.method)) return response;
      if (!REFUSED_FOR_NOW.has(response.status)) return response;
      const askedMs = retryAfterMs(response.headers['retry-after'], this.#runtime.wallMs());
      if (askedMs === undefined) return response;

      await discard(response);
      const delayMs = Math.min(askedMs, this.#maxDelayMs);
      this.#logger.info('the server asks to try again later', {
        server: this.server,
        status: response.status,
        delayMs,
        retry: retries + 1,
        maxRetries: this.#maxRetries,
      });
      await sleep(this.#runtime, delayMs, { signal: request.signal });
    }
  }

  close(): void {
    this.#transport.close();
  }
}

/**
 * The wait that a `Retry-After` header asks for, milliseconds. The header has whole seconds or an HTTP date.
 * Undefined when it is missing or neither.
 */
export function retryAfterMs(header: string | undefined, nowWallMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // HTTP dates start with a weekday; Date.parse also accepts many other texts.
  if (!/^[A-Z][a-z]+,? /.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowWallMs);
}

async function discard(response: TransportResponse): Promise<void> {
  try {
    await readBodyStart(response.body, DRAINED_BYTES);
  } catch {
    // The request is sent again in any case; a broken connection fails there.
  }
}
