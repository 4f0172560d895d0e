import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { HANG_MS } from './support/until.ts';

const ROOT = resolve(import.meta.dirname, '..');
/** Below the checkout, so that the package finds its dependencies as an installed one would. */
const CONSUMER = join(ROOT, '.tmp', 'consumer');
const INSTALLED = join(CONSUMER, 'node_modules', 'listwatch');
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

/** Runs a program; what it printed is part of the error when it fails. */
async function run(
  file: string,
  parameters: readonly string[],
  options: { readonly cwd?: string; readonly timeout?: number } = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  try {
    return await promisify(execFile)(file, parameters, options);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${file} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const PROGRAM = `
import { SharedInformerFactory, connect, type KubernetesObject } from 'listwatch';
import { ApiServer } from 'listwatch/server';
import { RateLimitingQueue } from 'listwatch/controller';

interface Pod extends KubernetesObject {
  readonly spec?: { readonly nodeName?: string; readonly containers: readonly object[] };
}

const server = new ApiServer();
await server.listen();
const client = await connect(server.clientConfig());
const informers = new SharedInformerFactory(client);
const pods = informers.for<Pod>('v1', 'pods', {
  indexers: { byNode: (pod) => [pod.spec?.nodeName ?? ''] },
});
const queue = new RateLimitingQueue<string>();
pods.addHandler({ view: 'metadata', onAdd: ({ key }) => queue.add(key) });
informers.start();
await informers.whenSynced({ timeoutMs: ${HANG_MS} });
await client.resource<Pod>('v1', 'pods', { namespace: 'default' }).create({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'web', image: 'nginx' }] },
});
const item = await queue.take();
console.log(item?.key);
item?.done();
await informers[Symbol.asyncDispose]();
await client.close();
await server.close();
`;

describe('the built package', () => {
  before(async () => {
    rmSync(CONSUMER, { recursive: true, force: true });
    mkdirSync(INSTALLED, { recursive: true });
    copyFileSync(join(ROOT, 'package.json'), join(INSTALLED, 'package.json'));
    await run(TSC, ['-p', join(ROOT, 'lib'), '--outDir', join(INSTALLED, 'dist')]);
  });

  after(() => {
    rmSync(CONSUMER, { recursive: true, force: true });
  });

  it('type-checks in a project of its own, and runs there on plain Node', async () => {
    const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, types: ['node'] };
    writeFileSync(join(CONSUMER, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(CONSUMER, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts'] }),
    );
    writeFileSync(join(CONSUMER, 'program.ts'), PROGRAM);
    await run(TSC, ['-p', CONSUMER]);
    const { stdout } = await run(process.execPath, ['program.js'], {
      cwd: CONSUMER,
      timeout: HANG_MS,
    });
    expect(stdout.trim()).to.equal('default/web');
  });

  it('can be required from CommonJS, entry by entry', async () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
    const script = entries.map((entry) => `require('listwatch${entry.slice(1)}');`).join('\n');
    const { stderr } = await run(process.execPath, ['--no-warnings', '-e', script], {
      cwd: CONSUMER,
    });
    expect(stderr).to.equal('');
  });
});
