import { isIPv4, isIPv6 } from 'node:net';

/** Whether an address or host name can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  if (isIPv4(bare)) return bare.startsWith('127.');
  return isIPv6(bare) && (bare === '::1' || bare.startsWith('::ffff:127.'));
}

/**
 * Whether a `Host` header names this machine. A web page can make its own host name resolve to this machine and send requests
 * from the user's browser; the header then has that name.
 */
export function hostIsLocal(header: string | undefined): boolean {
  if (header === undefined) return true;
  return isLoopback(header.replace(/:\d+$/, ''));
}
