import { rm } from 'node:fs/promises';
import { TestAuthority, expired } from '../../support/test-authority.ts';
import { RawServer } from '../../support/raw-server.ts';
import { Front } from './front.ts';
import type { GuideBench } from './guide-bench.ts';

export interface GuideFailure {
  /** The cause, in the words of the guide. */
  readonly wrong: string;
  readonly provoke: (bench: GuideBench) => Promise<unknown>;
}

const TOKEN = `users:
- name: token
  user: { tokenFile: /run/secrets/cluster/token }`;

const CERTIFICATE = `users:
- name: certificate
  user: { client-certificate: /run/secrets/cluster/client.crt, client-key: /run/secrets/cluster/client.key }`;

const plugin = (command: string, more: string = ''): string => `users:
- name: plug-in
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      interactiveMode: Never
      command: ${command}
      installHint: brew install awscli
      ${more}`;

const oidc = (bench: GuideBench): string => `users:
- name: oidc
  user:
    auth-provider:
      name: oidc
      config: { idp-issuer-url: "${bench.issuer.url}", client-id: listwatch, refresh-token: refused }`;

const cluster = (server: string, more: string = ''): string => `clusters:
- name: other
  cluster:
    server: ${server}
    ${more}`;

async function listing(bench: GuideBench, entry: string): Promise<unknown> {
  return await bench.namespaces({ kubeconfig: await bench.kubeconfig(entry) });
}

/** Asks a server with this certificate of an authority that the client trusts. */
async function presenting(
  bench: GuideBench,
  issue: (authority: TestAuthority) => { certificate: string; privateKey: string },
  trusted: boolean = true,
): Promise<unknown> {
  const authority = new TestAuthority();
  await bench.writeToken();
  await bench.scratch.write('other.crt', trusted ? authority.certificate : bench.cluster.authority);
  await using front = await Front.start({
    target: { server: bench.cluster.server, token: '' },
    certificate: issue(authority),
    accepted: () => true,
  });
  return await listing(
    bench,
    cluster(front.url, 'certificate-authority: /run/secrets/cluster/other.crt'),
  );
}

/** The failures of the guide, in its order. */
export const guideFailures: readonly GuideFailure[] = [
  {
    wrong: 'there is no configuration',
    provoke: (bench) =>
      bench.namespaces({
        serviceAccountDirectory: '/var/run/secrets/kubernetes.io/serviceaccount',
        homeDir: '/home/me',
      }),
  },
  {
    wrong: 'the context does not exist',
    provoke: async (bench) =>
      bench.namespaces({ kubeconfig: await bench.kubeconfig(TOKEN), context: 'gide' }),
  },
  {
    wrong: 'the token file does not exist',
    provoke: async (bench) => {
      await rm(bench.file('token'), { force: true });
      return await listing(bench, TOKEN);
    },
  },
  {
    wrong: 'the server does not accept the token',
    provoke: async (bench) => {
      await bench.scratch.write('token', 'outdated');
      return await listing(bench, TOKEN);
    },
  },
  {
    wrong: 'the token would be sent in plain text',
    provoke: async (bench) => {
      await bench.writeToken();
      return await listing(bench, cluster('http://10.0.0.1:8080'));
    },
  },
  {
    wrong: 'the client certificate has expired',
    provoke: async (bench) => {
      const { certificate, privateKey } = new TestAuthority().client({
        user: 'jane',
        ...expired(Date.parse('2026-01-02T03:04:05Z')),
      });
      await bench.scratch.write('client.crt', certificate);
      await bench.scratch.write('client.key', privateKey);
      return await listing(bench, CERTIFICATE);
    },
  },
  {
    wrong: 'the key does not belong to the certificate',
    provoke: async (bench) => {
      const authority = new TestAuthority();
      await bench.scratch.write('client.crt', authority.client({ user: 'jane' }).certificate);
      await bench.scratch.write('client.key', authority.client({ user: 'jane' }).privateKey);
      return await listing(bench, CERTIFICATE);
    },
  },
  {
    wrong: 'the plug-in is not installed',
    provoke: (bench) => listing(bench, plugin('aws-of-the-guide')),
  },
  {
    wrong: 'the plug-in fails',
    provoke: async (bench) => {
      const path = await bench.scratch.write(
        'fails.mjs',
        'console.error("no session"); process.exit(1);',
      );
      return await listing(bench, plugin(JSON.stringify(process.execPath), `args: [${path}]`));
    },
  },
  {
    wrong: 'the plug-in prints something else',
    provoke: async (bench) => {
      const path = await bench.scratch.write('prints.mjs', 'console.log("hello");');
      return await listing(bench, plugin(JSON.stringify(process.execPath), `args: [${path}]`));
    },
  },
  {
    wrong: 'a configuration that is passed as data names a program',
    provoke: (bench) =>
      bench.namespaces({
        kubeconfig: {
          text: `current-context: a
contexts: [{ name: a, context: { cluster: a, user: plug-in } }]
clusters: [{ name: a, cluster: { server: "https://127.0.0.1:1" } }]
${plugin('aws')}`,
        },
      }),
  },
  {
    wrong: 'the issuer refuses the refresh token',
    provoke: (bench) => listing(bench, oidc(bench)),
  },
  {
    wrong: 'the certificate of the server has expired',
    provoke: (bench) =>
      presenting(bench, (authority) =>
        authority.server(expired(Date.parse('2026-01-02T03:04:05Z'))),
      ),
  },
  {
    wrong: 'the certificate of the server is signed by another authority',
    provoke: (bench) => presenting(bench, (authority) => authority.server(), false),
  },
  {
    wrong: 'the certificate of the server is for another name',
    provoke: (bench) =>
      presenting(bench, (authority) => authority.server({ hosts: ['api.shop.example'] })),
  },
  {
    wrong: 'nothing listens at the address',
    provoke: async (bench) => {
      await bench.writeToken();
      return await listing(bench, cluster('https://127.0.0.1:1'));
    },
  },
  {
    wrong: 'the server speaks no TLS',
    provoke: async (bench) => {
      await bench.writeToken();
      await using plain = await RawServer.start((_, response) => void response.end());
      return await listing(bench, cluster(plain.url.replace('http:', 'https:')));
    },
  },
  {
    wrong: 'the server answers with a page, as a login portal does',
    provoke: async (bench) => {
      await bench.writeToken();
      await using portal = await RawServer.start((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>');
      });
      return await listing(bench, cluster(portal.url));
    },
  },
  {
    wrong: 'the server redirects',
    provoke: async (bench) => {
      await bench.writeToken();
      await using portal = await RawServer.start((_, response) => {
        response.writeHead(302, { location: 'https://login.example/' }).end();
      });
      return await listing(bench, cluster(portal.url));
    },
  },
  {
    wrong: 'the proxy refuses user and password',
    provoke: async (bench) => {
      await bench.writeToken();
      const url = bench.proxy.url.replace('http://', 'http://user:wrong@');
      return await listing(
        bench,
        cluster(
          bench.cluster.server,
          `certificate-authority: /run/secrets/cluster/ca.crt\n    proxy-url: ${url}`,
        ),
      );
    },
  },
  {
    wrong: 'nothing listens at the address of the proxy',
    provoke: async (bench) => {
      await bench.writeToken();
      return await listing(
        bench,
        cluster('https://api.shop.example', 'proxy-url: socks5://127.0.0.1:1'),
      );
    },
  },
];
