import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Target } from '../compare/target/target.ts';
import { BenchNamespaces } from './bench-namespaces.ts';
import type { CurlClient } from './curl-client.ts';
import { configMap, pod } from './requests.ts';

/** The command as it is installed. */
export const PROGRAM: string = resolve(import.meta.dirname, '../../dist/cli/listwatch.js');

const WARM_UP = 1500;
const WATCHES = 100;
const LISTED = 5000;
const MOST_ROUNDS = 5;
const GENERATED = { generateName: 'one-' };

export interface ServedProgramOptions {
  /** Of an etcd for its objects, in place of memory. */
  readonly etcd?: string | undefined;
}

/** `listwatch serve` without controllers, in a process of its own. */
export class ServedProgram implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly #process: ChildProcess;
  readonly #home: string;

  private constructor(process: ChildProcess, home: string, kubeconfig: string) {
    this.#process = process;
    this.#home = home;
    this.kubeconfig = kubeconfig;
  }

  static async start({ etcd }: ServedProgramOptions): Promise<ServedProgram> {
    const home = await mkdtemp(join(tmpdir(), 'listwatch-beside-'));
    const kubeconfig = join(home, 'kubeconfig');
    const options = ['--port', '0', '--json', '--controllers', 'none', '--kubeconfig', kubeconfig];
    if (etcd !== undefined) options.push('--etcd', etcd);
    const child = spawn(process.execPath, [PROGRAM, 'serve', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Ctrl-C reaches this process alone, which deletes what it has made before it ends the server.
      detached: true,
    });
    process.once('exit', () => child.kill());
    await once(child.stdout, 'data');
    return new ServedProgram(child, home, kubeconfig);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exit;
    await rm(this.#home, { recursive: true, force: true });
  }
}

interface Kind {
  readonly resource: string;
  /** The server draws the names. */
  readonly document: () => object;
}

const KINDS: Readonly<Record<'maps' | 'pods', Kind>> = {
  maps: { resource: 'configmaps', document: configMapWithoutName },
  pods: { resource: 'pods', document: podWithoutName },
};

/** A server, and what its clients do. */
export class BesideContestant {
  readonly name: string;
  readonly #target: Target;
  readonly #client: CurlClient;
  readonly #namespaces: BenchNamespaces;

  constructor(name: string, target: Target, client: CurlClient) {
    this.name = name;
    this.#target = target;
    this.#client = client;
    this.#namespaces = new BenchNamespaces({ target, contestant: name.replace(' ', '-') });
  }

  async begin(): Promise<void> {
    const earlier = await this.#namespaces.removeEarlier();
    for (const name of earlier) process.stderr.write(`${this.name}: deleted ${name}\n`);
    await this.#namespaces.make();
    await this.creates('maps', 20, WARM_UP);
    await this.creates('pods', 20, WARM_UP);
    await this.#create(this.#namespaces.listed, 'maps', 20, LISTED);
    const path = `/api/v1/namespaces/${this.#namespaces.listed}/configmaps`;
    const { status, bytes } = await this.#send('GET', path);
    if (status !== 200 || bytes.length < LISTED * 1000) {
      throw new Error(`${this.name}: ${path}: ${status}, ${bytes.length} bytes`);
    }
    await this.lists(3);
  }

  /** Creates a second. */
  async creates(kind: keyof typeof KINDS, writers: number, count: number): Promise<number> {
    const startMs = performance.now();
    await this.#create(this.#namespaces.written, kind, writers, count);
    return (count * 1000) / (performance.now() - startMs);
  }

  /**
   * Creates a second, until each of 100 watches in another process has every one. A round in which the server ends a watch, since it is
   * slow, is repeated.
   */
  async watchedCreates(writers: number, count: number): Promise<number> {
    for (let round = 1; ; round += 1) {
      try {
        return await this.#watchedCreates(writers, count);
      } catch (error) {
        if (round === MOST_ROUNDS || !String(error).includes('a watch ended')) throw error;
        process.stderr.write(`${this.name}: ${String(error)}; again\n`);
      }
    }
  }

  async #watchedCreates(writers: number, count: number): Promise<number> {
    const path = `/api/v1/namespaces/${this.#namespaces.written}/configmaps`;
    const { bytes } = await this.#send('GET', `${path}?limit=1`);
    const list = JSON.parse(bytes.toString()) as { metadata: { resourceVersion: string } };
    const from = `${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
    await using watches = this.#client.watch(from, WATCHES);
    await this.#create(this.#namespaces.written, 'maps', writers, count);
    await watches.until(count * WATCHES);
    const startMs = performance.now();
    await Promise.all([
      this.#create(this.#namespaces.written, 'maps', writers, count),
      watches.until(2 * count * WATCHES),
    ]);
    return (count * 1000) / (performance.now() - startMs);
  }

  /** Lists a second, one after the other. */
  async lists(count: number): Promise<number> {
    const startMs = performance.now();
    await this.#client.get(`/api/v1/namespaces/${this.#namespaces.listed}/configmaps`, count);
    return (count * 1000) / (performance.now() - startMs);
  }

  /** Nothing more is created: what is under way fails. */
  stop(): void {
    this.#client.stop();
  }

  /** Deletes what was made. */
  async end(): Promise<void> {
    await this.#namespaces.remove();
    this.#target.close();
    await this.#client[Symbol.asyncDispose]();
  }

  async #create(
    namespace: string,
    kind: keyof typeof KINDS,
    writers: number,
    count: number,
  ): Promise<void> {
    const { resource, document } = KINDS[kind];
    await this.#client.post(
      `/api/v1/namespaces/${namespace}/${resource}`,
      document(),
      count,
      writers,
    );
  }

  #send(method: string, path: string): ReturnType<Target['send']> {
    const headers = { accept: 'application/json' };
    return this.#target.send({ method, path, headers, body: undefined, anonymous: false });
  }
}

function podWithoutName(): object {
  const { spec } = pod(1) as unknown as { readonly spec: object };
  const { nodeName: _scheduled, ...unscheduled } = spec as Record<string, unknown>;
  return { apiVersion: 'v1', kind: 'Pod', metadata: GENERATED, spec: unscheduled };
}

function configMapWithoutName(): object {
  const { metadata: _named, ...rest } = configMap('any');
  return { ...rest, metadata: GENERATED };
}
