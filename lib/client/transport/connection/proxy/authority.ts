import { isIPv6 } from 'node:net';
import type { DialTarget } from './dialer.ts';

/** Host and port as one text, an IPv6 address in brackets. */
export function authority({ host, port }: DialTarget): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
