import type { Certificate } from '../../../kernel/certificates/certificate-authority.ts';
import { numberOption, rejectUnknownOptions } from '../../../kernel/options/options.ts';
import { silentLogger, type Logger } from '../../../kernel/report/logger.ts';
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

interface Limits {
  readonly maxConnections: number;
  readonly receiveTimeoutMs: number;
  readonly stuckClientTimeoutMs: number;
  readonly closeTimeoutMs: number;
}

export interface ResolvedHttpListenerOptions
  extends Pick<HttpListenerOptions, 'handler' | 'certificate' | 'onRequest'> {
  readonly asksForCertificate: () => boolean;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly limits: Limits;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveHttpListenerOptions(
  options: HttpListenerOptions,
): ResolvedHttpListenerOptions {
  rejectUnknownOptions('HttpListener', options, [
    'handler',
    'certificate',
    'asksForCertificate',
    'runtime',
    'logger',
    'maxConnections',
    'receiveTimeoutMs',
    'stuckClientTimeoutMs',
    'closeTimeoutMs',
    'onRequest',
  ]);
  const { handler, certificate, onRequest } = options;
  return {
    handler,
    certificate,
    onRequest,
    asksForCertificate: options.asksForCertificate ?? ((): boolean => false),
    runtime: options.runtime ?? realRuntime,
    logger: options.logger ?? silentLogger,
    limits: resolveLimits(options),
  };
}

function resolveLimits(options: HttpListenerOptions): Limits {
  const read = (name: keyof Limits, fallback: number): number =>
    numberOption('HttpListener', name, options[name], fallback, { min: 1, integer: true });
  return {
    maxConnections: read('maxConnections', 10_000),
    receiveTimeoutMs: read('receiveTimeoutMs', 30_000),
    stuckClientTimeoutMs: read('stuckClientTimeoutMs', 30_000),
    closeTimeoutMs: read('closeTimeoutMs', 5_000),
  };
}
