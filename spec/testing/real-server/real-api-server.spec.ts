import { chmod, readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import {
  startRealApiServer,
  type RealApiServerOptions,
} from '../../../lib/testing/real-server/real-api-server.ts';
import type { RunningApiServer } from '../../../lib/testing/real-server/running-api-server.ts';
import { ScratchDirectory } from '../../client/support/scratch-directory.ts';
import { until } from '../../support/until.ts';

const ASSETS = process.env['KUBEBUILDER_ASSETS'] ?? '';
const hasReal = existsSync(join(ASSETS, 'kube-apiserver')) && existsSync(join(ASSETS, 'etcd'));
/** An etcd that answers its health check, and does nothing else. */
const HEALTHY = `#!${process.execPath}
const flag = process.argv.find((one) => one.startsWith('--listen-client-urls='));
require('http').createServer((_, response) => response.end('{}')).listen(Number(new URL(flag.split('=')[1]).port), '127.0.0.1');
`;
const WAITS = `#!${process.execPath}
console.error('starting'); setInterval(() => {}, 1000);
`;
const FAILS = `#!${process.execPath}
console.error('first'); console.error('no such flag'); process.exitCode = 3;
`;

async function failure(options: RealApiServerOptions): Promise<{ code: string; message: string }> {
  try {
    await using server = await startRealApiServer(options);
    throw new Error(`it started: ${server.url}`);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
}

/** Code written against the interface. */
async function readsItself(server: RunningApiServer, folder: string): Promise<void> {
  await using client = await connect(server.clientConfig());
  expect((await client.resource('v1', 'namespaces').get('default')).metadata.name).to.equal(
    'default',
  );
  const path = join(folder, 'kubeconfig');
  const clientCertificate = server.issueClientCertificate({ user: 'jane', groups: [] });
  await server.writeKubeconfig(path, { clientCertificate });
  await using jane = await connect({ kubeconfig: path });
  const { status } = (await jane
    .resource('authentication.k8s.io/v1', 'selfsubjectreviews')
    .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' } as never)) as {
    readonly status?: { readonly userInfo: { readonly username: string } };
  };
  expect(status?.userInfo.username).to.equal('jane');
}

describe('startRealApiServer', () => {
  let scratch: ScratchDirectory;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
  });

  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  async function programs(etcd: string, apiServer: string): Promise<string> {
    for (const [name, text] of [
      ['etcd', etcd],
      ['kube-apiserver', apiServer],
    ] as const) {
      await chmod(await scratch.write(name, text), 0o755);
    }
    return scratch.path;
  }

  async function leftFolders(): Promise<readonly string[]> {
    return (await readdir(tmpdir())).filter((name) => name.startsWith('listwatch-real-'));
  }

  it('names the programs that are missing, where it looked, and how to get them', async () => {
    const { code, message } = await failure({ binaries: scratch.path });
    expect(code).to.equal('BINARIES_MISSING');
    expect(message.replaceAll(scratch.path, '~')).to.equal(
      'startRealApiServer: ~/kube-apiserver and ~/etcd are no programs; set KUBEBUILDER_ASSETS, or the option binaries, to a folder with ' +
        'kube-apiserver and etcd: "setup-envtest use -p path" of controller-runtime downloads one and prints it',
    );
    const binaries = await programs(HEALTHY, HEALTHY);
    const other = await failure({ binaries, etcd: join(scratch.path, 'nowhere') });
    expect(other.message).to.include('nowhere is no program; set KUBEBUILDER_ASSETS');
  });

  it('says how a program ended before it was ready, and leaves nothing', async () => {
    const before = await leftFolders();
    const { code, message } = await failure({ binaries: await programs(HEALTHY, FAILS) });
    expect({ code, message }).to.deep.equal({
      code: 'PROGRAM_FAILED',
      message:
        'kube-apiserver ended with 3 before it was ready; the option folder keeps its output; it ends with: first | no such flag',
    });
    expect(await leftFolders()).to.deep.equal(before);
  });

  it('says what it has waited for when a program is not ready in time', async () => {
    const folder = join(scratch.path, 'kept');
    const binaries = await programs(WAITS, WAITS);
    const { code, message } = await failure({ binaries, folder, startTimeoutMs: 1 });
    expect(code).to.equal('TIMEOUT');
    expect(message.replaceAll(scratch.path, '~')).to.match(
      /^etcd was not ready within 0\.001 s: \/health gives no answer: .*; its output is in ~\/kept\/etcd\.log; it ends with: /,
    );
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const binaries = await programs(WAITS, WAITS);
    const folder = join(scratch.path, 'kept');
    const starting = failure({ binaries, folder, signal: stop.signal });
    await until('etcd is there', () => existsSync(join(folder, 'etcd.log')));
    stop.abort(Object.assign(new Error('enough'), { code: 'MINE' }));
    expect(await starting).to.deep.equal({ code: 'MINE', message: 'enough' });
  });

  it('refuses options that it does not have', async () => {
    const { code, message } = await failure({ binary: 'x' } as never);
    expect({ code, message }).to.deep.include({ code: 'INVALID_OPTION' });
    expect(message).to.include('binary').and.include('binaries');
  });

  it('has the interface of an ApiServer that listens', async () => {
    await using server = new ApiServer();
    await server.listen();
    await readsItself(server, scratch.path);
  });

  it('starts a real one, and stops it with its etcd', async function () {
    if (!hasReal) {
      console.log('      skipped: KUBEBUILDER_ASSETS names no folder with kube-apiserver and etcd');
      this.skip();
    }
    const before = await leftFolders();
    const server = await startRealApiServer({ flags: ['--service-cluster-ip-range=10.1.0.0/16'] });
    try {
      await readsItself(server, scratch.path);
      await using client = await connect(server.clientConfig());
      const service = await client
        .resource('v1', 'services', { namespace: 'default' })
        .create({ metadata: { name: 'a' }, spec: { ports: [{ port: 1 }] } });
      expect(service.spec?.clusterIP).to.match(/^10\.1\./);
    } finally {
      await server.close();
    }
    await server.close();
    expect(await failureOf(fetch(`${server.url}/readyz`))).to.include('ECONNREFUSED');
    expect(await leftFolders()).to.deep.equal(before);
  });
});

async function failureOf(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'none';
  } catch (error) {
    return String((error as { cause?: { code?: string } }).cause?.code);
  }
}
