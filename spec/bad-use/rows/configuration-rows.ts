import { join } from 'node:path';
import { connect } from '../../../lib/client/rest/connect.ts';
import { loadConfig } from '../../../lib/client/config/load-config.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { CANARY, type BadUseArea } from '../bad-use.ts';

const SERVER = 'https://10.0.0.1:6443';

/** A kubeconfig in which one thing is wrong. */
const kubeconfig = (
  changes: object = {},
  user: object = { token: CANARY },
  cluster: object = {},
): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'dev',
  clusters: [{ name: 'dev', cluster: { server: SERVER, ...cluster } }],
  users: [{ name: 'dev', user }],
  contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'dev' } }],
  ...changes,
});

const load = (options: object) => async (): Promise<unknown> => {
  const config = await loadConfig({
    env: {},
    homeDir: '/nowhere',
    ...options,
  });
  return await config.credentials?.current();
};

/** Loads a kubeconfig file with this text. */
const file =
  (text: string, options: object = {}) =>
  async (): Promise<unknown> => {
    await using directory = await ScratchDirectory.make();
    const path = await directory.write('config', text);
    return await load({ kubeconfig: path, ...options })();
  };

const loadText = (document: object, options: object = {}) =>
  file(JSON.stringify(document), options);

export const CONFIGURATION: BadUseArea = {
  title: 'Configuration',
  cases: [
    {
      mistake: 'no configuration anywhere',
      act: load({}),
      code: 'CONFIG_NOT_FOUND',
      message:
        'no API server to connect to. Looked at: /nowhere/.kube/config (no such file); /var/run/secrets/kubernetes.io/serviceaccount (KUBERNETES_SERVICE_HOST is not set, so this is not a pod). Give the option "server" or "kubeconfig", or set KUBECONFIG',
    },
    {
      mistake: 'a kubeconfig that does not exist',
      act: load({ kubeconfig: '/nowhere/config' }),
      code: 'CONFIG_NOT_FOUND',
      message:
        'no API server to connect to. Looked at: /nowhere/config (the option "kubeconfig"; no such file). Give the option "server" or "kubeconfig", or set KUBECONFIG',
    },
    {
      mistake: 'a path in KUBECONFIG that does not exist',
      act: load({ env: { KUBECONFIG: '/nowhere/config' } }),
      code: 'CONFIG_NOT_FOUND',
      message:
        'no API server to connect to. Looked at: /nowhere/config (from KUBECONFIG; no such file); /var/run/secrets/kubernetes.io/serviceaccount (KUBERNETES_SERVICE_HOST is not set, so this is not a pod). Give the option "server" or "kubeconfig", or set KUBECONFIG',
    },
    {
      mistake: 'a file that is not YAML',
      act: file('clusters: [\n'),
      code: 'CONFIG_INVALID',
      message: 'DIRECTORY/config:2: it is not YAML: the indentation is wrong; correct it',
    },
    {
      mistake: 'a file that is no kubeconfig',
      act: file('hello: world\n'),
      code: 'CONFIG_INVALID',
      message: 'DIRECTORY/config: it has no clusters, users and contexts; give one that has them',
    },
    {
      mistake: 'a list in place of a map',
      act: file('- a\n- b\n'),
      code: 'CONFIG_INVALID',
      message: 'DIRECTORY/config:1: expected a mapping of fields, found a list',
    },
    {
      mistake: 'a context that does not exist',
      act: loadText(kubeconfig(), { context: 'prod' }),
      code: 'CONFIG_INVALID',
      message: 'DIRECTORY/config: there is no context prod; the contexts are: dev',
    },
    {
      mistake: 'a cluster that does not exist',
      act: loadText(
        kubeconfig({ contexts: [{ name: 'dev', context: { cluster: 'prod', user: 'dev' } }] }),
      ),
      code: 'CONFIG_INVALID',
      message:
        'DIRECTORY/config:1: contexts[0].context.cluster: there is no cluster prod; the clusters are: dev',
    },
    {
      mistake: 'a user that does not exist',
      act: loadText(
        kubeconfig({ contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'eve' } }] }),
      ),
      code: 'CONFIG_INVALID',
      message:
        'DIRECTORY/config:1: contexts[0].context.user: there is no user eve; the users are: dev',
    },
    {
      mistake: 'a cluster without a server',
      act: loadText(kubeconfig({ clusters: [{ name: 'dev', cluster: {} }] })),
      code: 'CONFIG_INVALID',
      message: 'DIRECTORY/config:1: clusters[0].cluster.server: it is missing; add it',
    },
    {
      mistake: 'a token file that does not exist',
      act: loadText(kubeconfig({}, { tokenFile: '/nowhere/token' })),
      code: 'CONFIG_INVALID',
      message:
        'DIRECTORY/config:1: users[0].user.tokenFile: /nowhere/token: there is no such file; correct the path',
    },
    {
      mistake: 'a certificate authority that does not exist',
      act: loadText(kubeconfig({}, {}, { 'certificate-authority': '/nowhere/ca.crt' })),
      code: 'CONFIG_INVALID',
      message:
        'DIRECTORY/config:1: clusters[0].cluster.certificate-authority: /nowhere/ca.crt: there is no such file; correct the path',
    },
    {
      mistake: 'a client certificate without its key',
      act: loadText(kubeconfig({}, { 'client-certificate-data': 'LS0t' })),
      code: 'CONFIG_INVALID',
      message:
        'DIRECTORY/config:1: users[0].user.client-key: it is missing, and client-certificate needs it',
    },
    {
      mistake: 'data that is not base64',
      act: loadText(kubeconfig({}, {}, { 'certificate-authority-data': '%%%' })),
      code: 'CONFIG_INVALID',
      message:
        'DIRECTORY/config:1: clusters[0].cluster.certificate-authority-data: it is not base64; encode the PEM text with "base64 -w0"',
    },
    {
      mistake: 'a credential provider that was removed',
      act: loadText(kubeconfig({}, { 'auth-provider': { name: 'gcp', config: {} } })),
      code: 'CONFIG_UNSUPPORTED',
      message:
        'DIRECTORY/config:1: users[0].user.auth-provider.name: the auth-provider gcp is not supported; install gke-gcloud-auth-plugin and run "gcloud container clusters get-credentials" again',
    },
    {
      mistake: 'a plug-in of a kubeconfig that was passed as an object',
      act: load({
        kubeconfig: kubeconfig(
          {},
          { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws' } },
        ),
      }),
      code: 'CREDENTIAL_PLUGIN_REFUSED',
      message:
        'the exec plug-in aws of user dev in the option "kubeconfig" may not run: it comes from a configuration that was passed as data; if you trust it, give the option allowExec: ["aws"], or give the path of the kubeconfig instead of its content',
    },
    {
      mistake: 'a plug-in that is not installed',
      act: loadText(
        kubeconfig(
          {},
          {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: 'no-such-plugin',
              interactiveMode: 'Never',
            },
          },
        ),
      ),
      code: 'CREDENTIAL_PLUGIN',
      message:
        'the exec plug-in no-such-plugin of user dev in DIRECTORY/config:1 is not installed: no directory of PATH has it; install it',
    },
    {
      mistake: 'a server address without a scheme',
      act: () => connect({ server: '10.0.0.1:6443', env: {} }),
      code: 'INVALID_OPTION',
      message: 'the server address cannot be used: it is not a URL; expected https://HOST:PORT',
    },
    {
      mistake: 'credentials in the server address',
      act: () => connect({ server: `https://admin:${CANARY}@10.0.0.1:6443`, env: {} }),
      code: 'INVALID_OPTION',
      message:
        'the server address cannot be used: it carries credentials; give a token or a client certificate instead',
    },
    {
      mistake: 'a token over plain HTTP to another machine',
      act: async () => {
        await using client = await connect({
          server: 'http://10.0.0.1:8080',
          token: CANARY,
          env: {},
        });
        return await client.version();
      },
      code: 'INVALID_OPTION',
      message:
        'the token of the option "token" would be sent to http://10.0.0.1:8080 in plain text; use https',
    },
    {
      mistake: 'a token with a line break',
      act: async () => {
        await using client = await connect({
          server: 'http://127.0.0.1:1',
          token: `${CANARY}\n`,
          env: {},
        });
        return await client.version();
      },
      code: 'INVALID_OPTION',
      message:
        'the token of the option "token" has spaces or characters that cannot stand in a header; check for line breaks and quotes',
    },
    {
      mistake: 'a token function without a result',
      act: async () => {
        await using client = await connect({
          server: 'http://127.0.0.1:1',
          token: (() => undefined) as never,
          env: {},
        });
        return await client.version();
      },
      code: 'INVALID_OPTION',
      message:
        'the token of the option "token" must be a string, not undefined; check where the program takes it from',
    },
    {
      mistake: 'a server and a kubeconfig',
      act: () => connect({ server: SERVER, kubeconfig: join('/nowhere', 'config'), env: {} }),
      code: 'INVALID_OPTION',
      message: 'loadConfig: option "server" excludes "kubeconfig"; give one or the other',
    },
    {
      mistake: 'a misspelled option',
      act: () => connect({ kubeconfg: '/nowhere' } as never),
      code: 'INVALID_OPTION',
      message: 'connect: unknown option "kubeconfg"; did you mean "kubeconfig"?',
    },
  ],
};
