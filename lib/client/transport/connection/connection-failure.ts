import { isListwatchError, type ListwatchError } from '../../../kernel/failure/errors.ts';
import { TransportError, type ExchangeTarget } from '../contract/transport-error.ts';
import { failureCause } from './cause/failure-cause.ts';
import { leavesOf } from './cause/failure-leaf.ts';
import { SERVER } from './cause/peer.ts';
import { isRefusedByAlert } from './cause/tls-cause.ts';

/** The depth to which causes are searched for the error of a proxy. */
const DEEPEST = 8;

/**
 * Turns an error of an HTTP library into a `TransportError`: one line with the cause and the remedy. The error of a proxy keeps
 * its code and text.
 *
 * Only codes and messages of the inner system errors are used: the error objects of an HTTP library contain the request, and
 * with it the credentials.
 */
export function connectionFailure(error: unknown, target: ExchangeTarget): TransportError {
  const proxy = proxyErrorOf(error);
  if (proxy !== undefined) {
    return new TransportError('PROXY', target, proxy.message, { cause: proxy.cause });
  }
  const { code, text, cause } = failureCause(error, SERVER);
  return new TransportError(code, target, text, { cause });
}

/** Whether a handshake failed because the server did not accept the client's certificate. */
export function isRefusedCertificate(error: unknown): boolean {
  return leavesOf(error).some(isRefusedByAlert);
}

/** The error of a `Dialer`, which names cause and remedy already. */
function proxyErrorOf(error: unknown): ListwatchError | undefined {
  let inner = error;
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    if (isListwatchError(inner, 'PROXY')) return inner;
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = (inner as { cause?: unknown }).cause;
  }
  return undefined;
}
