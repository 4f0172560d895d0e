import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { build, type BuildOptions } from 'esbuild';
import { guideSections } from '../adopt/guide-sections.ts';
import { ROOT } from './manifest.ts';
import { pack, unpack } from './packed-package.ts';

/** Of the guide, whose other tools are tried by `npm run check -- adopt`. */
const BANNER = {
  js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
};

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Parts of one copy with parts of the other. */
const TWO_COPIES = `
import * as a from './a/entry.js';
import * as b from './b/entry.js';
const server = new a.ApiServer();
await server.listen();
const client = await a.connect(server.clientConfig());
const informers = new a.SharedInformerFactory(client);
const done = new AbortController();
let runs = 0;
const namespaces = b.controller(client, 'v1', 'namespaces', { informers, logger: b.silentLogger })
  .where(({ metadata }) => metadata.name === 'default')
  .reconcile(async () => {
    runs += 1;
    done.abort();
    throw new a.TerminalError('it is not tried again');
  });
const manager = new a.Manager(client);
manager.add(namespaces);
await manager.run({ signal: done.signal });
const error = await client.resource('v1', 'pods').get('web', { namespace: 'default' }).catch((thrown) => thrown);
console.log(a.connect !== b.connect, runs, b.isListwatchError(error, 'NOT_FOUND'), b.isApiError(error));
await informers[Symbol.asyncDispose]();
await client.close();
await server.close();
`;

describe('two copies of the packed package in a process', function () {
  this.timeout(600_000);
  const folder = join(ROOT, '.tmp', 'two-copies');

  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('work together: clients, informers, controllers, managers and errors', async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const name of ['a', 'b']) {
      const place = join(folder, name);
      mkdirSync(place, { recursive: true });
      await unpack(await pack(place), join(place, 'node_modules', 'listwatch'));
      // A manifest of its own: otherwise the name is that of the checkout.
      writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
      const entries = ['listwatch', 'listwatch/kernel', 'listwatch/controller', 'listwatch/server'];
      const lines = entries.map((entry) => `export * from '${entry}';`);
      writeFileSync(join(place, 'entry.js'), lines.join('\n'));
    }
    writeFileSync(join(folder, 'main.mjs'), TWO_COPIES);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.mjs')]);
    expect(stdout).to.equal('true 1 true true\n');
  });
});

describe('a bundle of a program and the packed package', function () {
  this.timeout(600_000);
  /** Below the checkout, whose packages the bundler finds; the bundles run elsewhere, without packages. */
  const sources = join(ROOT, '.tmp', 'bundles');
  const alone = mkdtempSync(join(tmpdir(), 'listwatch-'));

  before(async () => {
    rmSync(sources, { recursive: true, force: true });
    mkdirSync(sources, { recursive: true });
    await unpack(await pack(sources), join(sources, 'node_modules', 'listwatch'));
    for (const { title, files } of guideSections()) {
      if (title !== 'The program' && title !== 'Optional peers in a bundle') continue;
      for (const [name, text] of files) writeFileSync(join(sources, name), text);
    }
  });

  after(() => {
    for (const folder of [sources, alone]) rmSync(folder, { recursive: true, force: true });
  });

  async function bundle(entry: string, name: string, options: BuildOptions = {}): Promise<string> {
    const outfile = join(alone, name);
    const entryPoints = [join(sources, entry)];
    const common = { entryPoints, outfile, bundle: true, logLevel: 'error' } as const;
    await build({ ...common, platform: 'node', ...options });
    return outfile;
  }

  async function run(file: string, env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const options = { cwd: alone, env: { ...process.env, ...env } };
    return await promisify(execFile)(process.execPath, [file], options).then(
      (output) => ({ code: 0, ...output }),
      (error: Ended) => error,
    );
  }

  it('reconciles as one file of CommonJS', async () => {
    const { stdout, stderr } = await run(await bundle('main.js', 'main.cjs'));
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'reconciled default\n', stderr: '' });
  });

  it('reconciles as one file of ECMAScript modules with the banner', async () => {
    const file = await bundle('main.js', 'main.mjs', { format: 'esm', banner: BANNER });
    const { stdout, stderr } = await run(file);
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'reconciled default\n', stderr: '' });
  });

  it('ends without the banner with one line that has it, and does not name the network', async () => {
    const { code, stderr } = await run(await bundle('main.js', 'plain.mjs', { format: 'esm' }));
    expect(code).to.equal(1);
    const [, message = ''] = /^ListwatchError: (.*)$/m.exec(stderr) ?? [];
    expect(message).to.match(/^the package axios cannot be loaded \(Dynamic require of "\w+" is /);
    expect(message).to.include(BANNER.js);
    expect(stderr).to.not.match(/connection|127\.0\.0\.1/);
  });

  it('ends with one line that installs the package of HTTP when that is neither in it nor beside it', async () => {
    const file = await bundle('main.js', 'without.cjs', { external: ['axios'] });
    const { stderr } = await run(file);
    expect(stderr).to.match(
      /^ListwatchError: the package axios cannot be loaded \(.*\): npm install axios, or let the bundler take it into the file$/m,
    );
  });

  it('loads as CommonJS with the simulator in it', async () => {
    writeFileSync(
      join(sources, 'simulator.js'),
      "import { simulate } from 'listwatch/simulator'; console.log(typeof simulate);",
    );
    const { stdout, stderr } = await run(await bundle('simulator.js', 'simulator.cjs'));
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'function\n', stderr: '' });
  });

  describe('with an optional peer', () => {
    it('has it when the program provides it', async () => {
      const { stdout, stderr } = await run(await bundle('streams.js', 'streams.cjs'));
      expect({ stdout, stderr }).to.deep.equal({ stdout: 'reconciled default\n', stderr: '' });
    });

    it('ends with one line that provides it when it is not there, and finds it beside the bundle', async () => {
      const text = guideSections().find(({ files }) => files.has('streams.js'))?.files;
      const withoutPeer = (text?.get('streams.js') ?? '').replaceAll(/^.*(?:'ws').*\n/gm, '');
      writeFileSync(join(sources, 'without-peer.js'), withoutPeer);
      const file = await bundle('without-peer.js', 'without-peer.cjs');
      expect((await run(file)).stderr).to.match(
        /^ListwatchError: A stream of a pod over a WebSocket needs the package ws, which this bundle does not have; add import \* as peer from 'ws'; providePeer\('ws', peer\) to the program: npm install ws@\^8\.19\.0$/m,
      );
      mkdirSync(join(alone, 'node_modules'));
      symlinkSync(join(ROOT, 'node_modules', 'ws'), join(alone, 'node_modules', 'ws'));
      expect((await run(file)).stdout).to.equal('reconciled default\n');
    });
  });
});
