import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { EtcdCredentials } from '../../lib/server/etcd/etcd-options.ts';

/** The etcd binaries to try: those of LISTWATCH_ETCD, and the one on PATH. */
export function etcdBinaries(): string[] {
  const { PATH = '', LISTWATCH_ETCD = '' } = process.env;
  const onPath = PATH.split(delimiter)
    .map((folder) => join(folder, 'etcd'))
    .find(isExecutable);
  const named = LISTWATCH_ETCD.split(delimiter).filter((path) => path !== '' && isExecutable(path));
  return [...new Set([...named, ...(onPath === undefined ? [] : [onPath])])];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface EtcdMemberOptions {
  readonly binary: string;
  /** Further flags of etcd. */
  readonly flags?: readonly string[] | undefined;
  /** @defaultValue http */
  readonly scheme?: 'http' | 'https' | undefined;
}

/** A real etcd of one member on loopback, with its data in a temporary folder. */
export class EtcdMember implements AsyncDisposable {
  readonly url: string;
  readonly #options: EtcdMemberOptions;
  readonly #ports: readonly [client: number, peer: number];
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'listwatch-etcd-'));
  #process: ChildProcess | undefined;
  #log = '';

  private constructor(options: EtcdMemberOptions, ports: readonly [number, number]) {
    this.#options = options;
    this.#ports = ports;
    this.url = `${options.scheme ?? 'http'}://127.0.0.1:${ports[0]}`;
  }

  static async start(options: EtcdMemberOptions): Promise<EtcdMember> {
    const member = new EtcdMember(options, [await freePort(), await freePort()]);
    await member.restart();
    return member;
  }

  /** Starts the process again, on the same data and ports; resolves when it serves. */
  async restart(): Promise<void> {
    const { binary, flags = [] } = this.#options;
    const peerUrl = `http://127.0.0.1:${this.#ports[1]}`;
    const child = spawn(
      binary,
      [
        `--data-dir=${this.#folder}`,
        `--listen-client-urls=${this.url}`,
        `--advertise-client-urls=${this.url}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=default=${peerUrl}`,
        // A leader in a tenth of a second instead of a second, and leases that may be as short as one.
        '--heartbeat-interval=10',
        '--election-timeout=100',
        ...flags,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        this.#log = (this.#log + chunk.toString()).slice(-20_000);
        if (
          /ready to serve client requests|serving (insecure )?client|serving client/i.test(
            this.#log,
          )
        )
          resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(new Error(`etcd ended with ${code}:\n${this.#log}`));
      });
    });
    // It belongs to the suite, not to a case: the check for leaked handles looks at what keeps the process alive.
    child.unref();
    for (const stream of [child.stdout, child.stderr]) (stream as unknown as Socket).unref();
  }

  /** Makes the member ask for user and password. `etcdctl` would do the same three calls. */
  async enableAuthentication({ username, password }: EtcdCredentials): Promise<void> {
    const gateway = async (path: string, body: object): Promise<void> => {
      const answer = await fetch(`${this.url}/v3/auth/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    };
    await gateway('user/add', { name: username, password });
    await gateway('role/add', { name: 'root' });
    await gateway('user/grant', { user: username, role: 'root' });
    await gateway('enable', {});
  }

  /** Kills the process as a crash would; the data stays. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    this.#log = '';
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops the process without ending it: connections stay open and say nothing. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
