import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = '--conditions=@listwatch/source --import tsx lib/cli/listwatch.ts serve'.split(' ');
/** Only a hang reaches it. */
const READY_LIMIT_MS = 300_000;

export interface ServedOptions {
  readonly flags?: readonly string[];
  /** The controllers of a cluster that run in it. @defaultValue `none` */
  readonly controllers?: string;
}

/** `listwatch serve` as a process of its own, over TLS, on a free port; empty, unless the flags name a storage. */
export class ServedProcess implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, kubeconfig: string) {
    this.#child = child;
    this.kubeconfig = kubeconfig;
  }

  /** @param folder gets the kubeconfig */
  static async start(
    folder: string,
    { flags = [], controllers = 'none' }: ServedOptions = {},
  ): Promise<ServedProcess> {
    const kubeconfig = join(folder, 'kubeconfig');
    const own = ['--port', '0', '--json', '--controllers', controllers, '--kubeconfig', kubeconfig];
    const child = spawn(process.execPath, [...PROGRAM, ...own, ...flags], {
      cwd: ROOT,
      env: { ...process.env, LISTWATCH_TOKEN: randomBytes(16).toString('hex') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const server = new ServedProcess(child, kubeconfig);
    const timer = setTimeout(() => child.kill('SIGKILL'), READY_LIMIT_MS);
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('{"ready"')) return server;
      }
      throw new Error('listwatch serve ended before it was ready');
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'close');
  }
}
