import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { plainProgram } from '../../../../support/plain-programs.ts';
import type { PortTarget } from './port-target.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const TOKEN = 'fuzz-token-0123456789abcdef';
/** Output that a healthy server does not write. */
const COMPLAINT = /the handler rejected|hook threw|uncaught|unhandled|MaxListenersExceeded|FATAL/i;

type ServedChild = ChildProcessByStdio<null, Readable, Readable>;

/** `listwatch serve` as a process of its own. */
export class ServedProcess implements AsyncDisposable {
  readonly target: PortTarget;
  readonly complaints: string[] = [];
  readonly #child: ServedChild;
  readonly #folder: string;

  private constructor(child: ServedChild, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.target = { host: '127.0.0.1', port, token: TOKEN, pid: child.pid };
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (COMPLAINT.test(line)) this.complaints.push(line.slice(0, 1_000));
    });
  }

  static async start(): Promise<ServedProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'fuzz-port-'));
    const program = await plainProgram('lib/cli/listwatch.ts');
    const options = ['--port', '0', '--json', '--controllers', 'none', '--token', TOKEN];
    const file = join(folder, 'kubeconfig');
    const child = spawn(process.execPath, [program, 'serve', ...options, '--kubeconfig', file], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    const { address } = JSON.parse(line) as { readonly address: string };
    return new ServedProcess(child, folder, Number(new URL(address).port));
  }

  /** The faults found, a line each. */
  problems(): string[] {
    const { exitCode, signalCode } = this.#child;
    const ended = exitCode !== null || signalCode !== null;
    return [...(ended ? [`the server ended: ${exitCode ?? signalCode}`] : []), ...this.complaints];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const closed = once(this.#child, 'close');
      this.#child.kill('SIGTERM');
      await closed;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The token and the address of a server that runs already. */
export function targetAt(url: string, token: string): PortTarget {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), token };
}
