import { is, optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { Metrics } from '../../../kernel/report/metrics.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { Transport } from '../contract/transport.ts';
import { LimitedTransport } from './limited-transport.ts';
import { ObservingTransport } from './observing-transport.ts';
import { LIMITER, type LimiterOption } from './request-limiter.ts';
import type { RequestTrace } from './request-trace.ts';
import { RETRY, RetryingTransport, type RetryLimits } from './retry.ts';

/** When the requests of a client go out, and who learns of them. */
export interface FlowOptions {
  /**
   * Limits the requests of this client. `'adaptive'`: no limit until the server refuses requests because it gets too many, and
   * then the rate that it accepts. `{ queriesPerSecond, burst }`: a fixed limit, from the first request on. `false`: no limit.
   * @defaultValue 'adaptive'
   */
  readonly limiter?: LimiterOption | undefined;
  /** How often and how long a request is sent again that was refused for the moment. */
  readonly retry?: RetryLimits | undefined;
  /** Reports requests, retries and the limiter; `requestMetrics` has the names. @defaultValue none */
  readonly metrics?: Metrics | undefined;
  /**
   * Called for each request that has ended, with its duration and the time it has waited. An error that it throws is logged.
   * @defaultValue none
   */
  readonly onRequest?: ((trace: RequestTrace) => void) | undefined;
}

export const FLOW: OptionsSchema<FlowOptions> = optionsOf<FlowOptions>()('connect', {
  limiter: LIMITER,
  retry: RETRY.nested,
  metrics: is.object(),
  onRequest: is.callback(),
});

/**
 * Puts the layers above HTTP on a transport: observe, retry, limit. Each try of a request passes the limiter, so that the
 * limiter sees every refusal. Without metrics and hook there is no observing layer.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function flowTransport(
  transport: Transport,
  {
    limiter = 'adaptive',
    retry,
    metrics,
    onRequest,
    runtime,
    logger,
  }: FlowOptions & { readonly runtime?: Runtime | undefined; readonly logger?: Logger | undefined },
): Transport {
  LIMITER.read('connect', 'limiter', limiter);
  const shared = { runtime, logger, metrics };
  const limited =
    limiter === false ? transport : new LimitedTransport(transport, { ...shared, limiter });
  const retrying = new RetryingTransport(limited, { ...retry, ...shared });
  if (metrics === undefined && onRequest === undefined) return retrying;
  return new ObservingTransport(retrying, { ...shared, onRequest });
}
