import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { problemOf, typeLine } from './error-streams.ts';
import { failed, makeProject, plainEnvironment, type Workshop } from './project.ts';
import type { Tool } from './tools.ts';

export const NEXT: Tool = {
  name: 'next',
  section: 'Next.js',
  packages: ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
};

const ROUTE = 'app/api/namespaces/route.js';

interface Answer {
  readonly names: readonly string[];
  readonly starts: number;
}

/** Builds and serves a route handler, and lets it fail; then changes it while the development server runs: there is one informer. */
export async function tryNext(workshop: Workshop): Promise<string | undefined> {
  const folder = await makeProject(workshop, NEXT);
  const build = 'npx next build';
  const built = await typeLine(build, { cwd: folder, env: plainEnvironment() });
  if (built.code !== 0) return failed(build, built);
  return (await tryStart(folder)) ?? (await tryFailure(folder)) ?? (await tryReload(folder));
}

async function tryStart(folder: string): Promise<string | undefined> {
  await using server = await Served.start('start', folder, {});
  const { names } = await server.answer();
  return names.includes('default') ? undefined : `it answered ${names.join(', ')}`;
}

async function tryFailure(folder: string): Promise<string | undefined> {
  await using server = await Served.start('start', folder, { SERVER: 'http://127.0.0.1:1' });
  const { status } = await server.get();
  if (status !== 500) return `it answered ${status} where the handler fails`;
  await until('the error is written', () => server.stderr !== '');
  return problemOf(server.stderr, folder);
}

async function tryReload(folder: string): Promise<string | undefined> {
  await using server = await Served.start('dev', folder, {});
  const { starts } = await server.answer();
  const route = join(folder, ROUTE);
  const text = readFileSync(route, 'utf8');
  // The answer of the new text shows that it is loaded.
  writeFileSync(route, text.replace('{ names,', '{ changed: true, names,'));
  let changed: Partial<Answer & { readonly changed: boolean }> = {};
  while (changed.changed !== true) changed = await server.answer();
  const cluster = join(folder, 'lib/cluster.js');
  writeFileSync(cluster, `${readFileSync(cluster, 'utf8')}\nexport const version = 2;\n`);
  writeFileSync(
    route,
    text
      .replace('{ names,', '{ again: true, names,')
      .replace('{ cluster }', '{ cluster, version }')
      .replace('starts:', 'version, starts:'),
  );
  let again: Partial<Answer & { readonly again: boolean }> = {};
  while (again.again !== true) again = await server.answer();
  return starts === 1 && again.starts === 1 ? undefined : `${again.starts} informers were started`;
}

/** A server of Next.js, in a process of its own. */
class Served {
  readonly #child: ChildProcess;
  readonly #url: string;
  stderr = '';

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => (this.stderr += piece));
    child.stdout?.resume();
  }

  static async start(
    command: 'start' | 'dev',
    cwd: string,
    more: Readonly<Record<string, string>>,
  ): Promise<Served> {
    const port = await freePort();
    const program = join(cwd, 'node_modules', 'next', 'dist', 'bin', 'next');
    const child = spawn(process.execPath, [program, command, '--port', `${port}`], {
      cwd,
      env: { ...plainEnvironment(), NEXT_TELEMETRY_DISABLED: '1', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its server is a process of its own.
      detached: true,
    });
    const served = new Served(child, `http://127.0.0.1:${port}`);
    await until(
      'Next.js listens',
      async () =>
        await fetch(`http://127.0.0.1:${port}/favicon.ico`).then(
          () => true,
          () => false,
        ),
    );
    return served;
  }

  async get(): Promise<Response> {
    return await fetch(`${this.#url}/api/namespaces`);
  }

  async answer(): Promise<Answer> {
    const response = await this.get();
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${response.status} ${text.slice(0, 500)} ${this.stderr.slice(0, 1_500)}`);
    return JSON.parse(text) as Answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const { pid } = this.#child;
    if (pid === undefined) return;
    const ended = once(this.#child, 'exit');
    process.kill(-pid, 'SIGKILL');
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
