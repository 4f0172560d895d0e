import type { Certificate } from '../../../kernel/certificates/certificate-authority.ts';
import {
  is,
  optionsOf,
  type FilledOptions,
  type OptionsSchema,
} from '../../../kernel/options/options-schema.ts';
import { consoleLogger } from '../../../kernel/report/console-logger.ts';
import { LOGGER } from '../../../kernel/report/logger-rule.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import { realRuntime } from '../../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { ApiHandler } from '../../http/api-request.ts';
import type { RequestRecord } from './request-record.ts';

export interface HttpListenerOptions {
  /** Handles the requests. */
  readonly handler: ApiHandler;
  /**
   * The certificate to present and its key. Called for each client that uses TLS; it should return the same object until there is a
   * new certificate. Left out: plain HTTP only.
   */
  readonly certificate?: (() => Certificate) | undefined;
  /** Whether TLS clients are asked for a certificate; they need not have one. @defaultValue they are not */
  readonly asksForCertificate?: (() => boolean) | undefined;
  /** @defaultValue the machine's clock */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue nothing is logged */
  readonly logger?: Logger | undefined;
  /** Maximum number of open connections; further ones are refused. @defaultValue 10 000 */
  readonly maxConnections?: number | undefined;
  /** Maximum time for a client to send a whole request, and to complete a TLS handshake, milliseconds. @defaultValue 30 000 */
  readonly receiveTimeoutMs?: number | undefined;
  /**
   * Maximum time for a client to read a piece of its response (at most some 128 KiB) before it is disconnected, ms.
   * @defaultValue 30 000
   */
  readonly stuckClientTimeoutMs?: number | undefined;
  /** Maximum time for running requests to end after `close`, milliseconds. @defaultValue 5 000 */
  readonly closeTimeoutMs?: number | undefined;
  /**
   * Called once for each request, after its response has ended or its client has disconnected; also for requests that are refused.
   * An error that it throws is logged. Left out: nothing is measured.
   */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
}

const count = is.integer({ min: 1 });
type Defaulted =
  | 'asksForCertificate'
  | 'runtime'
  | 'logger'
  | 'maxConnections'
  | 'receiveTimeoutMs'
  | 'stuckClientTimeoutMs'
  | 'closeTimeoutMs';

export type FilledHttpListenerOptions = FilledOptions<HttpListenerOptions, Defaulted>;

export const HTTP_LISTENER: OptionsSchema<HttpListenerOptions, Defaulted> =
  optionsOf<HttpListenerOptions>()('HttpListener', {
    handler: is.callback().required,
    certificate: is.callback(),
    asksForCertificate: is.callback().default((): boolean => false),
    runtime: is.object().default(realRuntime),
    logger: LOGGER.default(consoleLogger),
    maxConnections: count.default(10_000),
    receiveTimeoutMs: count.default(30_000),
    stuckClientTimeoutMs: count.default(30_000),
    closeTimeoutMs: count.default(5_000),
    onRequest: is.callback(),
  });
