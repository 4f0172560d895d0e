import { inspect } from 'node:util';
import { expect } from 'chai';
import { kubeconfigConnection } from '../../../../lib/client/config/kubeconfig/kubeconfig-connection.ts';
import { Kubeconfig } from '../../../../lib/client/config/kubeconfig/kubeconfig.ts';
import { AUTHORITY, CLIENT_CERTIFICATE, CLIENT_KEY } from '../../support/certificates.ts';
import { authorizationOf } from '../../support/authorization-of.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';

const FILE = '/home/me/.kube/config';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Parts {
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
}

function kubeconfig({ cluster = '', user = 'token: t', context = '' }: Parts = {}): string {
  return `apiVersion: v1
kind: Config
current-context: kind
contexts:
- name: kind
  context: { cluster: one, user: me, namespace: shop ${context} }
- name: other
  context: { cluster: two, user: nobody }
clusters:
- name: one
  cluster:
    server: https://10.0.0.1:6443
    ${cluster}
users:
- name: me
  user:
    ${user}
`;
}

const connectionOf = async (
  text: string,
  context?: string,
): ReturnType<typeof kubeconfigConnection> =>
  await kubeconfigConnection(await Kubeconfig.parse(text, FILE), { context });

describe('a kubeconfig', () => {
  it('leads from its current context to address, namespace and token', async () => {
    const config = await connectionOf(kubeconfig());
    expect(config.server).to.equal('https://10.0.0.1:6443');
    expect(config.namespace).to.equal('shop');
    expect(await authorizationOf(config)).to.equal('Bearer t');
    expect(config.source).to.equal(`context kind in ${FILE}`);
  });

  it('gives certificates and keys inline, and inline ones win over files', async () => {
    const config = await connectionOf(
      kubeconfig({
        cluster: `certificate-authority-data: ${base64(AUTHORITY)}
    certificate-authority: /no/such/file
    tls-server-name: api.test`,
        user: `client-certificate-data: ${base64(CLIENT_CERTIFICATE)}
    client-key-data: ${base64(CLIENT_KEY)}`,
      }),
    );
    expect(config.tls).to.deep.include({
      ca: AUTHORITY,
      cert: CLIENT_CERTIFICATE,
      key: CLIENT_KEY,
      serverName: 'api.test',
      insecureSkipVerify: false,
    });
  });

  it('reads files relative to its own', async () => {
    await using scratch = await ScratchDirectory.make();
    await scratch.write('pki/ca.crt', AUTHORITY);
    await scratch.write('pki/me.crt', CLIENT_CERTIFICATE);
    await scratch.write('pki/me.key', CLIENT_KEY);
    await scratch.write('token', 'from-file\n');
    const text = kubeconfig({
      cluster: 'certificate-authority: pki/ca.crt',
      user: `tokenFile: token
    client-certificate: pki/me.crt
    client-key: ./pki/me.key`,
    });
    const path = await scratch.write('config', text);
    const config = await kubeconfigConnection(await Kubeconfig.parse(text, path));
    expect(config.tls).to.include({ ca: AUTHORITY, cert: CLIENT_CERTIFICATE, key: CLIENT_KEY });
    expect(await authorizationOf(config)).to.equal('Bearer from-file');
  });

  it('prefers a token to a token file', async () => {
    const config = await connectionOf(kubeconfig({ user: '{ token: t, tokenFile: /no/such }' }));
    expect(await authorizationOf(config)).to.equal('Bearer t');
  });

  it('needs no user', async () => {
    const text = kubeconfig().replaceAll('user: me,', '');
    expect((await connectionOf(text)).credentials).to.equal(undefined);
  });

  it('may be invalid in entries that are not used', async () => {
    const text = `${kubeconfig()}- name: unused\n  user: { token: 7, exec: nonsense }\n`;
    expect(await authorizationOf(await connectionOf(text))).to.equal('Bearer t');
  });

  it('prints neither token nor key', async () => {
    const config = await connectionOf(
      kubeconfig({
        user: `token: canary
    client-certificate-data: ${base64(CLIENT_CERTIFICATE)}
    client-key-data: ${base64(CLIENT_KEY)}`,
      }),
    );
    const printed = inspect(config, { depth: 9, showHidden: true }) + JSON.stringify(config);
    expect(printed).to.contain('https://10.0.0.1:6443');
    expect(printed).not.to.contain('canary').and.not.to.contain('PRIVATE KEY');
  });

  describe('that is wrong is refused with file, line and field:', () => {
    const cases: [title: string, text: string, expected: string][] = [
      ['no YAML', 'a: [\nb: c', 'config:2: it is not YAML: bad indent'],
      ['another kind', 'kind: Pod', 'config:1: kind: expected Config'],
      ['a list for a map', '- a', 'config:1: expected a mapping of fields'],
      ['no list', 'clusters: {}', 'config:1: clusters: expected a list'],
      ['an entry without name', 'users:\n- user: {}', 'config:2: users[0].name: it is missing'],
      ['two keys of one name', 'kind: Config\nkind: Config', 'config:2: it is not YAML'],
    ];
    for (const [title, text, expected] of cases) {
      it(title, async () => {
        const error = await failureOf(Kubeconfig.parse(text, FILE));
        expect(error.code).to.equal('CONFIG_INVALID');
        expect(error.message).to.contain(expected);
      });
    }

    const uses: [title: string, text: string, expected: string][] = [
      [
        'an unknown cluster',
        kubeconfig().replace('cluster: one', 'cluster: three'),
        'config:6: contexts[0].context.cluster: there is no cluster three; there are: one',
      ],
      [
        'an unknown current context',
        kubeconfig().replace('current-context: kind', 'current-context: gone'),
        'config:3: current-context: there is no context gone; the contexts are: kind, other',
      ],
      [
        'no server',
        kubeconfig().replace('server: https://10.0.0.1:6443', 'x: y'),
        'config:12: clusters[0].cluster.server: it is missing',
      ],
      [
        'an address without scheme',
        kubeconfig().replace('https://10.0.0.1:6443', '10.0.0.1'),
        'config:12: clusters[0].cluster.server: the server address cannot be used',
      ],
      [
        'a number for a token',
        kubeconfig({ user: 'token: 12345678' }),
        'config:17: users[0].user.token: expected a text',
      ],
      [
        'a text for a flag',
        kubeconfig({ cluster: 'insecure-skip-tls-verify: "yes"' }),
        'config:13: clusters[0].cluster.insecure-skip-tls-verify: expected true or false',
      ],
      [
        'no base64',
        kubeconfig({ cluster: 'certificate-authority-data: "***"' }),
        'config:13: clusters[0].cluster.certificate-authority-data: it is not base64',
      ],
      [
        'no PEM',
        kubeconfig({ cluster: `certificate-authority-data: ${base64('hello')}` }),
        'it contains no PEM block of a certificate',
      ],
      [
        'a missing file',
        kubeconfig({ cluster: 'certificate-authority: nowhere.crt' }),
        'config:13: clusters[0].cluster.certificate-authority: the file cannot be read',
      ],
      [
        'a certificate without key',
        kubeconfig({ user: `client-certificate-data: ${base64(CLIENT_CERTIFICATE)}` }),
        'users[0].user.client-key: it is missing',
      ],
      [
        'an authority that is to be ignored',
        kubeconfig({
          cluster: `{ server: https://a, insecure-skip-tls-verify: true, certificate-authority-data: ${base64(AUTHORITY)} }`,
        }).replace('server: https://10.0.0.1:6443\n    ', ''),
        'insecure-skip-tls-verify: it contradicts the certificate-authority',
      ],
    ];
    for (const [title, text, expected] of uses) {
      it(title, async () => {
        const error = await failureOf(connectionOf(text));
        expect(error.code).to.equal('CONFIG_INVALID');
        expect(error.message).to.contain(expected);
      });
    }

    it('a context that is asked for and not there, or none at all', async () => {
      expect((await failureOf(connectionOf(kubeconfig(), 'toString'))).message).to.contain(
        'there is no context toString; the contexts are: kind, other',
      );
      const none = kubeconfig().replace('current-context: kind', '');
      expect((await failureOf(connectionOf(none))).message).to.contain(
        'current-context is not set',
      );
    });

    it('values never stand in the message', async () => {
      const broken = kubeconfig({ user: 'token: "canary' });
      expect((await failureOf(Kubeconfig.parse(broken, FILE))).message).not.to.contain('canary');
      const wrong = kubeconfig({ user: 'token: [canary]' });
      expect((await failureOf(connectionOf(wrong))).message).not.to.contain('canary');
    });

    it('aliases that multiply are not followed', async () => {
      const levels = Array.from({ length: 9 }, (_, level) => {
        const item = level === 0 ? 'x' : `*a${level - 1}`;
        return `a${level}: &a${level} [${Array(9).fill(item).join(',')}]`;
      });
      const error = await failureOf(Kubeconfig.parse(levels.join('\n'), FILE));
      expect(error.code).to.equal('CONFIG_INVALID');
    });
  });

  describe('asks for what is not supported:', () => {
    const cases: [name: string, parts: Parts, expected: string][] = [
      ['exec', { user: 'exec: { command: aws }' }, 'users[0].user.exec: credential plug-ins'],
      ['auth-provider', { user: 'auth-provider: { name: gcp }' }, 'auth-provider: credential'],
      [
        'passwords',
        { user: '{ username: u, password: p }' },
        'username: API servers no longer accept',
      ],
      ['impersonation', { user: '{ token: t, as: admin }' }, 'user.as: impersonation'],
      ['proxies', { cluster: 'proxy-url: http://p' }, 'cluster.proxy-url: proxies'],
    ];
    for (const [name, parts, expected] of cases) {
      it(name, async () => {
        const error = await failureOf(connectionOf(kubeconfig(parts)));
        expect(error.code).to.equal('CONFIG_UNSUPPORTED');
        expect(error.message).to.match(/^\/home\/me\/\.kube\/config:\d+: /);
        expect(error.message).to.contain(expected);
      });
    }

    it('a plug-in beside other credentials is not needed', async () => {
      const user = '{ token: t, exec: { command: aws } }';
      const config = await connectionOf(kubeconfig({ user }));
      expect(await authorizationOf(config)).to.equal('Bearer t');
    });
  });
});
