import { connect, type ConnectionOptions } from 'node:tls';
import { isIP } from 'node:net';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { withDeadline } from '../../kernel/time/wait.ts';
import type { ServedCertificate } from './certificates/served-certificate.ts';

const TIMEOUT_MS = 10_000;

export interface WarmCallOptions {
  readonly port: number;
  /** The address at which the server listens. */
  readonly host: string;
  /** The name by which API servers call. */
  readonly name: string;
  readonly served: ServedCertificate;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/**
 * Connects to the own server as an API server does: it checks the certificate, and the first call of an API server does not have to wait for
 * what Node loads at the first one.
 * @throws {ListwatchError} code WEBHOOK_CERTIFICATE when an API server would refuse the certificate; TIMEOUT.
 */
export async function warmCall(options: WarmCallOptions): Promise<void> {
  const { port, host, name, served, runtime, signal } = options;
  const target: ConnectionOptions = {
    port,
    host,
    ca: served.authorities,
    // With authorities that somebody else registers, only they know whether the certificate is right.
    rejectUnauthorized: served.authorities !== undefined,
    allowPartialTrustChain: true,
    ...(isIP(name) === 0 ? { servername: name } : {}),
  };
  const socket = connect(target);
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  try {
    const describe = (): string => `a connection to the own webhooks at ${host}:${port}`;
    await withDeadline(runtime, connected, { timeoutMs: TIMEOUT_MS, signal, describe });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (!/^(?:CERT|ERR_TLS|UNABLE|SELF_SIGNED|DEPTH)/.test(code)) throw error;
    const text = `${served.source} is refused with the authorities that are registered: ${errorMessage(error)}; give the authority that has signed it as certificate.ca`;
    throw new ListwatchError('WEBHOOK_CERTIFICATE', text, { cause: error });
  } finally {
    socket.destroy();
  }
}
