import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { ReportDocument } from '../../lib/cli/doctor/report-lines.ts';
import { deferred } from '../../lib/kernel/time/latch.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { within } from '../support/until.ts';
import { sourceInMap } from './without-comments.ts';
import { entriesOf, readManifest, ROOT } from './manifest.ts';
import { diskBytesOf, filesBelow, pack, run, unpack } from './packed-package.ts';
import { BUDGETS, IMPORT_BUDGETS, SOURCE_BUDGETS } from './size-budget.ts';

/** Below the checkout, so that the package finds its dependencies as an installed one would. */
const CONSUMER = join(ROOT, '.tmp', 'consumer');
const INSTALLED = join(CONSUMER, 'node_modules', 'listwatch');
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc');

/** Of an error that no one handles, on standard error. */
const MOST_ERROR_BYTES = 4096;
const UNHANDLED = `
import { connect } from 'listwatch';
const client = await connect({ server: 'http://127.0.0.1:1' });
await client.resource('v1', 'pods').list();
`;

const PROGRAM = `
import { RateLimitingQueue, SharedInformerFactory, connect, type KubernetesObject } from 'listwatch';
import { ApiServer } from 'listwatch/server';

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
await informers.whenSynced({ timeoutMs: 600_000 });
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

/** Everything that the entries export, and what the package prints of its classes. */
const IDENTITY = `
import assert from 'node:assert/strict';
const entries = JSON.parse(process.argv[2]);
const seen = new Map();
let shared = 0;
for (const entry of entries) {
  for (const [name, value] of Object.entries(await import(entry))) {
    if (typeof value !== 'function' && typeof value !== 'object') continue;
    const first = seen.get(name);
    if (first === undefined) seen.set(name, { entry, value });
    else {
      assert.equal(value, first.value, name + ' of ' + entry + ' is not the one of ' + first.entry);
      shared += 1;
    }
    if (typeof value === 'function' && /^class\\b/.test(String(value))) assert.equal(value.name, name);
  }
}
const { ApiError, isApiError } = await import('listwatch');
const { ApiServer } = await import('listwatch/server');
const { inProcessTransport } = await import('listwatch/testing');
const { Client } = await import('listwatch/client');
const server = new ApiServer();
const transport = inProcessTransport(server.handler);
const client = new Client({ transport });
const error = await client.resource('v1', 'pods', { namespace: 'default' }).get('absent').catch((thrown) => thrown);
assert.ok(error instanceof ApiError && isApiError(error), String(error));
await client.close();
await server.close();
console.log(shared);
`;

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent: readonly string[];
}

interface BundledSource {
  /** The program whose map has it. */
  readonly program: string;
  /** Relative to the checkout. */
  readonly path: string;
  readonly text: string;
}

/** The sources that the source maps hold. */
function sourcesIn(files: readonly string[]): BundledSource[] {
  return files
    .filter((name) => name.endsWith('.js'))
    .flatMap((program) => {
      const map = mapOf(program);
      if (map === undefined) return [];
      const { sources, sourcesContent } = JSON.parse(map) as SourceMap;
      return sources.map((source, index) => ({
        program,
        path: normalize(join(dirname(program), source)),
        text: sourcesContent[index] ?? '',
      }));
    });
}

const codeOf = (name: string): string => readFileSync(join(INSTALLED, name), 'utf8');
const EMBEDDED_MAP = /^\/\/# sourceMappingURL=data:application\/json;base64,(.*)$/m;

/** The text of the map that a program points to, in the program or in a file beside it. */
function mapOf(program: string): string | undefined {
  const code = codeOf(program);
  const [, embedded] = EMBEDDED_MAP.exec(code) ?? [];
  if (embedded !== undefined) return Buffer.from(embedded, 'base64').toString();
  const link = `//# sourceMappingURL=${basename(program)}.map`;
  return code.includes(link) ? codeOf(`${program}.map`) : undefined;
}

async function importIn(folder: string, names: readonly string[]): Promise<void> {
  const script = names.map((name) => `await import('${name}');`).join('\n');
  await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
}

