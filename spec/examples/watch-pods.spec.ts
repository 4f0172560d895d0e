import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { runExample } from './support/run-example.ts';

const SCRIPT = 'examples/watch-pods.ts';

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}

function kubeconfigText(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'nowhere',
    contexts: [{ name: 'nowhere', context: { cluster: 'nowhere', user: 'me' } }],
    clusters: [{ name: 'nowhere', cluster: { server } }],
    users: [{ name: 'me', user: {} }],
  });
}

describe('watch-pods', () => {
  let folder: string;
  let kubeconfig: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-watch-pods-'));
    kubeconfig = join(folder, 'kubeconfig');
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('prints a pod that comes, changes and goes, and ends cleanly on Ctrl-C', async () => {
    const { code, stdout, stderr } = await runExample(SCRIPT, ['--embedded'], {
      onOutput: (text, child) => {
        if (text.includes('- default/web')) child.kill('SIGINT');
      },
    });
    expect([code, stderr]).to.deep.equal([0, '']);
    const lines = stdout.split('\n').filter((line) => /^[+~-]/.test(line));
    expect(lines).to.deep.equal([
      '+ default/web  Pending',
      '~ default/web  Pending -> Running',
      '- default/web  Running',
    ]);
  });

  it('says in one line that the server cannot be reached', async () => {
    const server = `http://127.0.0.1:${await freePort()}`;
    writeFileSync(kubeconfig, kubeconfigText(server));
    const { code, stdout, stderr } = await runExample(SCRIPT, ['--kubeconfig', kubeconfig]);
    expect(stderr).to.match(/^watch-pods: [^\n]+\n$/);
    expect(stderr).to.include(server);
    expect([code, stdout]).to.deep.equal([1, '']);
  });

  it('says in one line what is wrong with the kubeconfig', async () => {
    writeFileSync(kubeconfig, kubeconfigText('http://127.0.0.1:1'));
    const rows = [
      { args: ['--kubeconfig', join(folder, 'gone')], about: 'gone' },
      { args: ['--kubeconfig', kubeconfig, '--context', 'elsewhere'], about: 'elsewhere' },
    ];
    const finished = await Promise.all(rows.map(({ args }) => runExample(SCRIPT, args)));
    for (const [index, { code, stderr }] of finished.entries()) {
      expect(stderr).to.match(/^watch-pods: [^\n]+\n$/);
      expect(stderr).to.include(rows[index]!.about);
      expect(code).to.equal(1);
    }
  });

  it('says in one line that the server does not accept the token', async () => {
    await using server = new ApiServer();
    await server.listen();
    await server.writeKubeconfig(kubeconfig);
    const text = readFileSync(kubeconfig, 'utf8').replaceAll(server.token, 'of-another-server');
    writeFileSync(kubeconfig, text);
    const { code, stdout, stderr } = await runExample(SCRIPT, ['--kubeconfig', kubeconfig]);
    expect(stderr).to.match(/^watch-pods: [^\n]*does not accept the [^\n]*token[^\n]*\n$/);
    expect(stderr).to.not.include('of-another-server');
    expect([code, stdout]).to.deep.equal([1, '']);
  });

  it('answers an unknown option with one line and exit code 2', async () => {
    const { code, stderr } = await runExample(SCRIPT, ['--namespaces', 'shop']);
    expect(stderr).to.match(/^watch-pods: [^\n]*--namespaces[^\n]*\n$/);
    expect(code).to.equal(2);
  });
});
