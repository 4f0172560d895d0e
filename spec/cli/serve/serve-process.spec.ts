import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { plainProgram } from '../../support/plain-programs.ts';
import { HANG_MS, until, within } from '../../support/until.ts';
import { ServeFixture, type Ready } from '../support/serve-fixture.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** A child process with what it has written. */
class Started {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #ended: Promise<unknown>;

  constructor(command: string, parameters: readonly string[], home: string) {
    this.child = spawn(command, parameters, {
      cwd: ROOT,
      env: { ...process.env, HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that a signal reaches the program below npm.
      detached: true,
    });
    this.#ended = once(this.child, 'close');
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
  }

  /** The program of the checkout, as `npx listwatch` would run it. */
  static async program(parameters: readonly string[], home: string): Promise<Started> {
    const program = await plainProgram('lib/cli/listwatch.ts');
    return new Started(process.execPath, [program, ...parameters], home);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The line of standard output that matches. */
  async line(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => this.stdout.split('\n').find((one) => pattern.test(one));
    await until(`a line ${pattern}`, () => this.hasEnded || find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error(`no line ${pattern}: ${this.stdout}${this.stderr}`);
    return found;
  }

  async ready(): Promise<Ready> {
    return JSON.parse(await this.line(/^\{"ready"/)) as Ready;
  }

  async ended(): Promise<number | null> {
    await within(this.#ended, 'the end of the process');
    return this.child.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(-(this.child.pid as number), signal);
  }

  [Symbol.dispose](): void {
    if (!this.hasEnded) this.signal('SIGKILL');
  }
}

/** The lines with `serve` of CONTRIBUTING.md, without their comments. */
function linesOfPage(): string[] {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  return [...text.matchAll(/^npm run listwatch -- serve.*$/gm)].map(([line]) =>
    line.replace(/ +#.*$/, ''),
  );
}

function hasKubectl(): boolean {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'kubectl')));
}

describe('listwatch serve as a process', () => {
  let fixture: ServeFixture;

  beforeEach(async () => {
    fixture = await ServeFixture.make();
  });

  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  it('stops cleanly at SIGTERM and at SIGINT, and continues with its state', async () => {
    const parameters = ['serve', '--port', '0', '--json', '--snapshot', fixture.path('state')];
    for (const [signal, namespaces] of [
      ['SIGTERM', 4],
      ['SIGINT', 5],
    ] as const) {
      using server = await Started.program(parameters, fixture.path());
      const { kubeconfig } = await server.ready();
      {
        await using client = await connect({ kubeconfig });
        const all = client.resource('v1', 'namespaces');
        expect((await all.list()).items).to.have.length(namespaces);
        const metadata = { name: signal.toLowerCase() };
        await all.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
      }
      server.signal(signal);
      expect(await server.ended()).to.equal(0);
      expect(server.stderr).to.include('listwatch: stopped; the state is kept in');
      expect(existsSync(kubeconfig)).to.equal(false);
    }
  });

  it('takes an interrupt that comes twice, as npm and npx send it, for one', async () => {
    const parameters = ['serve', '--port', '0', '--json', '--snapshot', fixture.path('state')];
    using server = await Started.program(parameters, fixture.path());
    await server.ready();
    // Both have arrived when the program goes on.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const)
      server.signal(signal);
    expect(await server.ended()).to.equal(0);
    expect(server.stderr).to.include('the state is kept in');
  });

  it('ends at once at a second signal of either kind', async () => {
    const pipe = fixture.path('token');
    await run('mkfifo', [pipe]);
    using server = await Started.program(['serve', '--token-file', pipe], fixture.path());
    // The program is up when it reads the token, for which it then waits without end.
    const writer = await within(open(pipe, 'w'), 'the reader of the token');
    try {
      server.signal('SIGINT');
      await until('the end of the process', () => {
        if (!server.hasEnded) server.signal('SIGTERM');
        return server.hasEnded;
      });
      expect(server.child.signalCode).to.equal('SIGTERM');
    } finally {
      await writer.close();
    }
  });

  it('serves kubectl by the line that it prints', async function () {
    if (!hasKubectl()) {
      console.log('      skipped: no kubectl on PATH');
      this.skip();
    }
    using server = await Started.program(['serve', '--port', '0', '--json'], fixture.path());
    const { kubectl } = await server.ready();
    const { stdout } = await run('sh', ['-c', kubectl], {
      env: { ...process.env, HOME: fixture.path() },
      timeout: HANG_MS,
    });
    expect(stdout)
      .to.match(/^NAME +STATUS +AGE\n/)
      .and.match(/^default +Active/m);
    server.signal('SIGTERM');
    expect(await server.ended()).to.equal(0);
  });

  it('starts by the lines of CONTRIBUTING.md', async () => {
    const lines = linesOfPage();
    expect(lines).to.have.length(2);
    for (const line of lines) {
      // The port of the line may be taken on this machine.
      const words = `${line} --port 0 --verbose`.split(' ');
      using server = new Started(words[0]!, words.slice(1), fixture.path());
      const ready = await server.line(/^ready on /);
      expect(ready).to.match(
        /^ready on https:\/\/127\.0\.0\.1:\d+: kubectl --kubeconfig \S+ get namespaces$/,
      );
      if (line.includes('--manifests')) {
        expect(server.stderr).to.match(/listwatch: \d+ objects of examples\/manifests applied/);
      }
      // The signal also reaches the program that compiles the modules, so all of them have to be loaded.
      await until('the controllers', () => server.stderr.includes('controllers started'));
      server.signal('SIGTERM');
      await server.ended();
      expect(server.stderr).to.include('listwatch: stopped');
    }
  });
});
