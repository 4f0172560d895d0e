import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { runCommandLine } from '../../../lib/cli/run-command-line.ts';
import { plainProgram } from '../../support/plain-programs.ts';
import { until, within } from '../../support/until.ts';
import { capturedHost, type CapturedHost } from '../support/captured-host.ts';
import { EnvtestFixture } from './support/envtest-fixture.ts';

describe('listwatch envtest-assets', () => {
  let envtest: EnvtestFixture;

  beforeEach(async () => {
    envtest = await EnvtestFixture.make();
  });

  afterEach(async () => {
    await envtest[Symbol.asyncDispose]();
  });

  async function assets(dir: string, env = {}): Promise<CapturedHost & { readonly code: number }> {
    const program = [process.execPath, await plainProgram('lib/cli/listwatch.ts')];
    const host = capturedHost({ program, env });
    const code = await runCommandLine(['envtest-assets', dir], host);
    return { ...host, code };
  }

  it('writes programs that start from any directory and stop at SIGTERM', async () => {
    const dir = join(envtest.dir.path, "it's here");
    const { code, stdout } = await assets(dir);
    expect(code).to.equal(0);
    expect(stdout.text).to.equal(`export KUBEBUILDER_ASSETS='${dir.replace("'", `'\\''`)}'\n`);
    const start = (name: string, flags: readonly string[]): ChildProcess =>
      spawn(join(dir, name), flags, { cwd: envtest.dir.path, stdio: ['ignore', 'pipe', 'ignore'] });
    const etcd = start('etcd', envtest.etcdFlags());
    const health = `http://127.0.0.1:${envtest.etcdPort}/health`;
    await until('etcd', async () => (await fetch(health).catch(() => undefined))?.status === 200);
    const server = start('kube-apiserver', envtest.apiServerFlags());
    // A stop before this line would be an interrupted start.
    const isReady = once(server.stdout!, 'data');
    await until('/healthz', async () => (await envtest.status('/healthz')) === 200);
    await within(isReady, 'the ready line');
    for (const child of [server, etcd]) {
      child.kill('SIGTERM');
      expect(await within(once(child, 'exit'), 'the end')).to.deep.equal([0, null]);
    }
    expect(await envtest.dir.has('etcd/listwatch.snapshot')).to.equal(true);
  });

  it('writes programs that say what they are, and what flags they take', async () => {
    const dir = join(envtest.dir.path, 'assets');
    await assets(dir);
    const says = async (name: string, flag: string): Promise<string> =>
      (await promisify(execFile)(join(dir, name), [flag])).stdout;
    expect(await says('etcd', '--version')).to.match(/^listwatch [\d.]+, in the place of etcd\n$/);
    expect(await says('kube-apiserver', '--version')).to.match(
      /^Kubernetes v1\.\d+\.\d+\+listwatch\n$/,
    );
    expect(await says('etcd', '-h')).to.match(/^ {2}--version +the version/m);
    expect(await says('kube-apiserver', '--help')).to.match(/^ {2}--version +the version/m);
  });

  it('writes its programs again, links the kubectl of PATH, and says when there is none', async () => {
    const dir = join(envtest.dir.path, 'assets');
    const first = await assets(dir, { PATH: join(envtest.dir.path, 'none') });
    expect(first.stderr.text).to.include('no kubectl on PATH');
    const kubectl = await envtest.dir.write('tools/kubectl', '#!/bin/sh\n');
    await chmod(kubectl, 0o755);
    const second = await assets(dir, { PATH: `:${join(envtest.dir.path, 'tools')}` });
    expect([second.code, second.stderr.text]).to.deep.equal([0, '']);
    expect(await readlink(join(dir, 'kubectl'))).to.equal(kubectl);
    expect((await assets(dir)).code).to.equal(0);
  });

  it('leaves a program of another origin as it is', async () => {
    const path = await envtest.dir.write('real/etcd', 'binary');
    const { code, stderr } = await assets(join(envtest.dir.path, 'real'));
    expect([code, stderr.text]).to.deep.equal([
      2,
      `listwatch: ${path} is another program, which stays; name another directory\n`,
    ]);
    expect(await envtest.dir.read('real/etcd')).to.equal('binary');
  });

  it('takes one directory that can be made', async () => {
    const host = capturedHost();
    expect(await runCommandLine(['envtest-assets'], host)).to.equal(2);
    expect(host.stderr.text).to.include('takes one directory');
    const { code, stderr } = await assets('/dev/null/assets');
    expect([code, stderr.text.split(':')[1]]).to.deep.equal([
      2,
      ' /dev/null/assets cannot be written',
    ]);
  });
});
