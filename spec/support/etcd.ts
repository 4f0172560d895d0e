import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { EtcdCredentials } from '../../lib/server/etcd/etcd-options.ts';
import { until } from './until.ts';

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

/** A signal reaches the threads of a process one after the other. Where there is no `/proc`, they count as stopped. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((task) => {
    const stat = readFileSync(join(tasks, task, 'stat'), 'utf8');
    // The state follows the name, which is in parentheses and may have some itself.
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  });
}

export interface EtcdMemberOptions {
  readonly binary: string;
  /** Further flags of etcd. */
  readonly flags?: readonly string[] | undefined;
  /** @defaultValue http */
  readonly scheme?: 'http' | 'https' | undefined;
}

/** Where a member is found, and whom it belongs to. */
interface Place {
  readonly name: string;
  readonly clientPort: number;
  readonly peerPort: number;
  /** All members, as `--initial-cluster` takes them. */
  readonly cluster: string;
}

/** A leader in a tenth of a second instead of a second, and leases that may be as short as one. */
const QUICK_ELECTIONS = ['--heartbeat-interval=10', '--election-timeout=100'];

const PORT_IS_TAKEN = /address already in use/;
const SERVES = /ready to serve client requests|serving (insecure )?client|serving client/i;

/** A real etcd on loopback, with its data in a temporary folder: a cluster of one, or a member of an `EtcdCluster`. */
export class EtcdMember implements AsyncDisposable {
  readonly url: string;
  readonly name: string;
  readonly #options: EtcdMemberOptions;
  readonly #place: Place;
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'listwatch-etcd-'));
  #process: ChildProcess | undefined;
  #kills = 0;
  #log = '';

  constructor(options: EtcdMemberOptions, place: Place) {
    this.#options = options;
    this.#place = place;
    this.name = place.name;
    this.url = `${options.scheme ?? 'http'}://127.0.0.1:${place.clientPort}`;
  }

  static async start(options: EtcdMemberOptions): Promise<EtcdMember> {
    const [clientPort, peerPort] = [await freePort(), await freePort()];
    const cluster = `default=${peerUrl(peerPort)}`;
    const member = new EtcdMember(options, { name: 'default', clientPort, peerPort, cluster });
    await member.restart();
    return member;
  }

  /** Whether its process is there, frozen or not. */
  get isUp(): boolean {
    return this.#process !== undefined && this.#process.exitCode === null;
  }

  /**
   * Starts the process again, on the same data and ports; resolves when it serves, which takes a majority of the cluster.
   * Rejects when it ends before. While the member was down, another program may have taken its port for a moment.
   */
  async restart(): Promise<void> {
    const kills = this.#kills;
    await until('the ports of etcd to be free', async () => {
      if (kills !== this.#kills) throw new Error('etcd was killed while it started');
      try {
        await this.#start();
        return true;
      } catch (error) {
        if (PORT_IS_TAKEN.test(String(error))) return false;
        throw error;
      }
    });
  }

  async #start(): Promise<void> {
    const { binary, flags = [] } = this.#options;
    const { name, peerPort, cluster } = this.#place;
    const child = spawn(
      binary,
      [
        `--name=${name}`,
        `--data-dir=${this.#folder}`,
        `--listen-client-urls=${this.url}`,
        `--advertise-client-urls=${this.url}`,
        `--listen-peer-urls=${peerUrl(peerPort)}`,
        `--initial-advertise-peer-urls=${peerUrl(peerPort)}`,
        `--initial-cluster=${cluster}`,
        ...QUICK_ELECTIONS,
        ...flags,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#process = child;
    this.#log = '';
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        this.#log = (this.#log + chunk.toString()).slice(-20_000);
        if (SERVES.test(this.#log)) resolve();
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
    this.#kills += 1;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => {
      child.once('exit', resolve);
    });
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }

  /** Stops the process without ending it: connections stay open and say nothing. Resolves when none of its threads runs any more. */
  async freeze(): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    this.#process?.kill('SIGSTOP');
    await until('all threads of etcd have stopped', () => isStopped(pid));
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

/** Several members of one cluster. */
export class EtcdCluster implements AsyncDisposable {
  readonly members: readonly EtcdMember[];

  private constructor(members: readonly EtcdMember[]) {
    this.members = members;
  }

  static async start(options: EtcdMemberOptions & { readonly size: number }): Promise<EtcdCluster> {
    const places: Omit<Place, 'cluster'>[] = [];
    for (let index = 0; index < options.size; index += 1) {
      const [clientPort, peerPort] = [await freePort(), await freePort()];
      places.push({ name: `member-${index}`, clientPort, peerPort });
    }
    const cluster = places.map(({ name, peerPort }) => `${name}=${peerUrl(peerPort)}`).join(',');
    const started = new EtcdCluster(
      places.map((place) => new EtcdMember(options, { ...place, cluster })),
    );
    try {
      await Promise.all(started.members.map((member) => member.restart()));
    } catch (error) {
      await started.close();
      throw error;
    }
    return started;
  }

  get urls(): readonly string[] {
    return this.members.map(({ url }) => url);
  }

  /** The member that leads; undefined while there is none, or none that says so. */
  async leader(): Promise<EtcdMember | undefined> {
    const answers = await Promise.all(this.members.map(leadership));
    return this.members.find((_, index) => answers[index]);
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const STATUS_TIMEOUT_MS = 300;

async function leadership({ url, isUp }: EtcdMember): Promise<boolean> {
  if (!isUp) return false;
  try {
    const answer = await fetch(`${url}/v3/maintenance/status`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(STATUS_TIMEOUT_MS),
    });
    const status = (await answer.json()) as { header?: { member_id?: string }; leader?: string };
    return status.leader !== undefined && status.leader === status.header?.member_id;
  } catch {
    return false;
  }
}

function peerUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/**
 * Below the ports that systems give to outgoing connections and to listeners on port 0: those of a member that is down would soon be
 * given to another program.
 */
const PORTS = { from: 10_000, to: 32_000 } as const;
/** The members of one cluster must not get a port twice. */
const given = new Set<number>();

async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
    await once(server, 'close').catch(() => {});
  }
}
