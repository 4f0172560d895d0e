import { expect } from 'chai';
import {
  clientNodeSections,
  isClientNodeConfig,
} from '../../../../lib/client/config/kubeconfig/client-node-config.ts';
import { KubeConfig } from '../support/client-node-config.ts';

describe('isClientNodeConfig', () => {
  it('distinguishes a KubeConfig, loaded or not, and the options it loads', () => {
    expect(isClientNodeConfig(new KubeConfig())).to.equal(true);
    expect(isClientNodeConfig({ clusters: [], currentContext: 'a' })).to.equal(true);
  });

  it('does not take a kubeconfig for one', () => {
    expect(isClientNodeConfig({ clusters: [], 'current-context': 'a' })).to.equal(false);
    expect(isClientNodeConfig({})).to.equal(false);
  });
});

describe('clientNodeSections', () => {
  const sections = (cluster: object, user: object): object =>
    clientNodeSections(new KubeConfig().loadFromClusterAndUser(cluster, user, 'shop\n'));

  it('gives each field the name that it has in a kubeconfig', () => {
    const cluster = {
      server: 'https://a',
      caData: 'ca',
      caFile: '/ca',
      skipTLSVerify: true,
      tlsServerName: 'sni',
      proxyUrl: 'http://p',
    };
    const user = {
      token: 't',
      certData: 'cd',
      certFile: '/c',
      keyData: 'kd',
      keyFile: '/k',
      username: 'me',
      password: 'p',
      impersonateUser: 'bob',
      exec: { command: 'aws' },
    };
    expect(JSON.parse(JSON.stringify(sections(cluster, user)))).to.deep.equal({
      'current-context': 'loaded-context',
      contexts: [
        { name: 'loaded-context', context: { cluster: 'c', user: 'u', namespace: 'shop' } },
      ],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: 'https://a',
            'certificate-authority-data': 'ca',
            'certificate-authority': '/ca',
            'insecure-skip-tls-verify': true,
            'tls-server-name': 'sni',
            'proxy-url': 'http://p',
          },
        },
      ],
      users: [
        {
          name: 'u',
          user: {
            token: 't',
            'client-certificate-data': 'cd',
            'client-certificate': '/c',
            'client-key-data': 'kd',
            'client-key': '/k',
            username: 'me',
            password: 'p',
            as: 'bob',
            exec: { command: 'aws' },
          },
        },
      ],
    });
  });

  const users: [title: string, user: object, expected: object][] = [
    [
      'the token file of a pod',
      { authProvider: { name: 'tokenFile', config: { tokenFile: '/run/token' } } },
      { tokenFile: '/run/token' },
    ],
    [
      'a token before a token file',
      { token: 't', authProvider: { name: 'x', config: { tokenFile: '/run/token' } } },
      { token: 't' },
    ],
    [
      'the older form of a plug-in',
      { authProvider: { name: 'exec', config: { exec: { command: 'aws' } } } },
      { exec: { command: 'aws' } },
    ],
    [
      'an identity provider',
      { authProvider: { name: 'oidc', config: { 'id-token': 't' } } },
      { 'auth-provider': { name: 'oidc', config: { 'id-token': 't' } } },
    ],
    [
      'an identity provider without a configuration',
      { authProvider: { name: 'gcp' } },
      { 'auth-provider': { name: 'gcp' } },
    ],
    [
      'the fields that a KubeConfig without them has as null',
      { token: undefined, certData: null, authProvider: null, exec: null },
      {},
    ],
  ];
  for (const [title, user, expected] of users) {
    it(`understands ${title}`, () => {
      const { users: found } = clientNodeSections(
        new KubeConfig().loadFromClusterAndUser({ server: 'https://a' }, user),
      );
      const [entry] = JSON.parse(JSON.stringify(found)) as { user: Record<string, unknown> }[];
      const present = Object.entries(entry?.user ?? {}).filter(([, value]) => value !== null);
      expect(Object.fromEntries(present)).to.deep.equal(expected);
    });
  }

  it('leaves entries alone that are in the form of a kubeconfig, and what is no entry', () => {
    const entry = { name: 'a', cluster: { server: 'https://a' } };
    const found = clientNodeSections({ currentContext: 'a', clusters: [entry, 7, null], users: 8 });
    expect(found.clusters).to.deep.equal([entry, 7, null]);
    expect(found.users).to.equal(8);
  });
});
