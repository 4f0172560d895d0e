import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { loadConfig } from '../../../client/config/load-config.ts';
import { AxiosTransport } from '../../../client/transport/axios-transport.ts';
import { proxyDialer } from '../../../client/transport/connection/proxy/proxy-dialer.ts';
import type { Network } from '../contract/network.ts';

/** The network of this machine. */
export const realNetwork: Network = {
  loadConfig,
  lookup: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: (host, port) => connect({ host, port }),
  tunnel: async (proxy, target, { signal, ...options }) =>
    await proxyDialer(proxy, options).dial(target, signal),
  async openTransport(config, { timeoutMs, runtime, userAgent }) {
    // Its loading is not part of the time of the first request.
    await import('axios');
    const { server, credentials, impersonate, tls, proxy, disableCompression } = config;
    const timeouts = { connectMs: timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs };
    return new AxiosTransport({
      server,
      credentials,
      impersonate,
      tls,
      proxy,
      disableCompression,
      timeouts,
      runtime,
      userAgent,
    });
  },
};
