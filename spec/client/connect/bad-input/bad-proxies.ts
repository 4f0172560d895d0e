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
    cause: /proxy .*403/,
    remedy: /allow|check|NO_PROXY|proxy-url/,
  }),
  badProxy({
    name: 'an HTTP proxy that asks for a password',
    proxy: { user: 'jane', password: 'proxy-secret' },
    cause: /proxy .*(?:407|password|user)/,
    remedy: /user|password/,
  }),
  badProxy({
    name: 'a SOCKS5 proxy that refuses the tunnel',
    proxy: { protocol: 'socks5', refuse: 2 },
    cause: /proxy .*(?:refuse|allow|rules)/,
    remedy: /allow|check|rules|NO_PROXY|proxy-url/,
  }),
  badProxy({
    name: 'a proxy that answers with garbage',
    proxy: { garbage: 'SSH-2.0-OpenSSH_9.6\r\n' },
    cause: /proxy/,
    remedy: /check|proxy-url|HTTP/,
  }),
  badProxy({
    name: 'a proxy that never answers',
    proxy: { silent: 'greeting' },
    cause: /proxy .*within \d+ ms/,
    remedy: /check|reach|proxy-url/,
    waits: true,
  }),
  {
    name: 'a proxy address at which nothing listens',
    code: 'PROXY',
    cause: /proxy .*(?:nothing listens|refused)/,
    remedy: /check|proxy-url|HTTPS_PROXY/,
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
