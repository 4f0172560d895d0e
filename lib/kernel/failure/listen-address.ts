import { errorMessage, ListwatchError } from './errors.ts';

/** The address to connect to. A server that listens on all addresses also listens on this one. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

export function listenError(error: unknown, host: string, port: number): ListwatchError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new ListwatchError(
      'PORT_IN_USE',
      `port ${port} on ${host} is taken by another process; choose another port, or leave "port" out to get a free one`,
      { cause: error },
    );
  }
  return new ListwatchError(
    'LISTEN_FAILED',
    `cannot listen on ${host} port ${port}: ${errorMessage(error)}; "host" must be an address of this machine`,
    { cause: error },
  );
}
