import { expect } from 'chai';
import { loadConfig, type LoadConfigOptions } from '../../../lib/client/config/load-config.ts';
import { AUTHORITY } from '../support/certificates.ts';
import type { KubeconfigSource } from '../../../lib/client/config/kubeconfig/kubeconfig-source.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { authorizationOf } from '../support/authorization-of.ts';
import { failureOf } from '../support/failure-of.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';
import { TestAuthority } from '../support/test-authority.ts';
import { writeCase } from './support/case-files.ts';
import { KubeConfig } from './support/client-node-config.ts';
import { kubectlCases, type KubectlCase, type Taken } from './support/kubectl-cases.ts';

function kubeconfig(name: string, current: string = name): string {
  return `
${current === '' ? '' : `current-context: ${current}`}
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name}, namespace: ${name}-ns } }]
clusters: [{ name: ${name}, cluster: { server: "https://${name}" } }]
users: [{ name: ${name}, user: { token: ${name}-token } }]
`;
}

describe('loadConfig', () => {
  let scratch: ScratchDirectory;
  const load = (options: LoadConfigOptions = {}): ReturnType<typeof loadConfig> =>
    loadConfig({
      env: {},
      logger: silentLogger,
      homeDir: scratch.path,
      serviceAccountDirectory: `${scratch.path}/pod`,
      ...options,
    });

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const makePod = async (): Promise<Record<string, string>> => {
    await scratch.write('pod/token', 'pod-token');
    await scratch.write('pod/ca.crt', AUTHORITY);
    await scratch.write('pod/namespace', 'pod-ns\n');
    return { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  };

  it('goes by options, KUBECONFIG, home directory and pod, in this order', async () => {
    const pod = await makePod();
    const home = await scratch.write('.kube/config', kubeconfig('home'));
    const named = await scratch.write('named', kubeconfig('named'));
    const explicit = await scratch.write('explicit', kubeconfig('explicit'));
    const env = { ...pod, KUBECONFIG: named };

    expect((await load({ env, server: 'https://given' })).server).to.equal('https://given');
    expect((await load({ env, kubeconfig: explicit })).server).to.equal('https://explicit');
    expect((await load({ env })).server).to.equal('https://named');
    const fromHome = await load({ env: pod });
    expect(fromHome.server).to.equal('https://home');
    expect(fromHome.source).to.contain(home);
    const fromPod = await load({ env: pod, homeDir: '/nowhere' });
    expect(fromPod.server).to.equal('https://[fd00::1]:443');
    expect(fromPod.namespace).to.equal('pod-ns');
    const { ca } = fromPod.tls;
    expect(typeof ca === 'function' && (await ca())).to.equal(AUTHORITY);
    expect(await authorizationOf(fromPod)).to.equal('Bearer pod-token');
  });

  it('joins the files of KUBECONFIG: the first entry of a name and the first current context count', async () => {
    const first = await scratch.write('first', kubeconfig('one', ''));
    const second = await scratch.write(
      'second',
      kubeconfig('one').replace('https://one', 'https://hidden') + '\nkind: Config\n',
    );
    const third = await scratch.write('third', kubeconfig('two'));
    const env = { KUBECONFIG: [first, '/no/such', '', second, third, first].join(':') };
    const config = await load({ env });
    expect(config.server).to.equal('https://one');
    expect((await load({ env, context: 'two' })).server).to.equal('https://two');
  });

  it('lets options replace namespace, token and TLS settings that were found', async () => {
    const env = { KUBECONFIG: await scratch.write('named', kubeconfig('named')) };
    const found = await load({ env });
    expect(found.namespace).to.equal('named-ns');
    expect(await authorizationOf(found)).to.equal('Bearer named-token');
    const config = await load({ env, namespace: 'n', token: 't', tls: { serverName: 's' } });
    expect(config.namespace).to.equal('n');
    expect(await authorizationOf(config)).to.equal('Bearer t');
    expect(config.tls).to.deep.include({ serverName: 's', insecureSkipVerify: false });
  });

  it('says where it looked when there is nothing', async () => {
    const error = await failureOf(load());
    expect(error.code).to.equal('CONFIG_NOT_FOUND');
    expect(error.message)
      .to.contain(`${scratch.path}/.kube/config (no such file)`)
      .and.to.contain(`${scratch.path}/pod (KUBERNETES_SERVICE_HOST is not set`);
  });

  it('never falls back to the home directory when KUBECONFIG or an option says otherwise', async () => {
    await scratch.write('.kube/config', kubeconfig('home'));
    const missing = await failureOf(load({ env: { KUBECONFIG: '/no/such' } }));
    expect(missing.code).to.equal('CONFIG_NOT_FOUND');
    expect(missing.message).to.contain('/no/such (from KUBECONFIG; no such file)');
    const explicit = await failureOf(load({ kubeconfig: '/no/such' }));
    expect(explicit.message).to.contain('the option "kubeconfig"');
  });

  it('does not take the pod for a context that was asked for', async () => {
    const env = await makePod();
    expect((await failureOf(load({ env, context: 'kind' }))).code).to.equal('CONFIG_NOT_FOUND');
  });

  it('says what a pod lacks', async () => {
    const env = await makePod();
    const directory = `${scratch.path}/elsewhere`;
    const error = await failureOf(load({ env, serviceAccountDirectory: directory }));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.contain(`${directory}/token`);
  });

  it('does not pass over a file that is there and cannot be read', async () => {
    await scratch.write('.kube/config/oops', '');
    const error = await failureOf(load());
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.contain(`${scratch.path}/.kube/config`);
  });

  it('refuses contradicting and unknown options', async () => {
    const both = await failureOf(load({ server: 'https://a', context: 'b' }));
    expect(both.code).to.equal('INVALID_OPTION');
    const misspelt: object = { sever: 'https://a' };
    expect((await failureOf(load(misspelt))).message).to.contain('"sever"');
  });

  describe('takes from kubeconfig files what kubectl takes:', () => {
    const takenFrom = async (one: KubectlCase): Promise<Taken | 'refused'> => {
      const env = await writeCase(one, scratch, AUTHORITY);
      const { context, cluster, user } = one;
      try {
        const config = await load({ env, context, cluster, user });
        const token = (await authorizationOf(config))?.replace('Bearer ', '');
        return {
          server: config.server,
          ...(config.namespace === 'default' ? {} : { namespace: config.namespace }),
          ...(token === undefined ? {} : { token }),
        };
      } catch (error) {
        if (error instanceof ListwatchError) return 'refused';
        throw error;
      }
    };
    for (const one of kubectlCases) {
      const difference = one.here === undefined ? '' : ` (not as kubectl: ${one.here.because})`;
      it(`${one.title}${difference}`, async () => {
        expect(await takenFrom(one)).to.deep.equal(one.here?.taken ?? one.kubectl);
      });
    }
  });

  describe('in a pod', () => {
    it('uses the service account if no file has a current context, as kubectl does, with a warning', async () => {
      const env = await makePod();
      const logger = new RecordedLog();
      await scratch.write('.kube/config', kubeconfig('home', ''));
      const config = await load({ env, logger });
      expect(config.namespace).to.equal('pod-ns');
      expect(logger.warnings).to.deep.equal([
        `the kubeconfig has no current-context; the service account is used {"files":"${scratch.path}/.kube/config"}`,
      ]);
    });

    it('uses the service account if the file is empty', async () => {
      const env = await makePod();
      const logger = new RecordedLog();
      await scratch.write('.kube/config', '');
      expect((await load({ env, logger })).namespace).to.equal('pod-ns');
      expect(logger.warnings).to.deep.equal([]);
    });

    it('does not use the service account for an empty kubeconfig that is given as an option', async () => {
      const env = await makePod();
      const kubeconfig = await scratch.write('empty', '');
      expect((await failureOf(load({ env, kubeconfig }))).message).to.equal(
        `${kubeconfig}: it has no clusters, users and contexts; give one that has them`,
      );
    });

    it('does not use the service account for a cluster or a user that is asked for', async () => {
      const env = await makePod();
      for (const names of [{ cluster: 'a' }, { user: 'a' }]) {
        expect((await failureOf(load({ env, ...names }))).code).to.equal('CONFIG_NOT_FOUND');
      }
    });
  });

  it('warns of files of KUBECONFIG that are missing, if some are there', async () => {
    const logger = new RecordedLog();
    const named = await scratch.write('named', kubeconfig('named'));
    const env = { KUBECONFIG: `/no/such:${named}:~/config` };
    await load({ env, logger });
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0])
      .to.contain('some files of KUBECONFIG do not exist')
      .and.to.contain('/no/such (from KUBECONFIG; no such file)')
      .and.to.contain('\\"~\\" is not replaced here, write the home directory');
    await load({ env: { KUBECONFIG: named }, logger });
    expect(logger.warnings).to.have.length(1);
  });

  it('says that a path with ~ is taken as it is', async () => {
    const error = await failureOf(load({ kubeconfig: '~/.kube/config' }));
    expect(error.code).to.equal('CONFIG_NOT_FOUND');
    expect(error.message).to.contain(
      '~/.kube/config (the option "kubeconfig"; no such file; "~" is not replaced here, write the home directory)',
    );
  });

  it('says that KUBECONFIG has separators only, and that a file is without a current context', async () => {
    expect((await failureOf(load({ env: { KUBECONFIG: ':' } }))).message).to.contain(
      'KUBECONFIG (it has separators only)',
    );
    const empty = await scratch.write('empty', '');
    expect((await failureOf(load({ env: { KUBECONFIG: empty } }))).message).to.contain(
      `${empty} (it has no current-context)`,
    );
    await scratch.write('.kube/config', kubeconfig('home', ''));
    expect((await failureOf(load())).message).to.equal(
      `${scratch.path}/.kube/config: current-context is not set; set it, or give the option "context"; the contexts are: home`,
    );
  });

  it('says that there is no home directory, and reads no file of the working directory instead', async () => {
    expect((await failureOf(load({ homeDir: '' }))).message).to.contain(
      '~/.kube/config (HOME is not set, and the system names no home directory)',
    );
  });

  describe('as data', () => {
    const text = kubeconfig('data');
    const parsed = {
      'current-context': 'data',
      contexts: [
        { name: 'data', context: { cluster: 'data', user: 'data', namespace: 'data-ns' } },
      ],
      clusters: [{ name: 'data', cluster: { server: 'https://data' } }],
      users: [{ name: 'data', user: { token: 'data-token' } }],
    };
    const object = new KubeConfig().loadFromClusterAndUser(
      { server: 'https://data' },
      { token: 'data-token' },
      'data-ns',
    );
    const sources: [title: string, kubeconfig: KubeconfigSource, source: string][] = [
      ['a text', { text }, 'the token of user data in the option "kubeconfig":5'],
      ['an object', parsed, 'the token of user data in the option "kubeconfig"'],
      [
        'a KubeConfig of @kubernetes/client-node',
        object,
        'the token of user u in the KubeConfig object in the option "kubeconfig"',
      ],
    ];
    for (const [title, source, name] of sources) {
      it(`takes ${title}`, async () => {
        const config = await load({ kubeconfig: source });
        expect([config.server, config.namespace]).to.deep.equal(['https://data', 'data-ns']);
        expect(await authorizationOf(config)).to.equal('Bearer data-token');
        expect(config.credentials?.source).to.equal(name);
      });
    }

    it('follows the token file of a KubeConfig that was made in a pod', async () => {
      await makePod();
      const pod = new KubeConfig().loadFromClusterAndUser(
        { server: 'https://10.0.0.1:443', caFile: `${scratch.path}/pod/ca.crt` },
        { authProvider: { name: 'tokenFile', config: { tokenFile: `${scratch.path}/pod/token` } } },
      );
      const config = await load({ kubeconfig: pod });
      expect(await authorizationOf(config)).to.equal('Bearer pod-token');
      expect(typeof config.tls.ca).to.equal('function');
    });

    const exec = { command: 'aws', apiVersion: 'client.authentication.k8s.io/v1beta1' };
    const withPlugin: [title: string, kubeconfig: KubeconfigSource][] = [
      ['an object', { ...parsed, users: [{ name: 'data', user: { exec } }] }],
      ['a KubeConfig', new KubeConfig().loadFromClusterAndUser({ server: 'https://a' }, { exec })],
      ['a text', { text: text.replace('token: data-token', `exec: ${JSON.stringify(exec)}`) }],
    ];
    for (const [title, source] of withPlugin) {
      it(`refuses the plug-in of ${title}, unless it is allowed`, async () => {
        const error = await failureOf(load({ kubeconfig: source }));
        expect(error.code).to.equal('CREDENTIAL_PLUGIN_REFUSED');
        expect(error.message).to.contain(
          'give the option allowExec: ["aws"], or give the path of the kubeconfig',
        );
        for (const allowExec of [true, ['aws']]) {
          const config = await load({ kubeconfig: source, allowExec });
          expect(config.credentials?.source).to.contain('the exec plug-in aws');
        }
      });
    }

    it('runs the plug-ins of files, unless that is forbidden', async () => {
      const path = await scratch.write(
        'config',
        text.replace('token: data-token', `exec: ${JSON.stringify(exec)}`),
      );
      const env = { KUBECONFIG: path };
      expect((await load({ env })).credentials?.source).to.contain('the exec plug-in aws');
      const error = await failureOf(load({ env, allowExec: false }));
      expect(error.code).to.equal('CREDENTIAL_PLUGIN_REFUSED');
    });
  });

  it('takes the proxy of the cluster, otherwise that of the environment', async () => {
    const proxied = kubeconfig('named').replace('server:', 'proxy-url: "http://own:1", server:');
    const env = { HTTPS_PROXY: 'http://of.environment:2' };
    const text = kubeconfig('named');
    expect((await load({ env, kubeconfig: { text: proxied } })).proxy).to.equal('http://own:1');
    expect((await load({ env, kubeconfig: { text } })).proxy).to.equal('http://of.environment:2');
    expect((await load({ env, server: 'https://a' })).proxy).to.equal('http://of.environment:2');
    expect((await load({ server: 'https://a' })).proxy).to.equal(undefined);
    const except = { ...env, NO_PROXY: 'named' };
    expect((await load({ env: except, kubeconfig: { text } })).proxy).to.equal(undefined);
  });

  it('lets options replace the identity, and put a certificate before that of the user', async () => {
    const client = new TestAuthority().client({ user: 'option' });
    const text = kubeconfig('named').replace('token: named-token', 'token: t, as: bob');
    expect((await load({ kubeconfig: { text } })).impersonate?.user).to.equal('bob');
    const config = await load({
      kubeconfig: { text },
      impersonate: { user: 'eve' },
      tls: { cert: client.certificate, key: client.privateKey },
    });
    expect(config.impersonate).to.deep.equal({ user: 'eve' });
    const credential = await config.credentials?.current();
    expect([credential?.authorization, credential?.cert]).to.deep.equal([
      'Bearer t',
      client.certificate,
    ]);
  });

  it('does not look at the plug-in of a user if a token is given', async () => {
    const text = kubeconfig('named').replace('token: named-token', 'exec: { command: aws }');
    const config = await load({ kubeconfig: { text }, token: 'given' });
    expect(await authorizationOf(config)).to.equal('Bearer given');
  });

  it('refuses each option of a kubeconfig beside a server', async () => {
    const options = { kubeconfig: '/a', context: 'a', cluster: 'a', user: 'a', allowExec: true };
    for (const [name, value] of Object.entries(options)) {
      const error = await failureOf(load({ server: 'https://a', [name]: value }));
      expect(error.message).to.equal(
        `loadConfig: option "server" excludes "${name}"; give one or the other`,
      );
    }
  });
});
