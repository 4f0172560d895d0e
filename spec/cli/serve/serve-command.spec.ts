import { readFile, stat } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { selectedControllers } from '../../../lib/cluster/cluster-controller-names.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { until, within } from '../../support/until.ts';
import { capturedHost } from '../support/captured-host.ts';
import { ServeFixture } from '../support/serve-fixture.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const TOKEN = 'a-token-of-enough-length';

const configMap = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { color: 'blue' },
});

const ENCRYPTION = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: one, secret: ${Buffer.alloc(32, 7).toString('base64')}}]}
  - identity: {}
`;

describe('listwatch serve', () => {
  let fixture: ServeFixture;

  beforeEach(async () => {
    fixture = await ServeFixture.make();
  });

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('serves clients over TLS by the kubeconfig that it writes', async () => {
    await using run = fixture.serve();
    await using client = await run.client();
    const maps = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
    await maps.create(configMap('web'));
    expect((await maps.get('web')).data).to.deep.equal({ color: 'blue' });
    expect(await readFile((await run.readyDocument()).kubeconfig, 'utf8')).to.include('https://');
  });

  it('runs the controllers that are asked for, and none for none', async () => {
    await using alone = fixture.serve(['--controllers', 'none']);
    expect((await alone.readyDocument()).controllers).to.deep.equal([]);
    await using some = fixture.serve(['--controllers', 'namespace,garbage-collector']);
    const { controllers } = await some.readyDocument();
    expect(controllers).to.deep.equal(['namespace', 'garbage-collector']);
    await using wrong = fixture.serve(['--controllers', 'all,none']);
    expect(await wrong.ended()).to.equal(2);
    expect(wrong.host.stderr.text).to.contain(
      '--controllers must be all, workloads, none, or some of service-account, namespace, garbage-collector, resourcequota, pvc-protection, pv-protection, volumeattributesclass-protection, clusterrole-aggregation, replicationcontroller, replicaset, deployment, endpoint, endpointslice, endpointslice-mirroring, service-load-balancer, ingress-address, node-lifecycle, taint-eviction, pod-garbage-collector, scheduler, kubelet with commas between, not "all,none"',
    );
  });

  it('makes the accounts that pods of its manifests need, and deletes what was owned', async () => {
    await using run = fixture.serve([]);
    await using client = await run.client();
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const { apiVersion, kind, metadata } = await maps.create({ metadata: { name: 'owner' } });
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    await maps.create({ metadata: { name: 'owned', ownerReferences: [owner] } });
    await maps.delete('owner');
    await maps.wait('owned', (owned) => owned === undefined);
    const pods = client.resource('v1', 'pods', { namespace: 'default' });
    const spec = { containers: [{ name: 'web', image: 'web:1' }] };
    const pod = await pods.create({ metadata: { name: 'web' }, spec });
    expect(pod.spec?.serviceAccountName).to.equal('default');
  });

  it('prints one line when it is ready, with the kubectl line to type', async () => {
    const kubeconfig = fixture.path('dev.kubeconfig');
    await using run = fixture.serve(['--kubeconfig', kubeconfig]);
    const { address, ...rest } = await run.readyDocument();
    expect(address).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(rest).to.deep.equal({
      ready: true,
      kubeconfig,
      controllers: [...selectedControllers('all')],
      kubectl: `kubectl --kubeconfig ${kubeconfig} get namespaces`,
    });
    expect(await run.stop()).to.equal(0);
    expect(run.host.stdout.lines).to.have.length(1);
  });

  it('prints the line for people without --json', async () => {
    const host = capturedHost({ homeDir: fixture.path(), signal: AbortSignal.abort() });
    const interruption = new AbortController();
    const running = { ...host, signal: interruption.signal };
    const kubeconfig = fixture.path("jane's");
    const code = runCommandLine(['serve', '--port', '0', '--kubeconfig', kubeconfig], running);
    await until('the line', () => host.stdout.text !== '');
    interruption.abort();
    expect(await code).to.equal(0);
    expect(host.stdout.text.replaceAll(fixture.path(), '~')).to.match(
      /^ready on https:\/\/127\.0\.0\.1:\d+: kubectl --kubeconfig '~\/jane'\\''s' get namespaces\n$/,
    );
  });

  it('removes its own kubeconfig at the stop, and leaves one that was named', async () => {
    const own = fixture.serve();
    const { kubeconfig, address } = await own.readyDocument();
    expect(kubeconfig).to.equal(fixture.path(`.listwatch/kubeconfig-${new URL(address).port}`));
    expect((await stat(kubeconfig)).mode & 0o777).to.equal(0o600);
    await own.stop();
    expect(await fixture.has(`.listwatch/kubeconfig-${new URL(address).port}`)).to.equal(false);

    const named = fixture.serve(['--kubeconfig', fixture.path('named')]);
    await named.ready();
    await named.stop();
    expect(await fixture.has('named')).to.equal(true);
  });

  it('ends a running watch and exits with 0 when it is stopped', async () => {
    await using run = fixture.serve();
    await using client = await run.client();
    const maps = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
    const { resourceVersion } = await maps.list();
    const batches = maps.watch({ resourceVersion })[Symbol.asyncIterator]();
    const first = batches.next();
    await maps.create(configMap('web'));
    expect((await first).done).to.not.equal(true);
    const last = batches.next();
    expect(await run.stop()).to.equal(0);
    expect((await within(last, 'the end of the watch')).done).to.equal(true);
    expect(run.host.stderr.lines).to.deep.equal(['listwatch: stopped']);
  });

  it('exits with 130 when it is stopped before it is ready', async () => {
    await using run = fixture.serve(['--snapshot', fixture.path('state')]);
    run.interrupt();
    expect(await run.ended()).to.equal(130);
    expect(run.host.stdout.text).to.equal('');
    expect(await fixture.has('state.running')).to.equal(false);
  });

  it('names the remedy when the port is taken, and exits with 1', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const port = String((other.address() as AddressInfo).port);
      const host = capturedHost({ homeDir: fixture.path() });
      expect(await runCommandLine(['serve', '--port', port], host)).to.equal(1);
      expect(host.stderr.text).to.equal(
        `listwatch: port ${port} on 127.0.0.1 is taken by another process; give another with --port, or --port 0 for a free one (PORT_IN_USE)\n`,
      );
      expect(host.stdout.text).to.equal('');
    } finally {
      other.close();
    }
  });

  it('refuses an address that is not of this machine', async () => {
    const { code, err } = await fixture.failure('--bind', '192.0.2.1');
    expect(code).to.equal(1);
    expect(err).to.match(
      /^listwatch: cannot listen on 192\.0\.2\.1 port 0: .*; --bind must be an address of this machine \(LISTEN_FAILED\)\n$/,
    );
  });

  it('on loopback refuses requests for other hosts, and with --bind serves them with a warning', async () => {
    const statusFor = async (address: string, host: string): Promise<number> => {
      const sent = request(`${address}/healthz`, { headers: { host }, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode ?? 0;
    };
    await using loopback = fixture.serve();
    const local = (await loopback.readyDocument()).address.replace('https', 'http');
    expect(await statusFor(local, 'evil.example')).to.equal(403);
    expect(await statusFor(local, 'localhost')).to.equal(200);

    await using open = fixture.serve(['--bind', '0.0.0.0']);
    const wide = (await open.readyDocument()).address.replace('https', 'http');
    expect(await statusFor(wide, 'build-1.example')).to.equal(200);
    expect(open.host.stderr.text).to.equal(
      'listwatch: the server is reachable from other machines: every client with the token may read and change everything (host=0.0.0.0)\n',
    );
  });

  describe('the token', () => {
    const statusWith = async (
      run: { readyDocument(): Promise<{ address: string }> },
      token: string,
    ): Promise<number> => {
      const { address } = await run.readyDocument();
      const response = await fetch(`${address.replace('https', 'http')}/api`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await response.arrayBuffer();
      return response.status;
    };

    it('is random without an option', async () => {
      await using one = fixture.serve();
      await using other = fixture.serve();
      const tokens = [one, other].map(async (run) => {
        const text = await readFile((await run.readyDocument()).kubeconfig, 'utf8');
        return /token: (\S+)/.exec(text)?.[1];
      });
      const [first = '', second = ''] = await Promise.all(tokens);
      expect(first).to.have.length.greaterThan(40).and.not.equal(second);
      expect(await statusWith(one, first)).to.equal(200);
      expect(await statusWith(one, second)).to.equal(401);
    });

    it('is that of --token, of --token-file without its line end, or of LISTWATCH_TOKEN', async () => {
      const file = await fixture.write('token', `${TOKEN}\n`);
      for (const [parameters, env] of [
        [['--token', TOKEN], {}],
        [['--token-file', file], { LISTWATCH_TOKEN: 'another-token-of-some-length' }],
        [[], { LISTWATCH_TOKEN: TOKEN }],
      ] as const) {
        await using run = fixture.serve(parameters, { env });
        expect(await statusWith(run, TOKEN)).to.equal(200);
      }
    });

    it('is named by its source and not printed when it cannot be used', async () => {
      const file = await fixture.write('token', 'short\n');
      const rule = 'must have at least 16 characters, all of them printable ASCII without spaces';
      expect(await fixture.failure('--token', 'short')).to.deep.equal({
        code: 2,
        err: `listwatch: --token ${rule}\n`,
      });
      expect(await fixture.failure('--token-file', file)).to.deep.equal({
        code: 2,
        err: `listwatch: --token-file ~/token ${rule}\n`,
      });
      const gone = await fixture.failure('--token-file', fixture.path('gone'));
      expect(gone.code).to.equal(2);
      expect(gone.err).to.match(/^listwatch: --token-file ~\/gone cannot be read: ENOENT/);
    });

    it('is in no output', async () => {
      await using run = fixture.serve(['--token', TOKEN, '--verbose']);
      await statusWith(run, TOKEN);
      await until('the line of the request', () =>
        run.host.stderr.text.includes('/api status=200'),
      );
      await run.stop();
      expect(run.host.stderr.text + run.host.stdout.text).to.not.include(TOKEN);
    });
  });

  it('keeps its state in --snapshot FILE from a clean stop to the next start', async () => {
    const parameters = ['--snapshot', fixture.path('state')];
    const first = fixture.serve(parameters);
    {
      await using client = await first.client();
      await client
        .resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
        .create(configMap('web'));
    }
    expect(await fixture.has('state.running')).to.equal(true);
    expect(await first.stop()).to.equal(0);
    expect(first.host.stderr.text.replaceAll(fixture.path(), '~')).to.match(
      /^listwatch: stopped; the state is kept in ~\/state, [\d.]+ KiB\n$/,
    );
    expect((await stat(fixture.path('state'))).mode & 0o777).to.equal(0o600);
    expect(await fixture.has('state.running')).to.equal(false);

    await using second = fixture.serve(parameters);
    await using client = await second.client();
    const map = await client
      .resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' })
      .get('web');
    expect(map.data).to.deep.equal({ color: 'blue' });
    expect(second.host.stderr.text).to.equal('');
  });

  it('refuses a file that is no snapshot, and leaves it as it is', async () => {
    const file = await fixture.write('state', 'some notes');
    const { code, err } = await fixture.failure('--snapshot', file);
    expect(code).to.equal(1);
    expect(err).to.match(
      /^listwatch: the snapshot ~\/state: .*; remove it to start without its state, .* \(SNAPSHOT_INVALID\)\n$/,
    );
    expect(await fixture.read('state')).to.equal('some notes');
    expect(await fixture.has('state.running')).to.equal(false);
  });

  it('notices at the start that a snapshot could not be written', async () => {
    const { code, err } = await fixture.failure('--snapshot', fixture.path('gone/state'));
    expect(code).to.equal(1);
    expect(err).to.match(
      /^listwatch: the snapshot ~\/gone\/state could not be written at the stop; name a file in a folder of yours with --snapshot: ENOENT.* \(SNAPSHOT_FILE\)\n$/,
    );
  });

  it('exits with 1 when the snapshot cannot be written at the stop, and keeps the mark of the run', async () => {
    await using run = fixture.serve(['--snapshot', fixture.path('state')]);
    await run.ready();
    // A folder of this name: the new file cannot take its place.
    await fixture.write('state/notes', 'in the way');
    expect(await run.stop()).to.equal(1);
    expect(run.host.stderr.text).to.match(
      /the snapshot .* was not written: .* \(SNAPSHOT_FILE\)\n$/,
    );
    expect(await fixture.has('state.running')).to.equal(true);
  });

  it('applies the manifests of a folder before it is ready', async () => {
    await fixture.write('shop/a.yaml', JSON.stringify({ ...configMap('web') }));
    await using run = fixture.serve(['--manifests', fixture.path('shop')]);
    await using client = await run.client();
    expect(
      await client.resource('v1', 'configmaps', { namespace: 'default' }).get('web'),
    ).to.have.nested.property('metadata.name', 'web');
    expect(run.host.stderr.text.replaceAll(fixture.path(), '~')).to.equal(
      'listwatch: 1 object of ~/shop applied\n',
    );
  });

  it('names file, document and line of a manifest that the server refuses, and exits with 1', async () => {
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: []}\n';
    await fixture.write('shop/a.yaml', `${JSON.stringify(configMap('a'))}\n---\n${pod}`);
    const { code, err } = await fixture.failure('--manifests', fixture.path('shop'));
    expect(code).to.equal(1);
    expect(err).to.equal(
      'listwatch: ~/shop/a.yaml, document 2, line 3: Pod "web": Pod "web" is invalid: spec.containers: Required value (MANIFEST_INVALID)\n',
    );
  });

  it('appends one line a request to --audit FILE', async () => {
    await fixture.write('audit', 'of an earlier run\n');
    await using run = fixture.serve(['--audit', fixture.path('audit'), '--token', TOKEN]);
    {
      await using client = await run.client();
      const maps = client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
      await maps.create(configMap('web'));
      await maps.get('absent').catch(() => {});
    }
    await run.stop();
    const [first, ...lines] = (await fixture.read('audit')).trim().split('\n');
    expect(first).to.equal('of an earlier run');
    const records = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ path }) => String(path).includes('/configmaps'));
    expect(
      records.map(({ verb, path, user, status }) => ({ verb, path, user, status })),
    ).to.deep.equal([
      {
        verb: 'create',
        path: '/api/v1/namespaces/default/configmaps',
        user: 'listwatch:admin',
        status: 201,
      },
      {
        verb: 'get',
        path: '/api/v1/namespaces/default/configmaps/absent',
        user: 'listwatch:admin',
        status: 404,
      },
    ]);
    expect(Object.keys(records[0]!)).to.deep.equal([
      'time',
      'verb',
      'path',
      'user',
      'status',
      'durationMs',
    ]);
    expect(lines.join('')).to.not.include(TOKEN).and.not.include('blue');
  });

  it('stores resources encrypted as --encryption-config says', async () => {
    const config = await fixture.write('encryption.yaml', ENCRYPTION);
    const state = fixture.path('state');
    const parameters = ['--encryption-config', config, '--snapshot', state];
    const run = fixture.serve(parameters);
    {
      await using client = await run.client();
      const secret = {
        stringData: undefined,
        data: { key: Buffer.from('open sesame').toString('base64') },
      };
      await client
        .resource('v1', 'secrets', { namespace: 'default' })
        .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'door' }, ...secret });
    }
    await run.stop();
    const stored = await readFile(state, 'latin1');
    expect(stored).to.include('k8s:enc:aescbc:v1:one:');
    expect(stored).to.not.include(Buffer.from('open sesame').toString('base64'));

    await using again = fixture.serve(parameters);
    await using client = await again.client();
    const { data } = await client
      .resource<ConfigMap>('v1', 'secrets', { namespace: 'default' })
      .get('door');
    expect(data).to.deep.equal({ key: Buffer.from('open sesame').toString('base64') });
  });

  it('refuses files that it cannot use, each in one line with its option or place', async () => {
    await fixture.write('mine', 'clusters: [{name: prod}]\ncurrent-context: prod\n');
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [
        ['--kubeconfig', fixture.path('mine')],
        2,
        /the kubeconfig ~\/mine cannot be written; .* exists and contains something other/,
      ],
      [
        ['--audit', fixture.path('gone/audit')],
        2,
        /--audit ~\/gone\/audit cannot be written; name a file in a folder that exists: ENOENT/,
      ],
      [
        ['--manifests', fixture.path('gone')],
        1,
        /~\/gone: cannot be read; name a folder of manifests with --manifests: ENOENT.*\(MANIFEST_INVALID\)/,
      ],
      [['--encryption-config', fixture.path('mine')], 1, /~\/mine:.*\(CONFIG_INVALID\)/],
      [
        ['--etcd', 'https://127.0.0.1:1', '--etcd-ca', fixture.path('gone')],
        2,
        /--etcd-ca ~\/gone cannot be read: ENOENT/,
      ],
    ];
    for (const [parameters, code, line] of cases) {
      const failed = await fixture.failure(...parameters);
      expect(failed.code, parameters.join(' ')).to.equal(code);
      expect(failed.err)
        .to.match(line)
        .and.match(/^listwatch: [^\n]+\n$/);
    }
    expect(await fixture.read('mine')).to.include('prod');
  });

  it('refuses arguments that cannot be used in one line, before anything is started', async () => {
    const cases: readonly (readonly [readonly string[], string])[] = [
      [
        ['--port', 'https'],
        '--port must be a number from 0 to 65535, not "https"; 0 is a free port',
      ],
      [
        ['--port', '65536'],
        '--port must be a number from 0 to 65535, not "65536"; 0 is a free port',
      ],
      [['--allow-privileged', 'maybe'], '--allow-privileged must be true or false, not "maybe"'],
      [
        ['--kubernetes-version', '1.20'],
        '--kubernetes-version is one of 1.35, 1.36, 1.37, not "1.20"',
      ],
      [
        ['--etcd', 'http://a:1', '--snapshot', 'b'],
        '--etcd excludes --snapshot; give one or the other',
      ],
      [
        ['--token', TOKEN, '--token-file', 'b'],
        '--token excludes --token-file; give one or the other',
      ],
      [['--etcd-key', 'key.pem'], '--etcd-key is for --etcd https://...; give that too'],
      [['now'], 'serve takes options only, not "now"'],
      [['--kubeconifg', 'a'], 'unknown option --kubeconifg; did you mean --kubeconfig?'],
    ];
    for (const [parameters, message] of cases) {
      const host = capturedHost();
      expect(await runCommandLine(['serve', ...parameters], host)).to.equal(2);
      expect(host.stderr.text).to.equal(`listwatch: ${message}\n`);
    }
    const { code, err } = await fixture.failure('--etcd', 'etcd.example');
    expect(code).to.equal(2);
    expect(err)
      .to.include('listwatch: --etcd: ')
      .and.include('"etcd.example", which is not an http or https URL');
  });

  it('prints its options, examples and exit codes with --help', async () => {
    const host = capturedHost();
    expect(await runCommandLine(['serve', '--help'], host)).to.equal(0);
    const options = [
      'port',
      'bind',
      'kubeconfig',
      'token',
      'token-file',
      'etcd',
      'snapshot',
      'manifests',
      'audit',
      'encryption-config',
      'verbose',
      'json',
    ];
    for (const name of options) expect(host.stdout.text).to.include(`--${name} `);
    expect(host.stdout.text).to.include('Examples:').and.include('Exit code: 0');
  });
});
