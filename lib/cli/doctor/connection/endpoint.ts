import type { ConnectionConfig } from '../../../client/config/contract/connection-config.ts';

export interface Endpoint {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /** Whether it is https. */
  readonly secure: boolean;
}

/** Host and port of the server. */
export function endpointOf({ server }: Pick<ConnectionConfig, 'server'>): Endpoint {
  const url = new URL(server);
  const secure = url.protocol === 'https:';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    secure,
  };
}