describe('the packed package', function () {
  this.timeout(600_000);
  let files: readonly string[] = [];
  const entries = entriesOf(readManifest());

  before(async () => {
    rmSync(CONSUMER, { recursive: true, force: true });
    mkdirSync(CONSUMER, { recursive: true });
    await unpack(await pack(CONSUMER), INSTALLED);
    files = filesBelow(INSTALLED);
    writeFileSync(join(CONSUMER, 'package.json'), '{ "type": "module" }');
  });

  after(() => {
    rmSync(CONSUMER, { recursive: true, force: true });
  });

  it('type-checks in a project of its own, libraries included, and runs there on plain Node', async () => {
    const compilerOptions = {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      skipLibCheck: false,
      types: ['node'],
    };
    const imports = [...entries.keys()].map(
      (entry, index) => `import * as e${index} from '${entry}';`,
    );
    const uses = imports.map((_, index) => `void e${index};`);
    writeFileSync(
      join(CONSUMER, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['program.ts', 'entries.ts'] }),
    );
    writeFileSync(join(CONSUMER, 'program.ts'), PROGRAM);
    writeFileSync(join(CONSUMER, 'entries.ts'), [...imports, ...uses].join('\n'));
    await run(TSC, ['-p', CONSUMER]);
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: CONSUMER });
    expect(stdout.trim()).to.equal('default/web');
  });

  it('can be required from CommonJS, entry by entry', async () => {
    const script = [...entries.keys()].map((entry) => `require('${entry}');`).join('\n');
    const { stderr } = await run(process.execPath, ['--no-warnings', '-e', script], {
      cwd: CONSUMER,
    });
    expect(stderr).to.equal('');
  });

  it('ends with an error that is readable, also through a pipe, when a program does not handle it', async () => {
    writeFileSync(join(CONSUMER, 'unhandled.js'), UNHANDLED);
    const { stderr } = await promisify(execFile)(process.execPath, ['unhandled.js'], {
      cwd: CONSUMER,
    }).then(
      () => expect.fail('it ended without an error'),
      (error: { stderr: string }) => error,
    );
    // Frames name the folder of the checkout, which may be long.
    const short = stderr.replaceAll(pathToFileURL(ROOT).href, '');
    expect(short.length).to.be.below(MOST_ERROR_BYTES);
    const [, message] = stderr.split(/\n{2,}/);
    expect(message).to.match(/^TransportError: GET http:.*: nothing listens there; check that/);
  });

  it('has every module once: what two entries export is the same, and instanceof holds across them', async () => {
    writeFileSync(join(CONSUMER, 'identity.js'), IDENTITY);
    const parameters = ['identity.js', JSON.stringify([...entries.keys()])];
    const { stdout } = await run(process.execPath, parameters, { cwd: CONSUMER });
    expect(Number(stdout)).to.be.greaterThan(20);
  });

  it('imports nothing but eventemitter3 and lru-cache; the rest comes at first use', async () => {
    // Not below the checkout, whose packages would be found.
    const alone = mkdtempSync(join(tmpdir(), 'listwatch-'));
    try {
      const modules = join(alone, 'node_modules');
      for (const part of ['package.json', 'dist']) {
        cpSync(join(INSTALLED, part), join(modules, 'listwatch', part), { recursive: true });
      }
      for (const name of ['eventemitter3', 'lru-cache']) {
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
      }
      await importIn(alone, [...entries.keys()]);

      const script = `
        import { SecretboxProvider } from 'listwatch/server';
        import { EtcdKeyValueStore } from 'listwatch/server/etcd';
        const attempts = [
          () => new SecretboxProvider({ name: 'key', secret: new Uint8Array(32) }),
          () => EtcdKeyValueStore.connect({ endpoints: ['http://127.0.0.1:1'] }),
        ];
        for (const attempt of attempts) {
          await Promise.resolve().then(attempt).catch((error) => console.log(error.code, error.message));
        }`;
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
        cwd: alone,
      });
      expect(stdout.trim().split('\n')).to.deep.equal([
        'MISSING_PEER SecretboxProvider needs the package @noble/ciphers, which is not installed: npm install @noble/ciphers@^2.0.0',
        'MISSING_PEER EtcdKeyValueStore needs the package @grpc/grpc-js, which is not installed: npm install @grpc/grpc-js@^1.14.0',
      ]);
    } finally {
      rmSync(alone, { recursive: true, force: true });
    }
  });

  describe('its program', () => {
    const program = (): string => join(INSTALLED, readManifest(INSTALLED).bin['listwatch'] ?? '');

    it('starts on plain Node without any package, for help and version', async () => {
      const alone = mkdtempSync(join(tmpdir(), 'listwatch-'));
      try {
        for (const part of ['package.json', 'dist']) {
          cpSync(join(INSTALLED, part), join(alone, part), { recursive: true });
        }
        const file = join(alone, 'dist', 'cli', 'listwatch.js');
        expect(readFileSync(file, 'utf8')).to.match(/^#!\/usr\/bin\/env node\n/);
        const { stdout } = await run(process.execPath, [file]);
        expect(stdout).to.include('Usage: listwatch COMMAND');
        const { version } = readManifest();
        expect((await run(process.execPath, [file, '--version'])).stdout).to.equal(`${version}\n`);
      } finally {
        rmSync(alone, { recursive: true, force: true });
      }
    });

    it('examines the embedded server over TLS, and finds nothing wrong', async () => {
      await using server = new ApiServer();
      await server.listen();
      const kubeconfig = join(CONSUMER, 'kubeconfig');
      await server.writeKubeconfig(kubeconfig);
      const parameters = [program(), 'doctor', '--kubeconfig', kubeconfig, '--json'];
      const { stdout } = await run(process.execPath, parameters);
      const { ok, steps } = JSON.parse(stdout) as ReportDocument;
      expect(
        steps.filter(({ status }) => status === 'failed' || status === 'warning'),
      ).to.deep.equal([]);
      expect(ok).to.equal(true);
      expect(steps.find(({ id }) => id === 'tls')?.data).to.include({ protocol: 'TLSv1.3' });
      expect(steps.find(({ id }) => id === 'watch/pods')?.data).to.include({ streamedList: true });
      expect(stdout).to.not.include(server.token);
    });

    it('ends with 1 after a failure, and with 2 and one line for a wrong argument', async () => {
      const exitOf = async (...parameters: string[]): Promise<unknown> =>
        await promisify(execFile)(process.execPath, [program(), ...parameters]).catch(
          ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
        );
      expect(await exitOf('doctor', '--server', 'http://127.0.0.1:1')).to.deep.equal({
        code: 1,
        stderr: '',
      });
      expect(await exitOf('docter')).to.deep.equal({
        code: 2,
        stderr: 'listwatch: unknown command "docter"; did you mean doctor?\n',
      });
    });

    it('serves without an optional package, and prints the lines that install those of etcd', async () => {
      // Not below the checkout, whose packages would be found.
      const alone = mkdtempSync(join(tmpdir(), 'listwatch-'));
      try {
        for (const part of ['package.json', 'dist']) {
          cpSync(join(INSTALLED, part), join(alone, part), { recursive: true });
        }
        const modules = join(alone, 'node_modules');
        mkdirSync(modules);
        for (const name of ['eventemitter3', 'lru-cache']) {
          symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
        }
        const file = join(alone, 'dist', 'cli', 'listwatch.js');
        const etcd = [file, 'serve', '--port', '0', '--etcd', 'http://127.0.0.1:1'];
        const failed = await promisify(execFile)(process.execPath, etcd).catch(
          ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
            code,
            stdout,
            stderr,
          }),
        );
        expect(failed).to.deep.equal({
          code: 1,
          stdout: '',
          stderr:
            'listwatch: EtcdKeyValueStore needs the package @grpc/grpc-js, which is not installed: npm install @grpc/grpc-js@^1.14.0; ' +
            "without a project: npx -p listwatch -p '@grpc/grpc-js@^1.14.0' listwatch serve --etcd URL (MISSING_PEER)\n",
        });

        const kubeconfig = join(alone, 'kubeconfig');
        const parameters = [file, 'serve', '--port', '0', '--kubeconfig', kubeconfig];
        const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'ignore'] });
        try {
          const [line] = (await within(once(child.stdout, 'data'), 'the ready line')) as [Buffer];
          expect(line.toString()).to.match(/^ready on https:\/\/127\.0\.0\.1:\d+: kubectl /);
          child.kill('SIGTERM');
          const [code] = (await within(once(child, 'exit'), 'the end of the program')) as [number];
          expect(code).to.equal(0);
        } finally {
          child.kill('SIGKILL');
        }
      } finally {
        rmSync(alone, { recursive: true, force: true });
      }
    });

    it('writes a project that compiles, and whose tests pass with just the rights of its manifests', async () => {
      const folder = join(CONSUMER, 'coffee-box');
      const names = ['coffee-box', '--group', 'coffee.example.org', '--dir', folder, '--no-lock'];
      await run(process.execPath, [program(), 'new', ...names]);
      await run(TSC, ['-p', folder]);
      const test = ['--import', 'tsx', '--test', 'test/operator.test.ts'];
      const { stdout } = await run(process.execPath, test, { cwd: folder });
      expect(stdout).to.match(/^# pass 3$/m);
      const types = ['types', 'manifests/10-definition.yaml', '--out', 'src/types.ts', '--check'];
      await run(process.execPath, [program(), ...types], { cwd: folder });
    });

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      it(`ends with 130 at ${signal}, while a server is silent`, async () => {
        expect(await exitAt(signal)).to.equal(130);
      });
    }

    async function exitAt(signal: NodeJS.Signals): Promise<number | null> {
      const connected = deferred<void>();
      const silent = createServer((socket) => {
        socket.on('error', () => {}).resume();
        socket.once('data', () => connected.resolve());
      });
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const child = spawn(
        process.execPath,
        [program(), 'doctor', '--server', `https://127.0.0.1:${port}`, '--timeout', '10m'],
        { stdio: 'ignore' },
      );
      try {
        await within(connected.promise, 'the handshake of the program');
        child.kill(signal);
        const [code] = await within(once(child, 'exit'), 'the end of the program');
        return code as number | null;
      } finally {
        child.kill('SIGKILL');
        silent.close();
      }
    }
  });

  it('has every file that its manifest points at', () => {
    const targets = [...entriesOf(readManifest(INSTALLED)).values()].flatMap((target) =>
      Object.values(target as object),
    ) as string[];
    expect(targets.length).to.equal(2 * entries.size);
    expect(targets.filter((path) => !existsSync(join(INSTALLED, path)))).to.deep.equal([]);
  });

  it('leaves package.json of the checkout as it was', () => {
    expect(entriesOf(readManifest()).get('listwatch')).to.have.property('@listwatch/source');
  });

  it('has a source map for each program with code of its own', () => {
    const programs = files.filter((name) => name.endsWith('.js'));
    const own = programs.filter((name) => hasOwnCode(withoutMap(codeOf(name))));
    expect(programs.filter((name) => mapOf(name) !== undefined)).to.deep.equal(own);
    const alone = own.filter((name) => !EMBEDDED_MAP.test(codeOf(name)));
    const maps = files.filter((name) => name.endsWith('.map'));
    expect(maps).to.deep.equal(alone.map((name) => `${name}.map`));
  });

  it('has the sources once, in the source maps, without their comments', () => {
    const seen = new Set<string>();
    for (const { program, path, text } of sourcesIn(files)) {
      expect(seen.has(path), `${path} is in ${program} and in another`).to.equal(false);
      seen.add(path);
      const source = readFileSync(join(ROOT, path), 'utf8');
      expect(text).to.equal(sourceInMap(path, source));
      if (text === '') continue;
      expect(text.split('\n').length).to.equal(source.split('\n').length);
    }
    expect(seen.size).to.be.greaterThan(300);
    expect(files.filter((name) => /^lib.*\.ts$/.test(name))).to.deep.equal([]);
  });

  it('has the documents that README and the guides link to', () => {
    const missing: string[] = [];
    // Other pages link into the repository too, to the sources and specs that they speak of.
    const pages = /^(?:README|docs\/(?:README|[a-z-]+)|docs\/guides\/.*)\.md$/;
    for (const page of files.filter((name) => pages.test(name))) {
      for (const [, link = ''] of readFileSync(join(INSTALLED, page), 'utf8').matchAll(
        /\]\(([^)\s]+)\)/g,
      )) {
        const path = link.replace(/#.*$/, '');
        if (path === '' || /^[a-z]+:/.test(path)) continue;
        // Lists with links to sources and specs, for those who work on this project; the index says that they are in the repository only.
        if (
          page === 'docs/README.md' &&
          /^(?:conformance|conformance-e2e|features)\.md$/.test(path)
        )
          continue;
        if (/^docs\/[^/]+$/.test(page) && /^(?:\.\.\/(?:lib|spec)\/|api$)/.test(path)) continue;
        // Screenshots, each with a text beside it, and the decisions behind a page are in the repository only.
        if (/^(?:\.\.\/images\/[\w-]+\.png|(?:\.\.\/)?decisions\/[\w-]+\.md)$/.test(path)) {
          expect(existsSync(join(ROOT, dirname(page), path)), path).to.equal(true);
          continue;
        }
        if (!existsSync(join(INSTALLED, dirname(page), path))) missing.push(`${page}: ${link}`);
      }
    }
    expect(missing).to.deep.equal([]);
  });

  it('names no optional peer in a public declaration', () => {
    const peers = Object.keys(readManifest().peerDependencies);
    const named = files
      .filter((name) => name.endsWith('.d.ts'))
      .filter((name) => {
        const text = readFileSync(join(INSTALLED, name), 'utf8');
        return peers.some(
          (peer) => text.includes(`from '${peer}`) || text.includes(`import('${peer}`),
        );
      });
    expect(named).to.deep.equal([]);
  });

  for (const { what, matches, megabytes } of BUDGETS) {
    it(`takes at most ${megabytes} MB for ${what}`, () => {
      const taken = diskBytesOf(INSTALLED, files.filter(matches)) / 2 ** 20;
      expect(taken).to.be.at.most(megabytes);
    });
  }

  for (const { what, matches, megabytes } of SOURCE_BUDGETS) {
    it(`bundles at most ${megabytes} MB of the sources of ${what}`, () => {
      const bytes = sourcesIn(files)
        .filter(({ path }) => matches(path))
        .map(({ text }) => Buffer.byteLength(text));
      expect(bytes.length).to.be.greaterThan(0);
      expect(bytes.reduce((sum, one) => sum + one, 0) / 2 ** 20).to.be.at.most(megabytes);
    });
  }

  for (const [entry, kilobytes] of IMPORT_BUDGETS) {
    it(`loads at most ${kilobytes} KB of code when ${entry} is imported`, () => {
      const target = entries.get(entry)?.default ?? '';
      const loaded = loadedWith(join(INSTALLED, target));
      expect(loaded.length).to.be.greaterThan(1);
      const bytes = loaded.map((path) => withoutMap(readFileSync(path, 'utf8')).length);
      expect(bytes.reduce((sum, one) => sum + one, 0) / 1024).to.be.at.most(kilobytes);
    });
  }
});

/** A map in a program is a comment, which is not compiled. */
function withoutMap(code: string): string {
  return code.replace(EMBEDDED_MAP, '');
}

/** Whether a program is more than imports and exports, and than the helpers of the bundler. */
function hasOwnCode(code: string): boolean {
  const others = code.replaceAll(/(?:import|export)\s*(?:\{[^}]*\}\s*)?(?:from)?(?:"[^"]*")?/g, '');
  return /\w/.test(others) && !code.includes('__knownSymbol=');
}

/** A module, and the modules of the package that it imports statically, as paths. */
function loadedWith(path: string, seen: Set<string> = new Set()): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const imported = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/g);
  for (const [, relative = ''] of imported) loadedWith(join(dirname(path), relative), seen);
  return [...seen];
}
