import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { CertificateAuthority } from '../../../lib/kernel/certificates/certificate-authority.ts';
import { EnvtestFixture } from './support/envtest-fixture.ts';

type Client = Awaited<ReturnType<typeof connect>>;

describe('the pair etcd and kube-apiserver of envtest', () => {
  let envtest: EnvtestFixture;
  /** Signs the certificates of users, as envtest does. */
  const users = new CertificateAuthority({ name: 'envtest', nowMs: Date.now() });

  beforeEach(async () => {
    envtest = await EnvtestFixture.make();
    await envtest.dir.write('certs/client-cert-auth-ca.crt', users.certificate);
  });

  afterEach(async () => {
    await envtest[Symbol.asyncDispose]();
  });

  const clientCa = (): string =>
    `--client-ca-file=${envtest.dir.path}/certs/client-cert-auth-ca.crt`;

  async function clientOf(name: string, ...organizations: string[]): Promise<Client> {
    const issued = users.issue({ usage: 'client', name, organizations, nowMs: Date.now() });
    const ca = await envtest.dir.read('certs/apiserver.crt');
    const tls = { ca, cert: issued.certificate, key: issued.privateKey };
    return await connect({ server: envtest.url, tls });
  }

  it('is ready by the flags of envtest, and knows users by their client certificates', async () => {
    await using _etcd = await envtest.etcd();
    await using _server = await envtest.apiServer(clientCa());
    await using admin = await clientOf('admin', 'system:masters');
    const namespaces = await admin.resource('v1', 'namespaces').list();
    expect(namespaces.items).to.have.length(4);
    await using jane = await clientOf('jane');
    const secrets = jane.resource('v1', 'secrets').list({ namespace: 'default' });
    const refusal = await secrets.then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    expect(refusal).to.include('"jane" may not list secrets');
    expect(await envtest.status('/api/v1/namespaces')).to.equal(403);
  });

  it('keeps its objects in the data directory of etcd while it is stopped', async () => {
    await using _etcd = await envtest.etcd();
    {
      await using server = await envtest.apiServer(clientCa());
      await using admin = await clientOf('admin', 'system:masters');
      const metadata = { name: 'kept' };
      await admin
        .resource('v1', 'namespaces')
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata });
      expect(await server.stop()).to.equal(0);
    }
    await using _server = await envtest.apiServer(clientCa());
    await using admin = await clientOf('admin', 'system:masters');
    const { items } = await admin.resource('v1', 'namespaces').list();
    expect(items.map(({ metadata }) => metadata?.name)).to.include('kept');
  });

  it('refuses pods without their service account when that admission is on', async () => {
    await using _etcd = await envtest.etcd();
    await using _server = await envtest.apiServer(clientCa(), '--disable-admission-plugins=');
    await using admin = await clientOf('admin', 'system:masters');
    const pods = admin.resource('v1', 'pods');
    const pod: Parameters<typeof pods.create>[0] = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    };
    const create = pods.create(pod);
    const refusal = await create.then(
      () => 'nothing',
      (error: unknown) => String(error),
    );
    expect(refusal).to.include('serviceaccount "default" not found');
  });

  it('names the flags of kube-apiserver that have no effect, once', async () => {
    await using _etcd = await envtest.etcd();
    const more = ['--audit-log-path=/nowhere', '--audit-log-path', '-', '--profiling'];
    await using server = await envtest.apiServer(clientCa(), ...more);
    expect(server.host.stderr.lines[0]).to.equal(
      'kube-apiserver: without effect here: --audit-log-path, --profiling',
    );
  });

  it('names the port that another process has', async () => {
    await using _etcd = await envtest.etcd();
    await using _server = await envtest.apiServer(clientCa());
    await using second = envtest.run('envtest-apiserver', ...envtest.apiServerFlags());
    expect(await second.code()).to.equal(1);
    expect(second.host.stderr.text).to.include(`port ${envtest.port} on 127.0.0.1 is taken`);
    await using other = envtest.run('envtest-etcd', ...envtest.etcdFlags());
    expect(await other.code()).to.equal(1);
    expect(other.host.stderr.text).to.include(
      `cannot listen on http://127.0.0.1:${envtest.etcdPort}`,
    );
  });

  for (const [parameters, message] of [
    [['envtest-apiserver', '--nope'], 'unknown flag: --nope'],
    [['envtest-apiserver', '--secure-port'], 'flag needs an argument: --secure-port'],
    [['envtest-apiserver', 'extra'], '"kube-apiserver" does not take any arguments, got ["extra"]'],
    [
      ['envtest-apiserver', '--secure-port=0'],
      '--secure-port must be a number from 1 to 65535, not "0"',
    ],
    [['envtest-apiserver'], '--etcd-servers must be specified'],
    [
      ['envtest-apiserver', '--authorization-mode=RBAC,Webhook'],
      '--authorization-mode RBAC,Webhook is not supported; give RBAC, or AlwaysAllow',
    ],
    [
      ['envtest-apiserver', '--emulated-version=1.20'],
      '--emulated-version is one of 1.35, 1.36, 1.37, not "1.20"',
    ],
    [
      ['envtest-apiserver', '--allow-privileged=maybe'],
      '--allow-privileged must be true or false, not "maybe"',
    ],
    [['envtest-etcd', '--nope'], 'flag provided but not defined: -nope'],
    [
      ['envtest-etcd', '--listen-client-urls=localhost'],
      '--listen-client-urls must be a URL such as http://127.0.0.1:2379, not "localhost"',
    ],
  ] as const) {
    it(`${parameters.join(' ')}: ${message}`, async () => {
      await using run = envtest.run(...parameters);
      expect([await run.code(), run.host.stderr.text]).to.deep.equal([
        2,
        `listwatch: ${message}\n`,
      ]);
    });
  }

  it('shows help in which envtest finds no --insecure-port, and versions', async () => {
    for (const [parameters, pattern] of [
      [['envtest-apiserver', '--help'], /^(?![^]*^\s*--insecure-port\b)[^]*^\s*--secure-port\b/m],
      [['envtest-etcd', '--help'], /^\s*--unsafe-no-fsync\b/m],
      [['envtest-apiserver', '--version'], /^Kubernetes v1\.\d+\.\d+/],
      [['envtest-etcd', '--version'], /^listwatch 1\.2\.3, in the place of etcd$/m],
    ] as const) {
      await using run = envtest.run(...parameters);
      expect(await run.code()).to.equal(0);
      expect(run.host.stdout.text).to.match(pattern);
    }
  });
});
