import { TestProxy } from '../../support/test-proxy.ts';
import type { CredentialKind } from './credential-kind.ts';
import { tokenFileKubeconfig } from './token-kinds.ts';

/** No output may have it. */
export const PROXY_PASSWORD = 'canary-proxy-password';

interface ProxyKind {
  readonly name: string;
  readonly protocol: 'http' | 'https' | 'socks5';
  /** Whether the environment names the proxy, instead of the kubeconfig. */
  readonly fromEnvironment?: boolean | undefined;
}

/** A rotating token file, and every connection goes through a proxy that asks for a password. */
function proxyKind({ name, protocol, fromEnvironment }: ProxyKind): CredentialKind {
  return {
    name,
    open: async (room) => {
      const { cluster, scratch } = room;
      const { certificate: cert, privateKey: key } = cluster.serverCertificate();
      const proxy = await TestProxy.start({
        protocol: protocol === 'socks5' ? protocol : 'http',
        tls: protocol === 'https' ? { cert, key } : undefined,
        user: 'proxy-user',
        password: PROXY_PASSWORD,
      });
      const url = proxy.urlWithPassword;
      const fields = fromEnvironment === true ? elsewhere(cluster.server) : { 'proxy-url': url };
      const kubeconfig = await scratch.write('config', await tokenFileKubeconfig(room, fields));
      return {
        options: { kubeconfig, env: fromEnvironment === true ? { HTTPS_PROXY: url } : {} },
        rotate: async () => {
          if (proxy.tunnels === 0) throw new Error('no connection went through the proxy');
          await scratch.replace('token', await cluster.issueToken());
          await cluster.retireOld();
        },
        [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
      };
    },
  };
}

/** The proxy of the environment is not used for this machine, so the address is a name that only the proxy knows. */
function elsewhere(server: string): Readonly<Record<string, string>> {
  const { port } = new URL(server);
  return { server: `https://cluster.test:${port}`, 'tls-server-name': 'localhost' };
}

export const proxyKinds: readonly CredentialKind[] = [
  proxyKind({ name: 'token file, HTTP proxy', protocol: 'http' }),
  proxyKind({
    name: 'token file, HTTP proxy of the environment',
    protocol: 'http',
    fromEnvironment: true,
  }),
  proxyKind({ name: 'token file, HTTPS proxy', protocol: 'https' }),
  proxyKind({ name: 'token file, SOCKS5 proxy', protocol: 'socks5' }),
];
