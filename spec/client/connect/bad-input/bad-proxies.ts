import { TestAuthority } from '../../support/test-authority.ts';
import { TestProxy, type TestProxyOptions } from '../../support/test-proxy.ts';
import { kubeconfigText } from '../support/kubeconfig-text.ts';
import { Tap } from '../support/tap.ts';
import { encounter, type BadInput } from './bad-input.ts';

interface BadProxy extends Pick<BadInput, 'name' | 'cause' | 'remedy' | 'waits'> {
  readonly proxy: TestProxyOptions;
}

function badProxy({ proxy: proxyOptions, ...rest }: BadProxy): BadInput {
  return {
    ...rest,
    code: 'PROXY',
    open: async (scratch) => {
      const proxy = await TestProxy.start(proxyOptions);
      const text = kubeconfigText({
        server: 'https://api.test:6443',
        user: { token: 'a-constant-token' },
        cluster: { 'proxy-url': proxy.url },
      });
      const kubeconfig = await scratch.write('config', text);
      return encounter({ kubeconfig, env: {} }, () => proxy.connections, proxy);
    },
  };
}

export const badProxies: readonly BadInput[] = [
  badProxy({
    name: 'an HTTP proxy that refuses the tunnel',
    proxy: { refuse: 403 },
    cause: /does not allow connections to api\.test:6443 \(HTTP 403/,
    remedy: /let its operator allow them, or put the host into NO_PROXY/,
  }),
  badProxy({
    name: 'an HTTP proxy that asks for a password',
    proxy: { user: 'jane', password: 'proxy-secret' },
    cause: /asks for a user and a password/,
    remedy: /put them into the proxy URL \(proxy-url or HTTPS_PROXY\)/,
  }),
  badProxy({
    name: 'a SOCKS5 proxy that refuses the tunnel',
    proxy: { protocol: 'socks5', refuse: 2 },
    cause: /does not allow connections to api\.test:6443 \(SOCKS reply 2/,
    remedy: /let its operator allow them, or put the host into NO_PROXY/,
  }),
  badProxy({
    name: 'a proxy that answers with garbage',
    proxy: { garbage: 'SSH-2.0-OpenSSH_9.6\r\n' },
    cause: /its answer is not HTTP/,
    remedy: /give host and port of an HTTP proxy in the proxy URL/,
  }),
  badProxy({
    name: 'a proxy that never answers',
    proxy: { silent: 'greeting' },
    cause: /it gave no answer within 10000 ms/,
    remedy:
      /check host and port of the proxy URL, network and firewall, or raise timeouts\.connectMs/,
    waits: true,
  }),
  {
    name: 'a proxy address at which nothing listens',
    code: 'PROXY',
    cause: /nothing listens there/,
    remedy: /check that the proxy runs, and host and port of the proxy URL/,
    open: async (scratch) => {
      const tap = await Tap.start(1);
      const { port } = tap;
      await tap[Symbol.asyncDispose]();
      const { certificate } = new TestAuthority();
      const text = kubeconfigText({
        server: 'https://api.test:6443',
        authority: certificate,
        user: { token: 'a-constant-token' },
        cluster: { 'proxy-url': `http://127.0.0.1:${port}` },
      });
      return encounter({ kubeconfig: await scratch.write('config', text), env: {} }, () => 0);
    },
  },
];
