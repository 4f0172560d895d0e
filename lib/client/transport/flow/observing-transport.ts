import { isError, isListwatchError } from '../../../kernel/failure/errors.ts';
import { runHook } from '../../../kernel/report/run-hook.ts';
import { guardedLogger } from '../../../kernel/report/guarded-logger.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import { is, optionsOf } from '../../../kernel/options/options-schema.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { RequestTiming } from '../contract/request-timing.ts';
import type { Transport, TransportRequest, TransportResponse } from '../contract/transport.ts';
import { TransportLayer } from '../contract/transport-layer.ts';
import { RequestMeter } from './request-meter.ts';
import { requestName } from './request-name.ts';
import {
  requestTrace,
  tracedServer,
  type RequestTrace,
  type TracedServer,
} from './request-trace.ts';

export interface ObservingTransportOptions {
  readonly metrics?: Metrics | undefined;
  /** Called for each request that has ended, also for one that failed. An error that it throws is logged. */
  readonly onRequest?: ((trace: RequestTrace) => void) | undefined;
  readonly runtime?: Runtime | undefined;
  readonly logger?: Logger | undefined;
}

const OPTIONS = optionsOf<ObservingTransportOptions>()('ObservingTransport', {
  metrics: is.object(),
  onRequest: is.callback(),
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});

interface Outcome {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}

/**
 * Reports each request to metrics and to a trace hook, with the time that it has waited and why.
 *
 * A request ends when the headers of its answer have arrived. Bodies pass unchanged, so that the events of a watch cost nothing
 * more.
 */
export class ObservingTransport extends TransportLayer {
  readonly #runtime: Runtime;
  readonly #logger: ReturnType<typeof guardedLogger>;
  readonly #meter: RequestMeter | undefined;
  readonly #onRequest: ((trace: RequestTrace) => void) | undefined;
  readonly #traced: TracedServer;

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(transport: Transport, options: ObservingTransportOptions = {}) {
    super(transport);
    const read = OPTIONS.read(options);
    this.#runtime = read.runtime;
    this.#logger = guardedLogger(read.logger);
    this.#meter = RequestMeter.of(transport.server, read);
    this.#onRequest = read.onRequest;
    this.#traced = tracedServer(transport.server);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const timing = request.timing ?? new RequestTiming();
    const startWallMs = this.#runtime.wallMs();
    const startMs = this.#runtime.monotonicMs();
    const end = (outcome: Outcome): void => {
      const durationMs = this.#runtime.monotonicMs() - startMs;
      this.#report(request, timing, startWallMs, durationMs, outcome);
    };
    try {
      const response = await this.below.send({ ...request, timing });
      end({ status: response.status });
      return response;
    } catch (error) {
      end({ error: errorType(error) });
      throw error;
    }
  }

  #report(
    request: TransportRequest,
    timing: RequestTiming,
    startMs: number,
    durationMs: number,
    { status, error }: Outcome,
  ): void {
    const { method, path } = request;
    const name = requestName(request);
    const code = error ?? String(status);
    this.#meter?.ended({ method, name, code, durationMs, timing });
    if (this.#onRequest === undefined) return;
    const parts = { method, path, name, timing, startMs, durationMs, status, error };
    const trace = requestTrace({ ...parts, server: this.#traced });
    runHook(this.#logger, 'onRequest', () => this.#onRequest?.(trace));
  }
}

/** A short name for an error, of which there are few different ones. */
function errorType(error: unknown): string {
  if (isListwatchError(error)) return error.code;
  return isError(error) ? error.name : 'Error';
}
