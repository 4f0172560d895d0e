import { expect } from 'chai';
import { loadConfig, type LoadConfigOptions } from '../../../lib/client/config/load-config.ts';
import { AUTHORITY } from '../support/certificates.ts';
import { authorizationOf } from '../support/authorization-of.ts';
import { failureOf } from '../support/failure-of.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';

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
});
